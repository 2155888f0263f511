import type { View } from './view.ts';
import { visibleControlsInLines } from './terminal-text.ts';

/**
 * RFC 4180 with every column of the view (wide ones too: a spreadsheet has room), CRLF line ends.
 *
 * A cell that a spreadsheet would run as a formula (first character `=`, `+`, `-`, `@`, tab or CR) gets an apostrophe in
 * front, inside quotes, as https://owasp.org/www-community/attacks/CSV_Injection (read 2026-11-30) advises: quoting alone does not
 * stop a spreadsheet, and labels and taints are written by others. Plain numbers (`-1`, `+5.2`) stay as they are, for they run nothing.
 */
export function* renderCsv<Item>(view: View<Item>, options: { readonly noHeaders?: boolean } = {}): Iterable<string> {
  if (options.noHeaders !== true) yield line(view.columns.map(({ header }) => header));
  for (const item of view.items) yield line(view.columns.map(({ value }) => value(item)));
}

function line(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(text: string): string {
  const harmless = visibleControlsInLines(text.replaceAll('\r\n', '\n'));
  const guarded = /^[=+\-@]/.test(harmless) && !/^[+-]?\d+(\.\d+)?$/.test(harmless) ? `'${harmless}` : harmless;
  return guarded !== harmless || /[",\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
