/** Command lines of Windows containers: which program they start. */

/** A program that a command starts, and where its name stands. */
export interface StartedProgram {
  /** As written, without quotes: `/bin/sh`, `powershell.exe`. */
  readonly name: string;
  /** Index of the word of the command that holds it. */
  readonly word: number;
  /** The words after it, as far as they are known. */
  readonly rest: readonly string[];
  /** Whether cmd starts it, so that cmd's own commands (`type`, `echo`) would do as well. */
  readonly isInCmd: boolean;
}

/**
 * The programs that `command` and the `args` after it start: the first word, and for `cmd /c …` what cmd is told to start.
 * What powershell or pwsh are told are their own commands and aliases (`sleep` is Start-Sleep there), so they are left out,
 * as are lines of which cmd makes several (`a && b`) after the first.
 */
export function startedPrograms(command: readonly string[]): readonly StartedProgram[] {
  const [first] = command;
  if (first === undefined || first.trim() === '') return [];
  const program = unquote(first.trim());
  const started: StartedProgram[] = [{ name: program, word: 0, rest: command.slice(1), isInCmd: false }];
  if (programName(program) !== 'cmd') return started;
  const switchAt = command.findIndex((word, index) => index > 0 && /^\/[ck]/i.test(word));
  if (switchAt === -1) return started;
  // cmd takes everything after /c as one line, wherever the words were cut; `/cdir` needs no space
  const attached = command[switchAt]?.slice(2) ?? '';
  const line = [attached, ...command.slice(switchAt + 1)].join(' ').trim().replace(/^"+|^@+/, '').trim();
  const words = line.split(/\s+/).filter((word) => word !== '');
  const [inner] = words;
  if (inner === undefined) return started;
  const end = words.findIndex((word) => /^(?:&&?|\|\|?)$/.test(word));
  return [...started, {
    name: unquote(inner.replace(/[&|;]+$/, '')), word: attached === '' ? Math.min(switchAt + 1, command.length - 1) : switchAt,
    rest: words.slice(1, end === -1 ? undefined : end), isInCmd: true,
  }];
}

/** A whole command line that stands in one word. */
export interface SplitCommandLine {
  readonly program: string;
  /** Program and arguments; null where quotes or blanks leave it open how Windows would cut them. */
  readonly words: readonly string[] | null;
}

/** Programs that nobody names a file after, with something behind a blank. */
const WELL_KNOWN = /^(?:powershell|pwsh|cmd|sh|bash|dotnet|java|node|python|ping|curl|tar|net|sc|reg|netsh|icacls|timeout|sleep|cat)$/i;

/** The program and its arguments of a word that is a command line; null for a name alone, which may have blanks: `C:\Program Files\shop\shop.exe`. */
export function splitCommandLine(word: string): SplitCommandLine | null {
  const text = word.trim();
  // a path of Linux is another matter
  if (/^\/(?:bin|sbin|usr|opt\/bin)\//.test(text)) return null;
  const known = /^"(?<program>[^"]+)"\s+(?<rest>\S.*)$/s.exec(text) ?? /^(?<program>[^"]+?\.(?:exe|cmd|bat))\s+(?<rest>\S.*)$/is.exec(text);
  const plain = known ?? /^(?<program>[^\s"]+)\s+(?<rest>\S.*)$/s.exec(text);
  const { program = '', rest = '' } = plain?.groups ?? {};
  if (plain === null || (known === null && !WELL_KNOWN.test(program) && !/^[-/]\w|^--/.test(rest))) return null;
  const parts = rest.match(/"[^"]*"|[^\s"]+/g) ?? [];
  const isPlain = parts.join(' ') === rest && !rest.includes('\\"');
  return { program, words: isPlain ? [program, ...parts.map((part) => part.replace(/^"(.*)"$/, '$1'))] : null };
}

/** Name of a program as Windows finds it: without folder, extension `.exe` and case. `C:\Windows\System32\cmd.exe` gives `cmd`. */
export function programName(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return name.toLowerCase().replace(/\.exe$/, '');
}

function unquote(word: string): string {
  return word.replaceAll(/^["']|["']$/g, '');
}
