import { visibleControlsInLines } from './terminal-text.ts';
import type { View } from './view.ts';

const STYLE = 'body{font:14px/1.4 sans-serif}table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;vertical-align:top}.bad{background:#f8d7da}.warning{background:#fff3cd}.good{background:#d4edda}.muted{color:#666}';

/** One self-contained page with all columns of the view; tones become background colours. Nothing in it is loaded from elsewhere. */
export function* renderHtml<Item>(view: View<Item>): Iterable<string> {
  const { kind } = view.document();
  const title = escapeHtml(typeof kind === 'string' ? kind : 'kubectl win');
  yield `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>\n<body>\n<h1>${title}</h1>\n<table>\n`;
  yield `<thead><tr>${view.columns.map(({ header }) => `<th>${escapeHtml(header)}</th>`).join('')}</tr></thead>\n<tbody>\n`;
  for (const item of view.items) {
    const cells = view.columns.map(({ value, tone }) => {
      const meaning = tone?.(item) ?? 'plain';
      return `<td${meaning === 'plain' ? '' : ` class="${meaning}"`}>${escapeHtml(value(item))}</td>`;
    });
    yield `<tr>${cells.join('')}</tr>\n`;
  }
  yield '</tbody>\n</table>\n</body>\n</html>\n';
}

/** Text that shows as itself in HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return visibleControlsInLines(text.replaceAll('\r\n', '\n'))
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
    .replaceAll('\n', '<br>');
}
