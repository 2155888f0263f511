/** The node's side of a copy: its operations, each a command in the same session. */
import type { CopyScript } from '../../../domain/hostprocess/copy/copy-script.ts';
import { planNamedScript } from '../../../domain/hostprocess/command/plan-transport.ts';
import { isSuccess, type ExecOutcome } from '../../../domain/hostprocess/outcome.ts';
import type { ByteSink, ByteSource } from '../../ports.ts';
import type { RunClock } from '../../runs/run-clock.ts';
import type { NodeSession } from '../node-session.ts';

/** What a copy on a node was ended by. */
export class CopyFailure extends Error {
  readonly outcome: ExecOutcome;

  constructor(outcome: ExecOutcome) {
    super(outcome.error?.message ?? `exit code ${outcome.exitCode ?? 'unknown'}`);
    this.outcome = outcome;
  }
}

/** What a node gives, as `read` takes it; CopyFailure for what it does not take. */
export function fromNode<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new CopyFailure({ exitCode: null, error: { reason: 'Unknown', message: error instanceof Error ? error.message : String(error) }, pid: null, durationSeconds: 0 });
  }
}

/** A sink that is written to by calls of a function, one after the other: the app room has no streams of its own. */
export type OpenSink = (write: (bytes: Uint8Array) => void | Promise<void>) => ByteSink;

export interface CopyNodeParts {
  readonly openSink: OpenSink;
  /** 16 hexadecimal digits. */
  readonly newNonce: () => string;
  readonly clock: RunClock;
  /** Of the whole copy. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
}

const MOST_STDERR = 4096;
/** A list of a million files. */
const MOST_TEXT = 256 * 2 ** 20;

export class CopyNode {
  readonly #session: Pick<NodeSession, 'run'>;
  readonly #parts: CopyNodeParts;
  readonly #until: number;

  constructor(session: Pick<NodeSession, 'run'>, parts: CopyNodeParts) {
    this.#session = session;
    this.#parts = parts;
    this.#until = parts.clock.now().getTime() + parts.timeoutSeconds * 1000;
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  note(message: string): void {
    this.#parts.note(message);
  }

  /** Runs one to its end. Throws CopyFailure, and what `take` throws. */
  async run(script: CopyScript, parameters: Readonly<Record<string, unknown>>, stdin: ByteSource, take: (bytes: Uint8Array) => void | Promise<void>): Promise<void> {
    const { openSink, newNonce, clock, signal, note } = this.#parts;
    let stderr = '';
    const decoder = new TextDecoder();
    const transport = planNamedScript({ ...script, arguments: parameters }, newNonce());
    const outcome = await this.#session.run(transport, {
      stdin, tty: null, stdout: openSink(take),
      stderr: openSink((bytes) => {
        if (stderr.length < MOST_STDERR) stderr += decoder.decode(bytes, { stream: true });
      }),
    }, { timeoutSeconds: Math.max(1, (this.#until - clock.now().getTime()) / 1000) }, signal, note);
    if (isSuccess(outcome)) return;
    if (outcome.error !== null) throw new CopyFailure(outcome);
    const said = stderr.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_STDERR);
    throw new CopyFailure({ ...outcome, error: { reason: 'Unknown', message: `${script.name} on the node ended with exit code ${outcome.exitCode ?? 'unknown'}${said === '' ? '' : `: ${said}`}` } });
  }

  /** All that it prints. */
  async text(script: CopyScript, parameters: Readonly<Record<string, unknown>>, stdin: Uint8Array): Promise<string> {
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    let length = 0;
    await this.run(script, parameters, once(stdin), (bytes) => {
      length += bytes.length;
      if (length > MOST_TEXT) throw new CopyFailure({ exitCode: null, error: { reason: 'Unknown', message: 'the list of files is too long' }, pid: null, durationSeconds: 0 });
      pieces.push(decoder.decode(bytes, { stream: true }));
    });
    return pieces.join('') + decoder.decode();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.length > 0) yield bytes;
}

/** Whole lines out of bytes that come in pieces. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  #rest = '';

  push(bytes: Uint8Array): readonly string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }
}
