import { editDistance, nearestBy } from '../edit-distance.ts';

/** The field that a mistyped one most probably means; null when none is near. */
export function nearestField(name: string, fields: Iterable<string>): string | null {
  if (name.length > LONGEST_NAME) return null;
  const word = lettersOf(name);
  return nearestBy(word, fields, (field, bound) => {
    const candidate = lettersOf(field);
    return Math.abs(candidate.length - word.length) >= bound ? Infinity : editDistance(word, candidate);
  });
}

/** No field of Kubernetes is longer; the comparison takes the square of the length. */
const LONGEST_NAME = 60;

/** Without what people write differently: upper case, hyphens, underscores. */
function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}
