import type { FilePlace } from '../../domain/check/manifest-problem.ts';

/** A part of a text: `start` is its offset, `end` the offset after it. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Lines and columns of a part of a file. */
export interface TextPlaces {
  placeOf(range: TextRange): FilePlace;
  /** The text of a line of the file; '' for a line that is not in this part. */
  lineText(line: number): string;
}

/** `firstLine`: line of the file on which the text begins. Lines are looked for when they are first asked for. */
export function textPlaces(file: string, text: string, firstLine: number): TextPlaces {
  let starts: readonly number[] | undefined;
  const lineStarts = (): readonly number[] => (starts ??= findLineStarts(text));
  return {
    placeOf({ start, end }) {
      const lines = lineStarts();
      const index = lineIndexAt(lines, start);
      const lineEnd = endOfLine(text, lines[index] ?? 0);
      return {
        file, line: firstLine + index,
        column: countCharacters(text, lines[index] ?? 0, start) + 1,
        length: Math.max(1, countCharacters(text, start, Math.min(end, lineEnd))),
      };
    },
    lineText(line) {
      const start = lineStarts()[line - firstLine];
      return start === undefined ? '' : text.slice(start, endOfLine(text, start));
    },
  };
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** By bisection: the last line that starts at or before `offset`. */
function lineIndexAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  if (end === -1) return text.length;
  return end > start && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end;
}

/** Code points: the two halves of a surrogate pair are one character. */
function countCharacters(text: string, start: number, end: number): number {
  let count = end - start;
  for (let at = start; at < end - 1; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00) {
      count--;
      at++;
    }
  }
  return count;
}
