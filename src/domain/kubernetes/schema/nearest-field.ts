/** The field that a mistyped one most probably means; null when none is near. */
export function nearestField(name: string, fields: Iterable<string>): string | null {
  if (name.length > LONGEST_NAME) return null;
  const word = lettersOf(name);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const field of fields) {
    const candidate = lettersOf(field);
    // singular for plural and the like: `port` for `ports`, `env_from` for `envFrom`
    const distance = candidate === word ? 0 : Math.abs(candidate.length - word.length) >= bestDistance ? Infinity : lettersApart(word, candidate);
    if (distance < bestDistance) {
      best = field;
      bestDistance = distance;
    }
  }
  return best;
}

/** No field of Kubernetes is longer; the comparison takes the square of the length. */
const LONGEST_NAME = 60;

/** Without what people write differently: upper case, hyphens, underscores. */
function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** Letters to insert, remove or replace (Wagner and Fischer), two neighbours that are swapped counting once. */
function lettersApart(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const above = rows[row - 1] ?? [];
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      let least = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1));
      if (row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) least = Math.min(least, (rows[row - 2]?.[column - 2] ?? 0) + 1);
      current.push(least);
    }
    rows.push(current);
  }
  return rows[left.length]?.[right.length] ?? 0;
}
