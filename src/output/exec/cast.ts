/**
 * Transcripts. Of a terminal an asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/, read 2026-11-30), which asciinema plays; of the rest
 * a line of JSON for each piece of output. What is typed is in neither: it may be a password, and what a terminal shows of it is output.
 */
import type { TerminalSize } from '../../app/ports.ts';
import type { ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { jsonLine } from '../json.ts';
import { wholeCharacters } from './captured-output.ts';

/** Lines of an asciicast; times in milliseconds of one clock. */
export class Cast {
  readonly #startedMs: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** The first line. */
  header({ width, height }: TerminalSize, title: string): string {
    return jsonLine({ version: 2, width, height, timestamp: Math.floor(this.#startedMs / 1000), title, env: { TERM: 'xterm' } });
  }

  output(atMs: number, bytes: Uint8Array): string {
    return this.#event(atMs, 'o', this.#decoder.decode(bytes, { stream: true }));
  }

  resize(atMs: number, { width, height }: TerminalSize): string {
    return this.#event(atMs, 'r', `${width}x${height}`);
  }

  /** Half a character that was the last to come. */
  end(atMs: number): string {
    return this.#event(atMs, 'o', this.#decoder.decode());
  }

  #event(atMs: number, code: 'o' | 'r', data: string): string {
    if (data === '') return '';
    return jsonLine([Math.max(0, Math.round((atMs - this.#startedMs) * 1000)) / 1_000_000, code, data]);
  }
}

export type TranscriptStream = 'stdout' | 'stderr';

/** Lines of JSON, of one node after another as their output comes: `{"time", "node", "stream", "text"}`, `base64` for what is not UTF-8. */
export class Transcript {
  /** Beginnings of characters, by node and stream. */
  readonly #rest = new Map<string, Uint8Array>();

  header(facts: { readonly toolVersion: string; readonly startedAt: Date; readonly run: string | null; readonly nodes: readonly string[] }): string {
    return jsonLine({ apiVersion: 'kubectl-win/v1alpha1', kind: 'Transcript', toolVersion: facts.toolVersion, startedAt: facts.startedAt.toISOString(), run: facts.run, nodes: facts.nodes });
  }

  output(at: Date, node: string, stream: TranscriptStream, bytes: Uint8Array): string {
    const key = `${stream} ${node}`;
    const whole = Buffer.concat([this.#rest.get(key) ?? new Uint8Array(), bytes]);
    const end = wholeCharacters(whole);
    if (end === whole.length) this.#rest.delete(key);
    else this.#rest.set(key, whole.subarray(end));
    return outputLine(at, node, stream, whole.subarray(0, end));
  }

  /** After the last output of a node. */
  end(at: Date, node: string, { exitCode, error }: Pick<ExecOutcome, 'exitCode' | 'error'>): string {
    const rest = (['stdout', 'stderr'] as const).map((stream) => {
      const bytes = this.#rest.get(`${stream} ${node}`) ?? new Uint8Array();
      this.#rest.delete(`${stream} ${node}`);
      return outputLine(at, node, stream, bytes);
    });
    return rest.join('') + jsonLine({ time: at.toISOString(), node, exitCode, error });
  }
}

function outputLine(at: Date, node: string, stream: TranscriptStream, bytes: Uint8Array): string {
  if (bytes.length === 0) return '';
  let content: { readonly text: string } | { readonly base64: string };
  try {
    content = { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    content = { base64: Buffer.from(bytes).toString('base64') };
  }
  return jsonLine({ time: at.toISOString(), node, stream, ...content });
}
