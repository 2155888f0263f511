/** What a server wrote, made fit for a message: it may be long, and written to move the cursor or to turn what follows around. */

const LONGEST = 200;

/** One line without control characters, in at most so many characters. */
export function serverText(text: string, longest: number = LONGEST): string {
  // Nothing behind what may be shown is looked at, however long it is.
  const line = withoutControls(text.slice(0, longest * 8));
  const characters = Array.from(line);
  return characters.length > longest || text.length > longest * 8 ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

/** Control characters (C0 and C1) could move the cursor or colour what follows, format characters turn its direction; a line break would make two lines of one clause. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\s+/g, ' ');
}
