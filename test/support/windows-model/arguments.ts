/**
 * How programs on Windows take their command line apart, written from the rules as Microsoft states them and not from what
 * the program under test does. Nothing here has run on Windows.
 */

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** The name of the program has no escapes: quoted up to the next mark, or up to a blank. */
function takeProgram(line: string): { readonly program: string; readonly rest: string } {
  if (line.startsWith('"')) {
    const end = line.indexOf('"', 1);
    return end === -1 ? { program: line.slice(1), rest: '' } : { program: line.slice(1, end), rest: line.slice(end + 1) };
  }
  const end = line.search(/[ \t]/);
  return end === -1 ? { program: line, rest: '' } : { program: line.slice(0, end), rest: line.slice(end) };
}

/** To the C runtime marks may stand anywhere in it. */
function takeProgramOfRuntime(line: string): { readonly program: string; readonly rest: string } {
  let isQuoted = false;
  let program = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && isBlank(character)) return { program, rest: line.slice(at) };
    else program += character;
  }
  return { program, rest: '' };
}

/**
 * CommandLineToArgvW of shell32: three marks in a row within quotes are one and an end.
 * https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-commandlinetoargvw (2n and 2n+1 backslashes); marks in a row as
 * https://learn.microsoft.com/archive/blogs/oldnewthing/20100917-00 and its comments describe them. Read 2026-11-30.
 */
export function commandLineToArgv(line: string): readonly string[] {
  const { program, rest } = takeProgram(line);
  const words = [program];
  let at = 0;
  for (;;) {
    while (isBlank(rest[at])) at += 1;
    if (at >= rest.length) return words;
    let word = '';
    let slashes = 0;
    let marks = 0;
    for (; at < rest.length && (marks > 0 || !isBlank(rest[at])); at += 1) {
      const character = rest[at] ?? '';
      if (character === '\\') {
        slashes += 1;
        continue;
      }
      if (character !== '"') {
        word += '\\'.repeat(slashes) + character;
        slashes = 0;
        continue;
      }
      word += '\\'.repeat(Math.floor(slashes / 2));
      if (slashes % 2 === 1) word += '"';
      else marks += 1;
      slashes = 0;
      while (rest[at + 1] === '"') {
        at += 1;
        marks += 1;
        if (marks === 3) {
          word += '"';
          marks = 0;
        }
      }
      if (marks === 2) marks = 0;
    }
    words.push(word + '\\'.repeat(slashes));
  }
}

/**
 * The C runtimes since 2008: two marks in a row within quotes are one, and the quotes go on.
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments, read 2026-11-30.
 */
export function cRuntimeArgv(line: string): readonly string[] {
  const { program, rest } = takeProgramOfRuntime(line);
  const words = [program];
  let word: string | null = null;
  let isQuoted = false;
  for (let at = 0; at < rest.length; at += 1) {
    const character = rest[at] ?? '';
    if (!isQuoted && isBlank(character)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    word ??= '';
    let count = 0;
    while (rest[at + count] === '\\') count += 1;
    if (count > 0) {
      at += count - 1;
      const isBeforeMark = rest[at + 1] === '"';
      word += '\\'.repeat(isBeforeMark ? Math.floor(count / 2) : count);
      if (isBeforeMark && count % 2 === 1) {
        word += '"';
        at += 1;
      }
    } else if (character !== '"') word += character;
    else if (isQuoted && rest[at + 1] === '"') {
      word += '"';
      at += 1;
    } else isQuoted = !isQuoted;
  }
  if (word !== null) words.push(word);
  return words;
}
