/** A line of a file with a caret below the key or value that is meant, as compilers show it. */
import type { FindingPlace } from '../app/check-report.ts';
import { visibleControls } from './terminal-text.ts';
import { isAscii, type TextWidth } from './text-width.ts';

const CUT = '...';
/** So much of the line stays to the left of the mark where the line has to be cut, in columns. */
const CONTEXT_BEFORE = 8;

/**
 * Two lines: `21 | runAsUser: 1000` and below it `   | ^~~~~~~~~`. The indentation of the line is left out, controls are made
 * visible, and a line that is too long is cut around the mark. Without the caret's line where the place is outside the line.
 */
export function renderSnippet(place: FindingPlace, options: { readonly columns: number; readonly width: TextWidth }): readonly string[] {
  const { width } = options;
  const number = String(place.line ?? '');
  const room = Math.max(16, options.columns - number.length - 3);
  const start = (place.column ?? 0) - 1;
  if (start < 0 || start >= place.lineText.length) return [`${number} | ${firstColumns(shown(place.lineText.trim()), room, width)}`];
  let before = shown(place.lineText.slice(0, start)).trimStart();
  const marked = firstColumns(shown(place.lineText.slice(start, start + Math.max(1, place.length))), room - CONTEXT_BEFORE, width);
  const after = shown(place.lineText.slice(start + Math.max(1, place.length))).trimEnd();
  if (width(before) + width(marked) > room) before = lastColumns(before, Math.max(CONTEXT_BEFORE, room - width(marked)), width);
  const rest = firstColumns(after, room - width(before) - width(marked), width);
  return [
    `${number} | ${before}${marked}${rest}`,
    `${' '.repeat(number.length)} | ${' '.repeat(width(before))}^${'~'.repeat(Math.max(0, width(marked) - 1))}`,
  ];
}

function shown(text: string): string {
  return visibleControls(text.replaceAll('\t', ' '));
}

/** The text where it fits, else its first columns and three dots. */
function firstColumns(text: string, room: number, width: TextWidth): string {
  if (width(text) <= room) return text;
  return room <= CUT.length ? '' : `${taken(charactersOf(text), room - CUT.length, width).join('')}${CUT}`;
}

function lastColumns(text: string, room: number, width: TextWidth): string {
  if (width(text) <= room) return text;
  return `${CUT}${taken(charactersOf(text).toReversed(), room - CUT.length, width).toReversed().join('')}`;
}

function charactersOf(text: string): readonly string[] {
  return isAscii(text) ? text.split('') : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function taken(characters: readonly string[], room: number, width: TextWidth): readonly string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += width(character);
    return used > room;
  });
  return end === -1 ? characters : characters.slice(0, end);
}
