/**
 * WWW-Authenticate, as registries write it: https://www.rfc-editor.org/rfc/rfc7235#section-4.1,
 * https://distribution.github.io/distribution/spec/auth/token/ (read 2026-11-30).
 */

export interface Challenge {
  /** `bearer`, `basic`, in lower case. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const PARAMETER = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;

/**
 * All challenges in the order of the header; several headers are joined by commas. A comma separates both challenges and
 * parameters: what has an equals sign is a parameter, what has none begins the next challenge. Whatever cannot be read ends it.
 */
export function parseChallenges(header: string | undefined): readonly Challenge[] {
  // A server's header is bounded by the HTTP layer; what is useful in it is far shorter.
  const text = (header ?? '').slice(0, 16 * 1024);
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match !== null) position = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(/[\s,]*/y);
    if (position >= text.length) break;
    const current = challenges.at(-1);
    const parameter = current === undefined ? null : take(PARAMETER);
    if (parameter !== null && current !== undefined) {
      const name = (parameter[1] ?? '').toLowerCase();
      // The first one counts: a second realm cannot take the place of the first.
      if (!Object.hasOwn(current.parameters, name)) current.parameters[name] = parameter[2]?.replaceAll(/\\(.)/g, '$1') ?? parameter[3] ?? '';
      continue;
    }
    const scheme = take(TOKEN);
    if (scheme === null) break;
    // Names come from the server: none of them may be one that objects have by themselves.
    challenges.push({ scheme: scheme[0].toLowerCase(), parameters: Object.create(null) as Record<string, string> });
    take(/\s+/y);
    // `Negotiate YII…=`: a value without a name.
    if (take(PARAMETER_AHEAD) === null) take(TOKEN68);
  }
  return challenges;
}

const PARAMETER_AHEAD = /(?=[!#$%&'*+\-.^_`|~0-9A-Za-z]+\s*=\s*[^=,\s])/y;
