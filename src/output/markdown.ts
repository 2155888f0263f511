import type { Column, View } from './view.ts';
import { visibleControlsInLines } from './terminal-text.ts';

/** A GitHub-flavoured table; what Markdown or HTML would act on in a cell is escaped, line breaks become `<br>`. */
export function* renderMarkdown<Item>(view: View<Item>, options: { readonly wide?: boolean } = {}): Iterable<string> {
  const columns: readonly Column<Item>[] = view.columns.filter((column) => options.wide === true || column.wide !== true);
  yield line(columns.map(({ header }) => header));
  yield line(columns.map(() => '---'), (text) => text);
  for (const item of view.items) yield line(columns.map(({ value }) => value(item)));
}

function line(cells: readonly string[], format = markdownText): string {
  return `| ${cells.map(format).join(' | ')} |\n`;
}

/** Text that shows as itself inside a Markdown table. */
export function markdownText(text: string): string {
  if (text === '') return ' ';
  return visibleControlsInLines(text.replaceAll('\r\n', '\n'))
    .replace(/[\\`*_[\]{}<>|~#!&]/g, (character) => HTML_ESCAPES[character] ?? `\\${character}`)
    .replaceAll('\n', '<br>');
}

// Inside a table a backslash does not stop HTML everywhere that Markdown is shown; entities do.
const HTML_ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/** A URL that can stand between the parentheses of a Markdown link; null for what is no web page. */
export function linkTarget(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return null;
  return href.replace(/[()<>|\s\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** A fenced block that its own text cannot end. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visibleControlsInLines(text).trimEnd()}\n${fence}\n`;
}
