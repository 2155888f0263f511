/** Fewer characters of a secret are a part of an ordinary word sooner than the secret: they count where they stand alone. */
const SHORTEST_ANYWHERE = 8;
/** And still fewer may be a word, or a number: they count where a text says that they are a secret. */
const SHORTEST_ALONE = 4;
/** A longer one is known by its beginning. */
const LONGEST_SPELLED = 512;

const HTML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const JSON_LETTERS: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

/**
 * A secret in whatever spelling a server repeats it: as it is, percent-encoded by any rule, as a form, escaped for JSON
 * (once or twice) or for HTML. The rules of servers differ in which characters they encode, so each one may or may not be.
 */
export class SecretPattern {
  readonly #secret: string;
  /** A part that every spelling has, in lower case. */
  readonly #core: string;
  #pattern: RegExp | undefined;

  constructor(secret: string) {
    this.#secret = secret;
    const plain = secret.slice(0, LONGEST_SPELLED).toLowerCase().match(/[a-z0-9]+/g) ?? [];
    this.#core = plain.reduce((longest, one) => (one.length > longest.length ? one : longest), '');
  }

  /** `lowered`: the text in lower case. */
  isPossiblyIn(lowered: string): boolean {
    return lowered.includes(this.#core);
  }

  maskedIn(text: string): string {
    this.#pattern ??= patternOf(this.#secret);
    return text.replaceAll(this.#pattern, '<masked>');
  }
}

function patternOf(secret: string): RegExp {
  const characters = Array.from(secret);
  const spelled = spellings(characters.slice(0, LONGEST_SPELLED));
  if (characters.length > LONGEST_SPELLED) return new RegExp(String.raw`${spelled}[^\s"'<>]*`, 'giu');
  if (secret.length >= SHORTEST_ANYWHERE) return new RegExp(spelled, 'giu');
  const isAlone = String.raw`(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}|\\[nrt]|\\u[0-9a-f]{4}))${spelled}(?![a-z0-9])`;
  return new RegExp(secret.length >= SHORTEST_ALONE ? isAlone : String.raw`(?<=(?:pass(?:word|wd)?|pwd?|secret|token|credentials?)["'\\]*\s*(?:[:=]|%3[ad])\s*["'\\]*)${spelled}(?![a-z0-9])`, 'giu');
}

function spellings(characters: readonly string[]): string {
  let source = '';
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    if (/[A-Za-z0-9]/.test(character)) {
      source += character;
    } else if (character === '\\') {
      // As one: each of them alone could begin anywhere within what JSON makes of them all.
      const start = index;
      while (characters[index + 1] === '\\') index += 1;
      const count = index - start + 1;
      source += String.raw`(?:\\{${count},${count * 4}}|(?:%(?:25){0,2}5c){${count}})`;
    } else {
      source += `(?:${spellingsOf(character).join('|')})`;
    }
  }
  return source;
}

function spellingsOf(character: string): readonly string[] {
  const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
  const code = character.codePointAt(0) ?? 0;
  const units = Array.from({ length: character.length }, (_, index) => String.raw`\\{1,4}u${hex(character.charCodeAt(index), 4)}`);
  const letter = JSON_LETTERS[character];
  const name = HTML_NAMES[character];
  return [
    Array.from(Buffer.from(character), (byte) => `%(?:25){0,2}${hex(byte, 2)}`).join(''),
    units.join(''),
    `&(?:amp;)?#(?:0*${code}|x0*${hex(code, 1)});`,
    ...(name === undefined ? [] : [`&(?:amp;)?${name};`]),
    ...(letter === undefined ? [] : [String.raw`\\{1,4}${letter}`]),
    ...(character === ' ' ? [String.raw`\+`] : []),
    String.raw`\\{0,3}\u{${hex(code, 1)}}`,
  ];
}
