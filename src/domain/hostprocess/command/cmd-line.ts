/** A line for `cmd /d /v:off /s /c "LINE"` that hands words on as they are. */
import { programTail } from './program-tail.ts';
import { batchTail, quoteArgument } from './windows-arguments.ts';
import type { CommandRefusal } from './transport.ts';

/**
 * What cmd does itself and with its tail as it stands. `call`, `for`, `if` and `rem` read theirs as language; batch files and
 * what is not known read it once more.
 * https://learn.microsoft.com/windows-server/administration/windows-commands/windows-commands, read 2026-11-30.
 */
const BUILT_IN = new Set([
  'assoc', 'cd', 'chdir', 'cls', 'color', 'copy', 'date', 'del', 'dir', 'echo', 'erase', 'exit', 'ftype', 'md', 'mkdir', 'mklink', 'move', 'path', 'popd', 'prompt', 'pushd', 'rd', 'ren', 'rename',
  'rmdir', 'set', 'start', 'time', 'title', 'type', 'ver', 'verify', 'vol',
]);
const LANGUAGE = new Set(['call', 'for', 'if', 'rem', 'goto', 'setlocal', 'endlocal', 'shift']);

/** Programs that go by these names everywhere, and read their words by rules of their own. */
const PROGRAMS = new Set(['msiexec', 'wmic', 'sqlcmd', 'find', 'cscript', 'wscript']);

/** What cmd reads outside of its own quotation marks, those marks themselves included. */
const SPECIAL = /[()%!^"<>&|]/;

/**
 * Words as one line. cmd must never believe that it is within quotation marks, where carets are text and percent signs cannot
 * be masked: so all marks have a caret, and all that is special. It looks for variables before it reads carets; therefore the
 * character behind a percent sign has one too, and the name between two signs, such as `^PATH:a=b^`, is that of no
 * variable. cmd leaves names it does not know as they are on a command line (not in a batch file).
 * https://learn.microsoft.com/archive/blogs/twistylittlepassagesallalike/everyone-quotes-command-line-arguments-the-wrong-way,
 * https://stackoverflow.com/questions/4094699 (phases 1 and 2), read 2026-11-30.
 *
 * The first is what cmd looks for, and must stand in real marks where it has blanks.
 */
export function cmdLineOf(words: readonly string[]): string | CommandRefusal {
  const [command = '', ...rest] = words;
  const broken = words.find((word) => /[\r\n]/.test(word));
  if (broken !== undefined) return { refused: 'a line of cmd ends at a line break, so that no argument can hold one', suggestions: ['use --shell powershell, which takes arguments with line breaks', 'put the commands into a PowerShell script and pass it by --script'] };
  if (/["%]/.test(command) || command.trim() === '') return { refused: `cmd cannot run a command that is called ${JSON.stringify(command)}`, suggestions: ['use --shell powershell', 'or pass the whole line as one word'] };
  const name = command.toLowerCase();
  if (LANGUAGE.has(name)) return { refused: `${command} is part of cmd's language and reads the words behind it by rules of its own`, suggestions: ['pass the whole line as one word'] };
  if (/\.(?:bat|cmd)[. ]*$/.test(name)) {
    const tail = batchTail(words);
    if (tail === null) return refuseForBatch(command);
    return [nameForCmd(command), tail].filter((part) => part !== '').join(' ');
  }
  const ofCmd = problemForCmd(words);
  if (ofCmd !== null) return ofCmd;
  if (BUILT_IN.has(name)) return [nameForCmd(command), ...rest.map((word) => withCarets(quoteArgument(word)))].join(' ');
  if (PROGRAMS.has(name) || /\.(?:exe|com)$/.test(name)) {
    const tail = programTail(words);
    return 'refused' in tail ? tail : [nameForCmd(command), ...tail.map(withCarets)].join(' ');
  }
  if (rest.some(differsForBatch)) {
    return { refused: `${command} may be a batch file, to which cmd can hand no quotation mark, and no backslash at the end of what needs quotation marks`, suggestions: [`write ${command}.exe if that is what it is`, 'use --shell powershell, which finds out', 'pass the whole line as one word'] };
  }
  return [nameForCmd(command), ...rest.map((word) => withCarets(needsMarks(word) ? `"${word}"` : word))].join(' ');
}

/**
 * Why cmd itself cannot be run with such words: to it a backslash before a mark is text, and the mark ends what is quoted, so that `&` behind it
 * would begin a command (https://github.com/PowerShell/PowerShell/issues/15239, read 2026-11-30).
 */
export function problemForCmd([command = '', ...rest]: readonly string[]): CommandRefusal | null {
  if (!/^(?:.*[\\/])?cmd(?:\.exe)?$/i.test(command) || !rest.some((word) => word.includes('"'))) return null;
  return { refused: `${command} reads its line by rules of its own, to which no argument can hold a quotation mark`, suggestions: ['pass the whole line as one word with --shell cmd'] };
}

/** A program would read it in another way than a batch file. */
function differsForBatch(word: string): boolean {
  return word.includes('"') || (word.endsWith('\\') && needsMarks(word));
}

/** A batch file would split it, or a program. */
function needsMarks(word: string): boolean {
  return word.includes('=') || quoteArgument(word) !== word;
}

/** Why a batch file cannot be run with such arguments. */
export function refuseForBatch(command: string): CommandRefusal {
  return {
    refused: `${command} is a batch file, and cmd would change one of its arguments: those with a quotation mark, a percent sign or a line break, and those that need quotation marks and end in a backslash`,
    suggestions: ['pass the whole line as one word with --shell cmd, and write what cmd needs', 'run the program behind the batch file'],
  };
}

/** cmd ends a bare name at blanks, `/ , ; =`, and a leading `@` or `:` means something; between marks all is the name. */
function nameForCmd(command: string): string {
  return /^[A-Za-z0-9_.\\~#$+-][A-Za-z0-9_.:\\~#$+-]*$/.test(command) ? command : `"${command}"`;
}

function withCarets(text: string): string {
  let line = '';
  let isBehindPercent = false;
  for (const character of text) {
    line += isBehindPercent || SPECIAL.test(character) ? `^${character}` : character;
    isBehindPercent = character === '%';
  }
  return line;
}
