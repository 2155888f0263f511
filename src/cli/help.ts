/** Help in kubectl's look: https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/util/templates/templates.go, read 2026-11-30 */
import type { CommandInfo, FlagInfo } from './command-info.ts';

const INTRODUCTION = `kubectl win shows and checks what Windows nodes do in a mixed cluster.

 Find more information at: https://github.com/kubectl-win/kubectl-win`;

/** What groups of commands are for that are no command themselves. */
const GROUPS: Readonly<Record<string, string>> = { hostprocess: 'Reach Windows nodes themselves, through HostProcess pods that are removed again' };

/** `kubectl win`, `kubectl win GROUP`: the commands there are. */
export function renderGroupHelp(programName: string, group: string, commands: readonly CommandInfo[], introduction?: string): string {
  const path = group === '' ? programName : `${programName} ${group}`;
  const prefix = group === '' ? '' : `${group} `;
  const entries = new Map<string, string>();
  for (const command of commands) {
    if (command.hidden || !command.id.startsWith(prefix)) continue;
    const [word = '', ...rest] = command.id.slice(prefix.length).split(' ');
    if (rest.length === 0) entries.set(word, command.summary);
    else if (!entries.has(word)) entries.set(word, `${GROUPS[prefix + word] ?? 'Commands'}: ${commands.filter((other) => other.id.startsWith(`${prefix}${word} `)).map((other) => other.id.slice(prefix.length + word.length + 1)).join(', ')}`);
  }
  const width = Math.max(...[...entries.keys()].map((word) => word.length)) + 3;
  return [
    introduction ?? (group === '' ? INTRODUCTION : `${GROUPS[group] ?? `Commands of ${path}`}.`),
    '',
    'Available Commands:',
    ...[...entries].sort(([left], [right]) => left.localeCompare(right)).map(([word, summary]) => `  ${word.padEnd(width)}${summary}`),
    '',
    'Usage:',
    `  ${path} [flags] [options]`,
    '',
    `Use "${path} <command> --help" for more information about a given command.`,
    optionsHint(programName),
    '',
  ].join('\n');
}

/** `kubectl win COMMAND --help`. `below`: commands that begin with its words. */
export function renderCommandHelp(programName: string, command: CommandInfo, below: readonly CommandInfo[] = []): string {
  const sections = [command.description.trim()];
  if (command.aliases.length > 0) sections.push(`Aliases:\n${[command.id, ...command.aliases].join(', ')}`);
  if (command.examples.length > 0) {
    sections.push(`Examples:\n${command.examples.map((example) => example.trim().split('\n').map((line) => `  ${line.trim()}`).join('\n')).join('\n\n')}`);
  }
  const shown = below.filter(({ hidden }) => !hidden);
  if (shown.length > 0) {
    const words = shown.map(({ id, summary }) => [id.slice(command.id.length + 1), summary] as const);
    const width = Math.max(...words.map(([word]) => word.length)) + 3;
    sections.push(`Available Commands:\n${words.map(([word, summary]) => `  ${word.padEnd(width)}${summary}`).join('\n')}`);
  }
  const options = renderFlags(Object.entries(command.flags).filter(([, flag]) => !flag.hidden));
  if (options !== '') sections.push(`Options:\n${options}`);
  sections.push(`Usage:\n  ${programName} ${command.usage ?? derivedUsage(command)}`);
  const hints = [...(shown.length > 0 ? [`Use "${programName} ${command.id} <command> --help" for more information about a given command.`] : []), optionsHint(programName)];
  return `${sections.join('\n\n')}\n\n${hints.join('\n')}\n`;
}

/** `kubectl win options`. */
export function renderOptionsHelp(flags: Readonly<Record<string, FlagInfo>>): string {
  return `The following options can be passed to any command:\n\n${renderFlags(Object.entries(flags))}\n`;
}

function optionsHint(programName: string): string {
  return `Use "${programName} options" for a list of global command-line options (applies to all commands).`;
}

function derivedUsage(command: CommandInfo): string {
  const args = command.args.map((arg) => {
    const name = `${arg.name.toUpperCase()}${arg.multiple ? '...' : ''}`;
    return arg.required ? name : `[${name}]`;
  });
  return [command.id, ...args, '[flags]', '[options]'].join(' ');
}

function renderFlags(flags: readonly (readonly [string, FlagInfo])[]): string {
  return flags
    .map(([name, flag]) => `    ${flag.char === undefined ? '' : `-${flag.char}, `}--${name}=${shownDefault(flag)}:\n\t${flag.description}`)
    .join('\n\n');
}

/** The default as pflag prints it: texts quoted, lists in brackets. */
function shownDefault(flag: FlagInfo): string {
  if (flag.shownDefault !== undefined) return flag.shownDefault === '' ? '' : `'${flag.shownDefault}'`;
  if (flag.type === 'boolean') return String(flag.default === true);
  if (flag.multiple === true) return Array.isArray(flag.default) ? `[${flag.default.join(',')}]` : '[]';
  if (flag.valueKind === 'integer') return String(typeof flag.default === 'number' ? flag.default : 0);
  return `'${typeof flag.default === 'string' ? flag.default : ''}'`;
}
