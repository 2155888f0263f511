/**
 * Text of others (labels, events, image names) on its way to a terminal: whatever could steer the terminal or reorder
 * what is read becomes visible text. kubectl's replacements for ESC and CR, and its cut at line breaks
 * (https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/printers/terminal.go and tableprinter.go, read 2026-11-30);
 * unlike kubectl also the other C0 and C1 controls, tabs (they would begin a cell of their own in kubectl's tables)
 * and the characters that change the direction of text.
 */

// C0, DEL, C1, Arabic letter mark, direction marks, embeddings, overrides and isolates, line and paragraph separator, lone surrogates.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/;
// oxlint-disable-next-line no-control-regex -- as above
const UNSAFE_EACH = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const LINE_BREAK = /[\n\f\r]/;

/** The text of one table cell: one line, cut at its first line break with `...`. */
export function cellText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const cut = text.search(LINE_BREAK);
  return cut === -1 ? visibleControls(text) : `${visibleControls(text.slice(0, cut))}...`;
}

/** The whole text with each control in visible form: `^[` for ESC, `\r`, `\n`, `\t`, `^A`, `\u202e`. */
export function visibleControls(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_EACH, visible) : text;
}

/** As visibleControls, but line breaks stay: for messages of several lines. */
export function visibleControlsInLines(text: string): string {
  return text.split('\n').map(visibleControls).join('\n');
}

/** As visibleControls, but line breaks and tabs stay: for text whose layout is the user's own, such as that of a JSONPath template. */
export function visibleControlsInText(text: string): string {
  return UNSAFE.test(text) ? text.split('\n').map((line) => line.split('\t').map(visibleControls).join('\t')).join('\n') : text;
}

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (character === '\r') return '\\r';
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return '^?';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
