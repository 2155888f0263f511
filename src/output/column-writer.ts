import type { CellTone } from './view.ts';
import { paint } from './colour.ts';
import { cellText } from './terminal-text.ts';
import { isAscii, textWidthFor, type TextWidth } from './text-width.ts';

/** Of kubectl's tabwriter: https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/printers/tabwriter.go, read 2026-11-30 */
const GAP = 3;
const MINIMUM_WIDTH_WITH_GAP = 6;
const ROWS_PER_CHUNK = 256;

export interface ColumnWriterOptions {
  /** kubectl's --no-headers. */
  readonly noHeaders?: boolean;
  /** Paint cells by their tones. */
  readonly colour?: boolean;
  /** What an empty cell shows; `<none>` as kubectl's. */
  readonly emptyCell?: string;
}

export interface ColumnRow {
  /** Text of each cell, as it came; made safe for a terminal here. */
  readonly cells: readonly string[];
  /** Tone of each cell; `plain` where missing. */
  readonly tones?: readonly CellTone[];
}

/**
 * Rows under headers in kubectl's look: columns padded with spaces, three between them, none at the end of a line.
 * Widths are remembered from one call to the next and only grow, so that what a watch prints later stays in line as
 * kubectl's does. The time is linear in the number of cells.
 */
export class ColumnWriter {
  readonly #headers: readonly string[];
  readonly #options: ColumnWriterOptions;
  /** Column widths so far, gap included. */
  readonly #widths: number[];
  #headerPending: boolean;

  constructor(headers: readonly string[], options: ColumnWriterOptions = {}) {
    this.#headers = headers.map(cellText);
    this.#options = options;
    this.#widths = headers.map(() => MINIMUM_WIDTH_WITH_GAP);
    this.#headerPending = options.noHeaders !== true;
  }

  /** Text of the rows, in chunks that end with a line; the headers come before the first row ever written, never without one. */
  async format(rows: readonly ColumnRow[]): Promise<Iterable<string>> {
    if (rows.length === 0) return [];
    const emptyCell = this.#options.emptyCell ?? '<none>';
    const columns = this.#headers.length;
    const texts = rows.map(({ cells }) => {
      const line: string[] = [];
      for (let column = 0; column < columns; column += 1) {
        const cell = cells[column] ?? '';
        line.push(cell === '' ? emptyCell : cellText(cell));
      }
      return line;
    });
    const withHeader = this.#headerPending;
    this.#headerPending = false;
    const width = await textWidthFor(nonAscii(this.#headers, texts));
    if (withHeader) this.#grow(this.#headers, width);
    for (const line of texts) this.#grow(line, width);
    return this.#chunks(rows, texts, withHeader, [...this.#widths], width);
  }

  /** The header line alone, for formats that show it even above nothing; '' when it was printed before or is not wanted. */
  async formatHeader(): Promise<string> {
    if (!this.#headerPending) return '';
    this.#headerPending = false;
    const width = await textWidthFor(nonAscii(this.#headers, []));
    this.#grow(this.#headers, width);
    return joinCells(this.#headers, this.#widths, width);
  }

  #grow(line: readonly string[], width: TextWidth): void {
    // The last column is never padded.
    for (let column = 0; column < line.length - 1; column += 1) {
      const needed = width(line[column] ?? '') + GAP;
      if (needed > (this.#widths[column] ?? 0)) this.#widths[column] = needed;
    }
  }

  *#chunks(rows: readonly ColumnRow[], texts: readonly (readonly string[])[], withHeader: boolean, widths: readonly number[], width: TextWidth): Iterable<string> {
    let chunk = withHeader ? joinCells(this.#headers, widths, width) : '';
    for (const [index, line] of texts.entries()) {
      const tones = this.#options.colour === true ? rows[index]?.tones : undefined;
      chunk += joinCells(line, widths, width, tones);
      if ((index + 1) % ROWS_PER_CHUNK === 0) {
        yield chunk;
        chunk = '';
      }
    }
    if (chunk !== '') yield chunk;
  }
}

function* nonAscii(headers: readonly string[], lines: readonly (readonly string[])[]): Iterable<string> {
  for (const text of headers) if (!isAscii(text)) yield text;
  for (const line of lines) for (const text of line) if (!isAscii(text)) yield text;
}

function joinCells(cells: readonly string[], widths: readonly number[], width: TextWidth, tones?: readonly CellTone[]): string {
  let line = '';
  const last = cells.length - 1;
  for (let column = 0; column <= last; column += 1) {
    const text = cells[column] ?? '';
    const shown = tones === undefined ? text : paint(text, tones[column] ?? 'plain');
    line += column === last ? shown : shown + ' '.repeat((widths[column] ?? 0) - width(text));
  }
  return `${line.trimEnd()}\n`;
}
