import { visibleControlsInText } from '../terminal-text.ts';

/** Characters of a line that is shown in one; longer ones come in pieces, so that nothing has to be held for ever. */
const LONGEST_LINE = 64 * 1024;
/** Begins each piece but the first. */
const CONTINUED = '...';

/**
 * Whole lines with a prefix before each: output of several nodes at once. It comes from machines that nobody here controls, so that controls
 * are made visible; bytes that are no UTF-8 become U+FFFD.
 */
export class LinePrefixer {
  readonly #prefix: string;
  readonly #decoder = new TextDecoder();
  /** Of the line that has not ended yet. */
  #pending = '';
  #isContinued = false;

  /** e.g. `win-1  `. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The lines that are whole now. */
  push(bytes: Uint8Array): string {
    return this.#lines(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What is left without an end of its own. */
  end(): string {
    const lines = this.#lines(this.#decoder.decode());
    if (this.#pending === '') return lines;
    const last = this.#line(this.#pending);
    this.#pending = '';
    return lines + last;
  }

  #lines(text: string): string {
    let out = '';
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      out += this.#pieces(this.#pending + text.slice(start, end), true);
      start = end + 1;
    }
    return out + this.#pieces(this.#pending + text.slice(start), false);
  }

  /** `isWhole`: the line has ended; otherwise what fits into one piece waits. */
  #pieces(line: string, isWhole: boolean): string {
    let out = '';
    let start = 0;
    while (line.length - start > LONGEST_LINE) {
      // both halves of a character stay together
      const end = start + LONGEST_LINE - (isHighSurrogate(line.charCodeAt(start + LONGEST_LINE - 1)) ? 1 : 0);
      out += this.#line(line.slice(start, end));
      this.#isContinued = true;
      start = end;
    }
    this.#pending = '';
    if (isWhole) {
      // programs of Windows end lines with CR and LF
      out += this.#line(line.slice(start).replace(/\r$/, ''));
      this.#isContinued = false;
    } else {
      this.#pending = line.slice(start);
    }
    return out;
  }

  #line(text: string): string {
    return `${this.#prefix}${this.#isContinued ? CONTINUED : ''}${visibleControlsInText(text)}\n`;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
