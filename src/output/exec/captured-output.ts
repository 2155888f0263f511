import { createHash } from 'node:crypto';
import type { KeptOutput } from '../../domain/hostprocess/fold.ts';

/** Bytes that all streams of a run may keep together. */
export class OutputBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** As many of them as are left. */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#left);
    this.#left -= taken;
    return taken;
  }
}

/**
 * Keeps the first bytes of a stream. They are decoded once, over the whole: a character may come in two pieces, and what is not UTF-8 must not
 * look as if it were (https://github.com/netease-lcap/wave-agent/issues/1753, read 2026-11-30).
 */
export class CapturedOutput {
  readonly #limitBytes: number;
  readonly #budget: OutputBudget;
  readonly #hash = createHash('sha256');
  readonly #chunks: Uint8Array[] = [];
  #keptBytes = 0;
  #sizeBytes = 0;

  constructor(limitBytes: number, budget: OutputBudget) {
    this.#limitBytes = limitBytes;
    this.#budget = budget;
  }

  push(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    // once something was left out, what follows would not fit to what is there
    const wanted = this.#keptBytes < this.#sizeBytes ? 0 : Math.min(chunk.length, this.#limitBytes - this.#keptBytes);
    this.#sizeBytes += chunk.length;
    const kept = this.#budget.take(wanted);
    if (kept === 0) return;
    // a copy: a piece of a larger buffer would keep all of that
    this.#chunks.push(new Uint8Array(chunk.subarray(0, kept)));
    this.#keptBytes += kept;
  }

  end(): KeptOutput {
    const isTruncated = this.#keptBytes < this.#sizeBytes;
    const bytes = Buffer.concat(this.#chunks, this.#keptBytes);
    const text = decoded(isTruncated ? bytes.subarray(0, wholeCharacters(bytes)) : bytes);
    return { text, base64: text === null ? bytes.toString('base64') : null, isTruncated, sizeBytes: this.#sizeBytes, digest: this.#hash.digest('hex') };
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** How many of the bytes are whole characters of UTF-8, where the last one may be cut. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf8 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2; // 0xf8 and more begin nothing
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
