import { visibleControlsInText } from '../terminal-text.ts';

/**
 * Output of a node on its way to a terminal that did not ask for its escapes: controls are made visible, bytes that are no UTF-8 become U+FFFD,
 * and nothing waits for the end of a line, for it may be a question.
 */
export class VisibleText {
  readonly #decoder = new TextDecoder();
  /** A CR that came last: with an LF behind it, it is the end of a line of Windows and no control. */
  #rest = '';

  push(bytes: Uint8Array): string {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.#rest = text.endsWith('\r') ? '\r' : '';
    return visible(this.#rest === '' ? text : text.slice(0, -1));
  }

  /** What is left. */
  end(): string {
    const text = this.#rest + this.#decoder.decode();
    this.#rest = '';
    return visible(text);
  }
}

function visible(text: string): string {
  return visibleControlsInText(text.replaceAll('\r\n', '\n'));
}
