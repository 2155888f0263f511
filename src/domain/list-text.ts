/** `a`, `a and b`, `a, b and c`; `a, b, c and 4 more` for many. */
export function listText(items: readonly string[], most = 5): string {
  if (items.length > most) return `${items.slice(0, most - 2).join(', ')} and ${items.length - (most - 2)} more`;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
