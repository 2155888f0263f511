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

/**
 * `firstLine`: line of the file on which the text begins. Lines are looked for when they are first asked for; a place then takes
 * no longer in a line of megabytes, as of minified JSON, than in any other.
 */
export function textPlaces(file: string, text: string, firstLine: number): TextPlaces {
  let starts: readonly number[] | undefined;
  let pairs: readonly number[] | undefined;
  const lineStarts = (): readonly number[] => (starts ??= findLineStarts(text));
  /** Code points between two offsets: the two halves of a surrogate pair are one character. */
  const countCharacters = (start: number, end: number): number => {
    pairs ??= findSurrogatePairs(text);
    return end - start - (countBefore(pairs, end - 1) - countBefore(pairs, start));
  };
  const endOfLine = (index: number): number => {
    const next = lineStarts()[index + 1];
    if (next === undefined) return text.length;
    const start = lineStarts()[index] ?? 0;
    return next - 1 > start && text.charCodeAt(next - 2) === 0x0d ? next - 2 : next - 1;
  };
  return {
    placeOf({ start, end }) {
      const lines = lineStarts();
      const index = Math.max(0, countBefore(lines, start + 1) - 1);
      return {
        file, line: firstLine + index,
        column: countCharacters(lines[index] ?? 0, start) + 1,
        length: Math.max(1, countCharacters(start, Math.min(end, endOfLine(index)))),
      };
    },
    lineText(line) {
      const start = lineStarts()[line - firstLine];
      return start === undefined ? '' : text.slice(start, endOfLine(line - firstLine));
    },
  };
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Offsets of the first halves of surrogate pairs. */
function findSurrogatePairs(text: string): readonly number[] {
  return Array.from(text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g), ({ index }) => index);
}

/** How many of some ascending numbers are below a limit, by bisection. */
function countBefore(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
