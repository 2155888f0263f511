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

/** Ids of the commands that begin with the words of another one. */
export function idsBelow(id: string, { ids }: Pick<CommandTable, 'ids'>): readonly string[] {
  return ids.filter((known) => known.startsWith(`${id} `));
}

/**
 * Finds the command that the words name, by as many of them as fit: `prepull status` is no argument of `prepull`. Aliases are
 * looked at only when no id fits.
 */
export async function resolveCommand(words: readonly string[], table: CommandTable): Promise<Resolution> {
  let prefix = '';
  let found: Resolution | null = null;
  for (const [index, word] of words.entries()) {
    const id = prefix === '' ? word : `${prefix} ${word}`;
    const hasMore = idsBelow(id, table).length > 0;
    if (table.ids.includes(id)) found = { kind: 'command', id, length: index + 1 };
    if (hasMore) {
      prefix = id;
      continue;
    }
    if (found !== null) return found;
    const aliased = (await allInfos(table)).find((info) => info.aliases.includes(id));
    return aliased === undefined ? { kind: 'unknown', word, group: prefix } : { kind: 'command', id: aliased.id, length: index + 1 };
  }
  return found ?? { kind: 'group', id: prefix };
}
