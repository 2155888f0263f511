/** What a mistyped word most probably means. */

/** Number of single-letter edits (insert, delete, replace, swap of neighbours) between two words; each pair of letters is changed once at most. */
export function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      let best = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced);
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        best = Math.min(best, (beforePrevious[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/**
 * The nearest candidate, the first of several as near; null when none is near: one edit for three letters of the word, and one for a
 * shorter word. `distanceOf` may answer Infinity for a candidate that is at least `bound` away.
 */
export function nearestBy(word: string, candidates: Iterable<string>, distanceOf: (candidate: string, bound: number) => number): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = distanceOf(candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
