/** `Warning` headers of the API server (RFC 7234 §5.5; https://kubernetes.io/blog/2020/09/03/warnings/, read 2026-11-30). */

/** Texts of the warnings with code 299, in order; a header that is malformed is left out as client-go leaves it out. */
export function parseWarnings(rawHeaders: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'warning') continue;
    // code agent "text" ["date"], several in one line separated by commas
    const pattern = /\s*(\d{3}) \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/gy;
    for (const [, code, text] of (rawHeaders[index + 1] ?? '').matchAll(pattern)) {
      // Header bytes arrive as Latin-1 text; what the server wrote is UTF-8.
      const message = Buffer.from((text ?? '').replaceAll(/\\(.)/g, '$1'), 'latin1').toString('utf8');
      if (code === '299' && message !== '') texts.push(message);
    }
  }
  return texts;
}
