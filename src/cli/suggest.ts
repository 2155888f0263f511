import { editDistance, nearestBy } from '../domain/kubernetes/edit-distance.ts';

/** The candidate that a mistyped word most probably means; null when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  return nearestBy(word, candidates, (candidate) => (word.length >= 3 && candidate.startsWith(word) ? 1 : editDistance(word.toLowerCase(), candidate)));
}
