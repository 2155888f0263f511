/**
 * cmd.exe as far as a line of commands goes, written from `cmd /?` and from the phases that
 * https://stackoverflow.com/questions/4094699 found out by trials (read 2026-11-30). Nothing here has run on Windows.
 */

export type Environment = Readonly<Record<string, string>>;

/** One program that cmd starts: the name as it looks for it, and the command line that it gets. */
export interface CmdStart {
  readonly name: string;
  readonly line: string;
  /** What stands behind the name, as a batch file gets it. */
  readonly tail: string;
}

export interface CmdRun {
  readonly starts: readonly CmdStart[];
  /** `>`, `|`, `&`, `(` and the like that were not masked, in their order. */
  readonly operators: readonly string[];
}

/** cmd by its own command line, without the name of the program: switches, then /c and the rest. */
export function runCmd(tail: string, environment: Environment): CmdRun {
  const switches = /^\s*((?:\/(?!c|k|r)[a-z](?::\w+)?\s*)*)\/[ckr]/i.exec(tail);
  if (switches === null) throw new Error(`cmd waits for input: ${tail}`);
  const rest = tail.slice(switches[0].length).replace(/^\s+/, '');
  return runLine(withoutOuterMarks(rest, /\/s\b/i.test(switches[1] ?? '')), environment);
}

/** `cmd /?`: marks stay where they are two, hold no special character, hold a blank, and what they hold is a program. We know of none that is. */
function withoutOuterMarks(line: string, hasS: boolean): string {
  if (!line.startsWith('"')) return line;
  const last = line.lastIndexOf('"');
  const inner = line.slice(1, last);
  if (!hasS && last > 0 && !inner.includes('"') && !/[&<>()@^|]/.test(inner) && /\s/.test(inner) && /\.(?:exe|com)$/i.test(inner)) return line;
  return last === 0 ? line.slice(1) : `${inner}${line.slice(last + 1)}`;
}

/** Variables come first, then carets and marks; delayed expansion is off unless somebody asks for it. */
export function runLine(line: string, environment: Environment): CmdRun {
  const characters = lex(expandVariables(line, environment).replaceAll('\r', ''));
  const operators: string[] = [];
  const starts: CmdStart[] = [];
  let command: Lexed[] = [];
  const end = (): void => {
    const start = startOf(command);
    if (start !== null) starts.push(start);
    command = [];
  };
  for (const one of characters) {
    if (one.isText || !'&|<>()\n'.includes(one.character)) {
      command.push(one);
      continue;
    }
    // A closing parenthesis without an opening one is text of the command, an opening one is unless it comes first.
    if (one.character === '(' && command.some(({ character }) => character.trim() !== '')) command.push(one);
    else if (one.character === ')' && !operators.includes('(')) command.push(one);
    else {
      end();
      operators.push(one.character);
      // What follows a line break is a line of its own, which /c does not read.
      if (one.character === '\n') return { starts, operators };
    }
  }
  end();
  return { starts, operators };
}

/** Phase 1 on a command line: what is no variable stays as it is. */
export function expandVariables(line: string, environment: Environment): string {
  const variables = new Map(Object.entries(environment).map(([name, value]) => [name.toLowerCase(), value]));
  let out = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const expansion = character === '%' ? expansionAt(line, at, variables) : null;
    if (expansion === null) out += character;
    else {
      out += expansion.value;
      at = expansion.last;
    }
  }
  return out;
}

function expansionAt(line: string, at: number, variables: ReadonlyMap<string, string>): { readonly value: string; readonly last: number } | null {
  const end = line.indexOf('%', at + 1);
  if (end === -1) return null;
  const between = line.slice(at + 1, end);
  const whole = variables.get(between.toLowerCase());
  if (between !== '' && whole !== undefined) return { value: whole, last: end };
  const colon = between.indexOf(':');
  if (colon <= 0) return null;
  const value = variables.get(between.slice(0, colon).toLowerCase());
  if (value === undefined) return null;
  const modifier = between.slice(colon + 1);
  const part = /^~(-?\d+)?(?:,(-?\d+))?$/.exec(modifier);
  if (part !== null) return { value: value.slice(Number(part[1] ?? 0)).slice(0, part[2] === undefined ? undefined : Number(part[2])), last: end };
  const equals = modifier.indexOf('=');
  if (equals <= 0) return null;
  return { value: value.replaceAll(modifier.slice(0, equals), modifier.slice(equals + 1)), last: end };
}

interface Lexed {
  readonly character: string;
  /** Masked by a caret or by marks. */
  readonly isText: boolean;
}

/** Phase 2: marks switch carets and operators off, a caret makes text of what follows, and is gone. */
function lex(line: string): readonly Lexed[] {
  const out: Lexed[] = [];
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (character === '\n') isQuoted = false;
    if (!isQuoted && character === '^') {
      at += 1;
      // A line break behind a caret is gone, too.
      if (line[at] === '\n') at += 1;
      const masked = line[at];
      if (masked !== undefined) out.push({ character: masked, isText: true });
      continue;
    }
    out.push({ character, isText: isQuoted && character !== '"' });
    if (character === '"') isQuoted = !isQuoted;
  }
  return out;
}

const DELIMITERS = ' \t,;=/\v\f\u00a0';

function startOf(command: readonly Lexed[]): CmdStart | null {
  const first = command.findIndex(({ character, isText }) => isText || !' \t,;=\v\f@'.includes(character));
  if (first === -1) return null;
  if (!(command[first]?.isText ?? false) && command[first]?.character === ':') return null;
  let end = first;
  let isQuoted = false;
  for (; end < command.length; end += 1) {
    const { character, isText } = command[end] ?? { character: '', isText: true };
    if (!isText && character === '"') isQuoted = !isQuoted;
    else if (!isText && !isQuoted && DELIMITERS.includes(character)) break;
  }
  const textOf = (part: readonly Lexed[]): string => part.map(({ character }) => character).join('');
  const name = textOf(command.slice(first, end));
  const tail = textOf(command.slice(end));
  return { name: name.replaceAll('"', ''), line: `${name}${tail}`, tail };
}

/** `%~1`, `%~2` … of a batch file: split at delimiters outside of marks, and one pair of marks around each taken off. */
export function batchArguments(tail: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let isQuoted = false;
  for (const character of tail) {
    if (!isQuoted && ' \t,;=\v\f\u00a0'.includes(character)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    if (character === '"') isQuoted = !isQuoted;
    word = `${word ?? ''}${character}`;
  }
  if (word !== null) words.push(word);
  return words.map((text) => (/^".*"$/s.test(text) ? text.slice(1, -1) : text));
}
