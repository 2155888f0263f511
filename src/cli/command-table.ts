import type { CommandClass } from './base-command.ts';
import type { CommandInfo, FlagInfo } from './command-info.ts';

/** The commands that there are. A build carries the infos; from the sources they are read off the classes. */
export interface CommandTable {
  /** Ids in alphabetical order: words joined by one space. */
  readonly ids: readonly string[];
  readonly load: (id: string) => Promise<CommandClass>;
  readonly info: (id: string) => Promise<CommandInfo>;
  /** kubectl's global flags. */
  readonly globalFlags: () => Promise<Readonly<Record<string, FlagInfo>>>;
}

export async function allInfos(table: CommandTable): Promise<readonly CommandInfo[]> {
  return Promise.all(table.ids.map((id) => table.info(id)));
}

/** What the words mean: a command, a group of commands, or neither. */
export type Resolution =
  | { readonly kind: 'command'; readonly id: string; /** Words used up. */ readonly length: number }
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'unknown'; readonly word: string; /** '' at the top. */ readonly group: string };

/** Finds the command that the words name; aliases are looked at only when no id fits. */
export async function resolveCommand(words: readonly string[], table: CommandTable): Promise<Resolution> {
  let prefix = '';
  for (const [index, word] of words.entries()) {
    const id = prefix === '' ? word : `${prefix} ${word}`;
    if (table.ids.includes(id)) return { kind: 'command', id, length: index + 1 };
    if (table.ids.some((known) => known.startsWith(`${id} `))) {
      prefix = id;
      continue;
    }
    const aliased = (await allInfos(table)).find((info) => info.aliases.includes(id));
    return aliased === undefined ? { kind: 'unknown', word, group: prefix } : { kind: 'command', id: aliased.id, length: index + 1 };
  }
  return { kind: 'group', id: prefix };
}
