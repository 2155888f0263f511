import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CommandClass } from '../cli/base-command.ts';
import { describeCommand, describeFlags } from '../cli/command-info.ts';
import type { CommandTable } from '../cli/command-table.ts';
import { globalFlags } from '../cli/flags.ts';

export const PROJECT_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Ids of the commands in commands/, with their files: the path is the words that users type. */
export async function findCommandFiles(): Promise<ReadonlyMap<string, string>> {
  const folder = join(PROJECT_ROOT, 'commands');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts')).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(folder, file).slice(0, -'.ts'.length).replaceAll(sep, ' '), file]));
}

/** The commands as they are in the sources. */
export async function sourceCommandTable(): Promise<CommandTable> {
  const files = await findCommandFiles();
  const load = async (id: string): Promise<CommandClass> => {
    const file = files.get(id);
    if (file === undefined) throw new Error(`no command file for ${id}`);
    return ((await import(pathToFileURL(file).href)) as { default: CommandClass }).default;
  };
  return {
    ids: [...files.keys()],
    load,
    info: async (id) => describeCommand(id, await load(id)),
    globalFlags: async () => describeFlags(globalFlags),
  };
}

/** Version of package.json. */
export async function packageVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}
