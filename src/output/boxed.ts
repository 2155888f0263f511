import { visibleControlsInLines } from './terminal-text.ts';
import { isAscii, textWidthFor, type TextWidth } from './text-width.ts';

/** A small table with borders: details of one thing, summaries, explanations. Time grows with the square of its rows; lists go to ColumnWriter. */
export interface BoxedTable {
  readonly headers?: readonly string[];
  /** Cells may have several lines. */
  readonly rows: readonly (readonly string[])[];
}

export interface BoxedOptions {
  /** Columns of the terminal; null = no limit (a pipe). */
  readonly terminalWidth?: number | null;
}

const SMALLEST_COLUMN = 8;

/** The table as text that ends with a line, wrapped so that no line is wider than the terminal (as far as SMALLEST_COLUMN allows). */
export async function renderBoxed(table: BoxedTable, options: BoxedOptions = {}): Promise<string> {
  const { default: CliTable } = await import('cli-table3');
  const headers = table.headers?.map(visibleControlsInLines);
  const rows = table.rows.map((row) => row.map(visibleControlsInLines));
  const all = headers === undefined ? rows : [headers, ...rows];
  const width = await textWidthFor(all.flat());
  const limits = columnLimits(all, width, options.terminalWidth ?? null);
  const wrap = (cells: readonly string[]): string[] => cells.map((cell, column) => wrapText(cell, limits[column] ?? SMALLEST_COLUMN, width));
  // No styles: colour is for text whose tone is known.
  const boxed = new CliTable({ style: { head: [], border: [] }, ...(headers === undefined ? {} : { head: wrap(headers) }) });
  for (const row of rows) boxed.push(wrap(row));
  return `${boxed.toString()}\n`;
}

/** Widest text per column; the widest columns give way first when the sum is more than the terminal has. */
function columnLimits(rows: readonly (readonly string[])[], width: TextWidth, terminalWidth: number | null): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const limits = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.flatMap((row) => (row[column] ?? '').split('\n').map(width))));
  if (terminalWidth === null) return limits;
  // Each column has a blank on both sides and a border; one more border closes the line.
  const available = terminalWidth - 3 * count - 1;
  const total = (): number => limits.reduce((sum, limit) => sum + limit, 0);
  while (total() > available) {
    const widest = limits.indexOf(Math.max(...limits));
    const limit = limits[widest];
    if (limit === undefined || limit <= SMALLEST_COLUMN) break;
    limits[widest] = limit - 1;
  }
  return limits;
}

/** The text in lines of at most `limit` columns, broken at blanks and, in words that are longer, anywhere. */
export function wrapText(text: string, limit: number, width: TextWidth): string {
  return text.split('\n').flatMap((line) => wrapLine(line, limit, width)).join('\n');
}

function wrapLine(line: string, limit: number, width: TextWidth): string[] {
  if (width(line) <= limit) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (width(longer) <= limit) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    const pieces = breakWord(word, limit, width);
    current = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  lines.push(current);
  return lines;
}

function breakWord(word: string, limit: number, width: TextWidth): string[] {
  const pieces: string[] = [];
  let piece = '';
  const units = isAscii(word) ? word.split('') : [...new Intl.Segmenter().segment(word)].map(({ segment }) => segment);
  for (const unit of units) {
    if (piece !== '' && width(piece + unit) > limit) {
      pieces.push(piece);
      piece = '';
    }
    piece += unit;
  }
  pieces.push(piece);
  return pieces;
}
