/** What changes in a text, as a unified diff that `git apply` and `patch -p1` take. */
import { paint } from './colour.ts';

export interface DiffOptions {
  readonly colour?: boolean;
  /** Lines around a change. */
  readonly context?: number;
}

interface Line {
  readonly kind: ' ' | '-' | '+';
  /** With its line break, where it has one. */
  readonly text: string;
}

/** Chunks that end with a line; none where the texts are the same. https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html, read 2026-11-30 */
export function* unifiedDiff(file: string, before: string, after: string, options: DiffOptions = {}): Iterable<string> {
  if (before === after) return;
  const context = options.context ?? 3;
  const tone = (text: string, kind: 'good' | 'bad' | 'muted'): string => (options.colour === true ? paint(text, kind) : text);
  const lines = compareLines(linesOf(before), linesOf(after));
  yield `${tone(`--- ${headerPath('a', file)}`, 'bad')}\n${tone(`+++ ${headerPath('b', file)}`, 'good')}\n`;
  let oldLine = 1;
  let newLine = 1;
  let position = 0;
  while (position < lines.length) {
    const first = lines.findIndex(({ kind }, index) => index >= position && kind !== ' ');
    if (first === -1) return;
    const start = Math.max(position, first - context);
    oldLine += start - position;
    newLine += start - position;
    const end = hunkEnd(lines, first, context);
    const hunk = lines.slice(start, end);
    const oldCount = hunk.filter(({ kind }) => kind !== '+').length;
    const newCount = hunk.filter(({ kind }) => kind !== '-').length;
    yield `${tone(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@`, 'muted')}\n`;
    for (const line of hunk) yield printedLine(line, tone);
    oldLine += oldCount;
    newLine += newCount;
    position = end;
  }
}

/** Of an empty range the line before it is named. */
function range(line: number, count: number): string {
  return count === 1 ? String(line) : `${count === 0 ? line - 1 : line},${count}`;
}

/** Changes with at most twice the context between them are one hunk. */
function hunkEnd(lines: readonly Line[], first: number, context: number): number {
  let last = first;
  for (let index = first; index < lines.length && index - last <= 2 * context + 1; index++) {
    if (lines[index]?.kind !== ' ') last = index;
  }
  return Math.min(lines.length, last + 1 + context);
}

function printedLine({ kind, text }: Line, tone: (text: string, kind: 'good' | 'bad') => string): string {
  const hasBreak = text.endsWith('\n');
  const body = kind + (hasBreak ? text.slice(0, -1) : text);
  const printed = kind === ' ' ? body : tone(body, kind === '+' ? 'good' : 'bad');
  return `${printed}\n${hasBreak ? '' : '\\ No newline at end of file\n'}`;
}

/** Quoted as git does where the name needs it: https://git-scm.com/docs/git-config#Documentation/git-config.txt-corequotePath, read 2026-11-30 */
function headerPath(side: 'a' | 'b', file: string): string {
  const path = `${side}/${file.replaceAll('\\', '/').replace(/^(?:\.\/+|[A-Za-z]:\/+|\/+)+/, '')}`;
  // Behind a name with a blank both programs look for a tab.
  if (!/[\p{Cc}"]/u.test(path)) return path.includes(' ') ? `${path}\t` : path;
  return `"${path.replaceAll(/[\p{Cc}"]/gu, (character) => (character === '"' ? '\\"' : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`))}"`;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Differences that are looked for one by one; texts that differ in more are shown as replaced as a whole. */
const LARGEST_DISTANCE = 2_000;

function compareLines(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...before.slice(0, start).map((text): Line => ({ kind: ' ', text })),
    ...shortestEdit(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map((text): Line => ({ kind: ' ', text })),
  ];
}

/** Myers' greedy algorithm: http://www.xmailserver.org/diff2.pdf, read 2026-11-30. */
function shortestEdit(before: readonly string[], after: readonly string[]): readonly Line[] {
  const limit = Math.min(before.length + after.length, LARGEST_DISTANCE);
  // furthest[k + limit + 1]: how far into `before` a path gets on diagonal k
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= limit; distance++) {
    trace.push(furthest.slice(limit + 1 - distance - 1, limit + 1 + distance + 2));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const at = limit + 1 + diagonal;
      const isInsertion = diagonal === -distance || (diagonal !== distance && (furthest[at - 1] ?? 0) < (furthest[at + 1] ?? 0));
      let x = isInsertion ? furthest[at + 1] ?? 0 : (furthest[at - 1] ?? 0) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      furthest[at] = x;
      if (x >= before.length && x - diagonal >= after.length) return walkBack(before, after, trace);
    }
  }
  return [...before.map((text): Line => ({ kind: '-', text })), ...after.map((text): Line => ({ kind: '+', text }))];
}

/** trace[d] holds the diagonals -d-1 to d+1 as they were before step d. */
function walkBack(before: readonly string[], after: readonly string[], trace: readonly Int32Array[]): readonly Line[] {
  const lines: Line[] = [];
  let x = before.length;
  let y = after.length;
  for (let distance = trace.length - 1; distance >= 0; distance--) {
    const reached = trace[distance] ?? new Int32Array(0);
    const get = (diagonal: number): number => reached[diagonal + distance + 1] ?? 0;
    const diagonal = x - y;
    const isInsertion = diagonal === -distance || (diagonal !== distance && get(diagonal - 1) < get(diagonal + 1));
    const fromDiagonal = isInsertion ? diagonal + 1 : diagonal - 1;
    const fromX = distance === 0 ? 0 : get(fromDiagonal);
    const fromY = distance === 0 ? 0 : fromX - fromDiagonal;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      lines.push({ kind: ' ', text: before[x] ?? '' });
    }
    if (distance === 0) break;
    if (isInsertion) lines.push({ kind: '+', text: after[--y] ?? '' });
    else lines.push({ kind: '-', text: before[--x] ?? '' });
  }
  return lines.toReversed();
}
