/**
 * The command line of a program, taken together from words. Most programs take it apart by the rules of the C runtime; of those that PowerShell
 * passes arguments to in the old way since it knows these rules (`Windows` of $PSNativeCommandArgumentPassing,
 * https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_preference_variables, read 2026-11-30), sqlcmd is content with
 * marks around the value alone of `NAME=value`, which all get; cmd and batch files are not for here.
 */
import type { CommandRefusal } from './transport.ts';
import { programArgument } from './windows-arguments.ts';

/** Words behind the program, each as it stands on its command line, or why it cannot stand there. */
export function programTail([command = '', ...words]: readonly string[]): readonly string[] | CommandRefusal {
  const [, name = ''] = /^(?:.*[\\/])?([^\\/]+?)(?:\.exe)?$/i.exec(command) ?? [];
  switch (name.toLowerCase()) {
    case 'find': return tailOfFind(words);
    case 'cscript':
    case 'wscript': return tailOfScriptHost(command, words);
    default: return words.map(programArgument);
  }
}

/** Its switches, which may stand anywhere: https://learn.microsoft.com/windows-server/administration/windows-commands/find, read 2026-11-30. */
const SWITCH_OF_FIND = /^\/(?:v|c|n|i|off|offline)$/i;

/** find wants marks around what it looks for, whether it has blanks or not, and each mark in it twice (there). */
function tailOfFind(words: readonly string[]): readonly string[] {
  const text = words.findIndex((word) => !SWITCH_OF_FIND.test(word));
  return words.map((word, index) => (index === text ? `"${word.replaceAll('"', '""')}"` : programArgument(word)));
}

/** The script hosts take all marks for the bounds of words, and backslashes for text: https://github.com/PowerShell/PowerShell/issues/15143, read 2026-11-30. */
function tailOfScriptHost(command: string, words: readonly string[]): readonly string[] | CommandRefusal {
  if (words.some((word) => word.includes('"'))) {
    return { refused: `${command} takes quotation marks out of its arguments, and knows no way to write one`, suggestions: ['pass such data by stdin (-i), which WScript.StdIn reads', 'pass it in an environment variable, from PowerShell code or --script'] };
  }
  return words.map((word) => (programArgument(word) === word ? word : `"${word}"`));
}
