/** Where the output of nodes goes, and where their input comes from. */
import { Writable } from 'node:stream';
import type { NodeStreams, StreamsOf } from '../../app/hostprocess/node-streams.ts';
import type { ByteSink, ByteSource } from '../../app/ports.ts';
import type { KeptOutput } from '../../domain/hostprocess/fold.ts';
import { CapturedOutput, OutputBudget } from '../../output/exec/captured-output.ts';
import { LinePrefixer } from '../../output/exec/line-prefixer.ts';
import { VisibleText } from '../../output/exec/visible-text.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { writeOut } from '../../output/write-out.ts';
import type { OutputStream } from '../context.ts';
import type { TerminalSession } from './interactive.ts';
import type { TranscriptFile } from './transcript.ts';

/** raw: as it comes. prefix: line by line, with the node before each. captured: kept for later. */
export type StreamMode = 'raw' | 'prefix' | 'captured';

export interface NodeStreamsOptions {
  readonly mode: StreamMode;
  readonly nodes: readonly string[];
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Of captured output: of each stream of a node. */
  readonly maxOutputBytes: number;
  /** null for none. */
  readonly stdin: () => ByteSource | null;
  /** Begins that of -t; null without. */
  readonly session: (() => TerminalSession) | null;
  readonly transcript: TranscriptFile | null;
  /** Before the first byte of a node. */
  readonly onStart: () => void;
}

export interface KeptOutputs {
  readonly stdout: KeptOutput | null;
  readonly stderr: KeptOutput | null;
}

/** Of all nodes together, in memory. */
const MOST_BYTES = 256 * 2 ** 20;
/** A node's name gets no more room than that before its lines. */
const WIDEST_NAME = 40;

type StreamName = 'stdout' | 'stderr';

/** What becomes of the bytes of one stream. */
interface Way {
  readonly push: (bytes: Uint8Array) => Promise<void>;
  /** Behind the last byte. */
  readonly end: () => Promise<void>;
}

export class NodeOutputs {
  readonly #options: NodeStreamsOptions;
  readonly #budget = new OutputBudget(MOST_BYTES);
  readonly #kept = new Map<string, KeptOutputs>();
  readonly #writers: Readonly<Record<StreamName, (chunk: string | Uint8Array) => Promise<void>>>;
  readonly #width: number;
  readonly #sessions = new Set<TerminalSession>();

  constructor(options: NodeStreamsOptions) {
    this.#options = options;
    this.#writers = { stdout: inTurn(options.stdout), stderr: inTurn(options.stderr) };
    this.#width = Math.min(WIDEST_NAME, Math.max(0, ...options.nodes.map((node) => node.length)));
  }

  readonly streamsOf: StreamsOf = (node) => {
    const { stdin, session: begin, transcript, onStart } = this.#options;
    onStart();
    const session = begin?.() ?? null;
    if (session !== null) this.#sessions.add(session);
    const kept = { stdout: this.#captured(), stderr: this.#captured() };
    const ways = { stdout: this.#way(node, 'stdout', kept.stdout, session), stderr: this.#way(node, 'stderr', kept.stderr, session) };
    const input = session === null ? stdin() : session.stdin;
    const streams: NodeStreams = {
      stdout: this.#sink(ways.stdout, 'stdout'), stderr: this.#sink(ways.stderr, 'stderr'), tty: session?.tty ?? null, ...(input === null ? {} : { stdin: input }),
    };
    return {
      streams,
      end: async (outcome) => {
        if (session !== null) this.#end(session);
        await ways.stdout?.end();
        await ways.stderr?.end();
        if (kept.stdout !== null && kept.stderr !== null) this.#kept.set(node, { stdout: kept.stdout.end(), stderr: kept.stderr.end() });
        await transcript?.end(node, outcome);
      },
    };
  };

  /** Also where a run is interrupted, and no command ends. */
  close(): void {
    for (const session of this.#sessions) this.#end(session);
  }

  #end(session: TerminalSession): void {
    this.#sessions.delete(session);
    session.end();
  }

  /** Of a node that has ended. */
  keptOf(node: string): KeptOutputs {
    return this.#kept.get(node) ?? { stdout: null, stderr: null };
  }

  #captured(): CapturedOutput | null {
    return this.#options.mode === 'captured' ? new CapturedOutput(this.#options.maxOutputBytes, this.#budget) : null;
  }

  /** null: the bytes go to the stream as they are, and nothing stands between. */
  #way(node: string, name: StreamName, captured: CapturedOutput | null, session: TerminalSession | null): Way | null {
    const { transcript, mode } = this.#options;
    const way = captured === null ? this.#shown(node, name, mode === 'prefix', session) : { push: async (bytes: Uint8Array) => captured.push(bytes), end: async () => undefined };
    if (transcript === null) return way;
    const shown = way ?? { push: (bytes: Uint8Array) => this.#writers[name](bytes), end: async () => undefined };
    return {
      push: async (bytes) => {
        await transcript.output(node, name, bytes);
        await shown.push(bytes);
      },
      end: shown.end,
    };
  }

  #shown(node: string, name: StreamName, isPrefixed: boolean, session: TerminalSession | null): Way | null {
    const write = this.#writers[name];
    // escapes are passed only to a terminal that asked for them; what is no terminal gets every byte
    if (!isPrefixed && (session !== null || this.#options[name].isTTY !== true)) return null;
    const text = isPrefixed ? new LinePrefixer(`${visibleControls(node).padEnd(this.#width)}  `) : new VisibleText();
    return { push: (bytes) => write(text.push(bytes)), end: () => write(text.end()) };
  }

  #sink(way: Way | null, name: StreamName): ByteSink {
    if (way === null) return this.#options[name];
    const sink = new Writable({
      decodeStrings: true,
      write: (chunk: Uint8Array, _encoding, done) => {
        way.push(chunk).then(() => done(), (error: unknown) => done(error as Error));
      },
    });
    // whoever writes hears of it from the write itself, and may have gone when this comes: unheard, it would end the program before it has cleaned up
    sink.on('error', () => undefined);
    return sink;
  }
}

/** One chunk at a time: whole lines of several nodes stay whole, and a slow reader slows all of them. */
function inTurn(stream: OutputStream): (chunk: string | Uint8Array) => Promise<void> {
  let last = Promise.resolve();
  return (chunk) => {
    const next = last.then(() => (chunk.length === 0 ? undefined : writeOut(stream, [chunk])));
    last = next.catch(() => undefined);
    return next;
  };
}
