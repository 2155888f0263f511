/** `npm run contract`: writes the snapshot of all commands, arguments and flags, which scripts of users rely on. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allInfos } from '../cli/command-table.ts';
import { PROJECT_ROOT, sourceCommandTable } from './source-commands.ts';

export const CONTRACT_FILE = join(PROJECT_ROOT, 'test', 'contract', 'commands.json');

/** The contract as text: texts of help are left out, so that a better sentence is no change of contract. */
export async function renderContract(): Promise<string> {
  const table = await sourceCommandTable();
  const commands = (await allInfos(table)).map((info) => ({
    id: info.id,
    aliases: info.aliases,
    args: info.args.map(({ name, required, multiple }) => ({ name, required, multiple })),
    flags: withoutTexts(info.flags),
  }));
  return `${JSON.stringify({ globalFlags: withoutTexts(await table.globalFlags()), commands }, null, 2)}\n`;
}

function withoutTexts(flags: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, description: undefined }]));
}

/** What is committed. */
export async function readContract(): Promise<string> {
  return readFile(CONTRACT_FILE, 'utf8');
}

if (import.meta.main) await writeFile(CONTRACT_FILE, await renderContract());
