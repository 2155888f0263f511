/** For a line of at most `width` characters; what comes first matters most. */
export function cutText(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
