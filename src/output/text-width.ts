/** Columns that a text without controls takes on a terminal. */
export type TextWidth = (text: string) => number;

// oxlint-disable-next-line no-control-regex -- a range test for ASCII
const ASCII = /^[\u0000-\u007f]*$/;

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

/**
 * Measures by string-width, which is loaded only when one of the texts needs it: its Unicode tables take 35 ms of a start
 * (measured 2026-11-30), and nearly all cells are ASCII.
 */
export async function textWidthFor(texts: Iterable<string>): Promise<TextWidth> {
  for (const text of texts) {
    if (isAscii(text)) continue;
    const { default: stringWidth } = await import('string-width');
    return (each) => (isAscii(each) ? each.length : stringWidth(each));
  }
  return (each) => each.length;
}
