/** `npm run docs`: writes docs/commands.md from the commands themselves, so that it cannot say anything else than --help. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allInfos } from '../cli/command-table.ts';
import { renderCommandHelp, renderOptionsHelp } from '../cli/help.ts';
import { PROJECT_ROOT, sourceCommandTable } from './source-commands.ts';

export const COMMANDS_PAGE = join(PROJECT_ROOT, 'docs', 'commands.md');

/** The page as text. */
export async function renderCommandsPage(): Promise<string> {
  const table = await sourceCommandTable();
  const infos = (await allInfos(table)).filter((info) => !info.hidden && info.id !== 'options');
  const block = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
  return [
    '# Commands',
    'Written by `npm run docs` from the commands; `kubectl win COMMAND --help` prints the same.',
    ...infos.flatMap((info) => [`## kubectl win ${info.id}`, `${info.summary}.`, block(renderCommandHelp('kubectl win', info))]),
    '## Global options',
    block(renderOptionsHelp(await table.globalFlags())),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

if (import.meta.main) await writeFile(COMMANDS_PAGE, await renderCommandsPage());
