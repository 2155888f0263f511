/** `win-1, win-2 and 3 more`. */
export function someOf<Item = string>(items: readonly Item[], most: number, textOf: (item: Item) => string = String): string {
  const shown = items.slice(0, most).map(textOf).join(', ');
  return items.length <= most ? shown : `${shown} and ${items.length - most} more`;
}
