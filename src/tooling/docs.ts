/** `npm run docs`: writes docs/commands.md from the commands, docs/checks.md from the rules and docs/recipes.md from the recipes themselves, so that they cannot say anything else than the program. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allInfos, idsBelow } from '../cli/command-table.ts';
import { renderCommandHelp, renderOptionsHelp } from '../cli/help.ts';
import { RULES } from '../domain/check/rules/index.ts';
import { RECIPES } from '../domain/hostprocess/recipes/index.ts';
import { renderRecipesMarkdown } from '../output/views/recipes-markdown.ts';
import { renderRulesMarkdown } from '../output/views/rules-markdown.ts';
import { PROJECT_ROOT, sourceCommandTable } from './source-commands.ts';

export const COMMANDS_PAGE = join(PROJECT_ROOT, 'docs', 'commands.md');
export const CHECKS_PAGE = join(PROJECT_ROOT, 'docs', 'checks.md');
export const RECIPES_PAGE = join(PROJECT_ROOT, 'docs', 'recipes.md');

/** The page as text. */
export async function renderCommandsPage(): Promise<string> {
  const table = await sourceCommandTable();
  const infos = (await allInfos(table)).filter((info) => !info.hidden && info.id !== 'options');
  const block = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
  return [
    '# Commands',
    'Written by `npm run docs` from the commands; `kubectl win COMMAND --help` prints the same.',
    ...infos.flatMap((info) => [`## kubectl win ${info.id}`, `${info.summary}.`, block(renderCommandHelp('kubectl win', info, infos.filter(({ id }) => idsBelow(info.id, table).includes(id))))]),
    '## Global options',
    block(renderOptionsHelp(await table.globalFlags())),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

/** The page of the rules: what `kubectl win check --list -o markdown` prints. */
export function renderChecksPage(): string {
  return [...renderRulesMarkdown(RULES)].join('');
}

export function renderRecipesPage(): string {
  return [...renderRecipesMarkdown(RECIPES)].join('');
}

if (import.meta.main) {
  await writeFile(COMMANDS_PAGE, await renderCommandsPage());
  await writeFile(CHECKS_PAGE, renderChecksPage());
  await writeFile(RECIPES_PAGE, renderRecipesPage());
}
