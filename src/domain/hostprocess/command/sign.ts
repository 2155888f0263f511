/** What the runner tells of itself: lines of its own among the bytes of stderr. */
import type { Sign } from './transport.ts';

/** A record separator, which begins a sign. */
const BEGIN = 0x1e;
const END = 0x0a;

/** The longest that is awaited; what a node says of a failed start is a sentence. */
const MOST_BYTES = 16 * 1024;

export interface Filtered {
  readonly bytes: Uint8Array;
  readonly signs: readonly Sign[];
}

/**
 * Takes the signs out of stderr, wherever they stand: RS, `kubectl-win NONCE `, one of these, LF.
 *
 * - `start PID`, before anything of the command
 * - `end CODE` after it, or `end ` where the code is not known yet (a script that ended by `exit`)
 * - `failed REASON BASE64`, the Base64 of a message in UTF-8
 *
 * No output has the nonce by chance (transport.ts says who can know it). What looks like a sign and is none passes; nothing is held
 * back but the beginning of what may still become one.
 */
export class SignFilter {
  readonly #marker: Uint8Array;
  #held = new Uint8Array(0);

  constructor(nonce: string) {
    this.#marker = new TextEncoder().encode(`${String.fromCharCode(BEGIN)}kubectl-win ${nonce} `);
  }

  push(chunk: Uint8Array): Filtered {
    const bytes = joined([this.#held, chunk]);
    const passed: Uint8Array[] = [];
    const signs: Sign[] = [];
    let from = 0;
    for (;;) {
      const begin = this.#markerFrom(bytes, from);
      if (begin === -1) return this.#keep([...passed, bytes.subarray(from)], signs, bytes.length, bytes);
      const end = bytes.indexOf(END, begin);
      const length = (end === -1 ? bytes.length : end) - begin;
      if (end === -1 && length <= MOST_BYTES) return this.#keep([...passed, bytes.subarray(from, begin)], signs, begin, bytes);
      const sign = end === -1 || length > MOST_BYTES ? null : readSign(new TextDecoder().decode(bytes.subarray(begin + this.#marker.length, end)));
      passed.push(bytes.subarray(from, sign === null ? begin + 1 : begin));
      if (sign !== null) signs.push(sign);
      from = sign === null ? begin + 1 : end + 1;
    }
  }

  /** What is left when no more comes. */
  end(): Filtered {
    const bytes = this.#held;
    this.#held = new Uint8Array(0);
    return { bytes, signs: [] };
  }

  #keep(passed: readonly Uint8Array[], signs: readonly Sign[], heldFrom: number, bytes: Uint8Array): Filtered {
    this.#held = bytes.slice(heldFrom);
    return { bytes: joined(passed), signs };
  }

  /** Where a marker begins, or may begin at the end of what has come; -1 for nowhere. */
  #markerFrom(bytes: Uint8Array, from: number): number {
    for (let at = bytes.indexOf(BEGIN, from); at !== -1; at = bytes.indexOf(BEGIN, at + 1)) {
      const length = Math.min(this.#marker.length, bytes.length - at);
      if (this.#marker.subarray(0, length).every((byte, index) => bytes[at + index] === byte)) return at;
    }
    return -1;
  }
}

function readSign(text: string): Sign | null {
  const started = /^start (\d{1,10})$/.exec(text);
  if (started !== null) return { sign: 'start', pid: Number(started[1]) };
  const ended = /^end (-?\d{1,10})?$/.exec(text);
  // Exit codes are 32 bits that .NET reads as signed.
  if (ended !== null) return { sign: 'end', code: ended[1] === undefined ? null : Number(ended[1]) >>> 0 };
  const failed = /^failed (NotFound|StartFailed|Refused) ([A-Za-z0-9+/=]*)$/.exec(text);
  if (failed === null) return null;
  return { sign: 'failed', reason: failed[1] as 'NotFound' | 'StartFailed' | 'Refused', message: textOf(failed[2] ?? '') };
}

function textOf(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return base64;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
