/**
 * Files one after the other in a stream of bytes. Each is a row of frames, numbers with the lowest byte first:
 *
 *     B  from (8 bytes), size (8)             begins: the bytes before `from` are there already; from a node alone
 *     D  length (4), bytes                    some of it
 *     E  SHA-256 of all of it (32)            the end
 *     F  length (4), why in UTF-8             the end of one that cannot be read any more
 *
 * Whoever receives says from time to time how many bytes of D frames it has taken, and whoever sends waits when too many are on the way: what is
 * in the buffers of a connection that breaks is sent again.
 */

export type CopyFrame =
  | { readonly frame: 'begin'; readonly from: number; readonly size: number }
  /** Of a D, as they come: one gives several. */
  | { readonly frame: 'data'; readonly bytes: Uint8Array }
  | { readonly frame: 'end'; readonly sha256: string }
  | { readonly frame: 'failed'; readonly message: string };

const BEGIN = 0x42;
const DATA = 0x44;
const END = 0x45;
const FAILED = 0x46;
const HEADER_BYTES: Readonly<Record<number, number>> = { [BEGIN]: 17, [DATA]: 5, [END]: 33, [FAILED]: 5 };
/** A sentence. */
const MOST_MESSAGE = 64 * 1024;

/** Of one read of a file; the node makes an array of each. */
export const CHUNK_BYTES = 256 * 1024;

/** What is taken is said as often as that. */
export const RECEIPT_BYTES = 128 * 1024;
const LEAST_ON_THE_WAY = 2 ** 20;
const MOST_ON_THE_WAY = 8 * 2 ** 20;

/** How many bytes may be on the way when so many have been sent, those included: the longer it goes well, the more. A node waits before it sends more. */
export function mostOnTheWay(sentBytes: number): number {
  return Math.min(MOST_ON_THE_WAY, Math.max(LEAST_ON_THE_WAY, sentBytes / 32));
}

/** Bytes that were taken since the last one, as a node reads them. */
export function receiptFrame(bytes: number): Uint8Array {
  const frame = new Uint8Array(4);
  new DataView(frame.buffer).setUint32(0, bytes, true);
  return frame;
}

export function dataFrame(bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + bytes.length);
  frame[0] = DATA;
  new DataView(frame.buffer).setUint32(1, bytes.length, true);
  frame.set(bytes, 5);
  return frame;
}

export function endFrame(sha256: string): Uint8Array {
  const frame = new Uint8Array(33);
  frame[0] = END;
  for (let at = 0; at < 32; at += 1) frame[at + 1] = Number.parseInt(sha256.slice(2 * at, 2 * at + 2), 16);
  return frame;
}

export function failedFrame(message: string): Uint8Array {
  const text = new TextEncoder().encode(message);
  const frame = dataFrame(text);
  frame[0] = FAILED;
  return frame;
}

/** Lines before such a stream: their length in bytes (4), and their text in UTF-8. */
export function linesFrame(lines: readonly string[]): Uint8Array {
  return dataFrame(new TextEncoder().encode(lines.join('\n'))).subarray(1);
}

/** Takes such a stream apart, however it is cut. Throws Error for what is none. */
export class CopyStreamReader {
  #header = new Uint8Array(0);
  /** Bytes of a D or F that have not come yet. */
  #missing = 0;
  #message: Uint8Array | null = null;

  push(chunk: Uint8Array): readonly CopyFrame[] {
    const frames: CopyFrame[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing > 0) {
        const bytes = chunk.subarray(at, at + this.#missing);
        at += bytes.length;
        this.#missing -= bytes.length;
        if (this.#message === null) frames.push({ frame: 'data', bytes });
        else {
          this.#message = joined(this.#message, bytes);
          if (this.#missing === 0) frames.push(this.#failed(this.#message));
        }
        continue;
      }
      const type = this.#header[0] ?? chunk[at] ?? 0;
      const length = HEADER_BYTES[type];
      if (length === undefined) throw new Error(`the node has sent what is no part of a copy: a byte ${type} begins no frame`);
      const bytes = chunk.subarray(at, at + length - this.#header.length);
      at += bytes.length;
      this.#header = joined(this.#header, bytes);
      if (this.#header.length < length) continue;
      const frame = this.#whole(type, this.#header);
      this.#header = new Uint8Array(0);
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }

  /** Whether the stream may end here. */
  get isBetweenFrames(): boolean {
    return this.#header.length === 0 && this.#missing === 0;
  }

  #whole(type: number, header: Uint8Array): CopyFrame | null {
    const view = new DataView(header.buffer, header.byteOffset, header.length);
    switch (type) {
      case BEGIN: return { frame: 'begin', from: Number(view.getBigUint64(1, true)), size: Number(view.getBigUint64(9, true)) };
      case END: return { frame: 'end', sha256: Array.from(header.subarray(1), (byte) => byte.toString(16).padStart(2, '0')).join('') };
      case FAILED:
        this.#missing = view.getUint32(1, true);
        if (this.#missing > MOST_MESSAGE) throw new Error(`the node has sent what is no part of a copy: a message of ${this.#missing} bytes is none`);
        this.#message = new Uint8Array(0);
        return this.#missing === 0 ? this.#failed(this.#message) : null;
      default:
        this.#missing = view.getUint32(1, true);
        return null;
    }
  }

  #failed(text: Uint8Array): CopyFrame {
    this.#message = null;
    return { frame: 'failed', message: new TextDecoder().decode(text) };
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
