/** The page of all recipes of `kubectl win hostprocess run`. */
import { scriptFile, type Recipe } from '../../domain/hostprocess/recipes/recipe.ts';
import { durationText } from '../../domain/duration-text.ts';
import { markdownText } from '../markdown.ts';

/** Folders as seen from docs/. */
const SCRIPTS = '../src/domain/hostprocess/recipes';
const SCHEMAS = 'schemas/recipes';

export function* renderRecipesMarkdown(recipes: readonly Recipe[]): Iterable<string> {
  yield '# Recipes\n\n';
  yield 'Written by `npm run docs`; `kubectl win hostprocess run --list` prints the same in short.\n\n';
  yield `A recipe is a PowerShell script that reads something on a node and prints one JSON document. It changes nothing and opens no connection: a test holds each to a short list of commands that read. Before each stands [prologue.ps1](${SCRIPTS}/prologue.ps1); a text that changes gets a new version, which is held to its SHA-256.\n\n`;
  yield 'What can be read is in the document although other parts cannot: such a part is `null`, and `problems` says why. `takenAt` is by the clock of the node.\n\n';
  yield 'The scripts are written for Windows PowerShell 5.1 and understood by PowerShell 7. They are parsed by a grammar of PowerShell in every run of the tests, and run by `pwsh` where one is found. They have not been run on Windows by the tests of this project.\n\n';
  yield '`--to DIR` writes the document of each node to `DIR/NODE/RECIPE.json`. With recipe logs it also brings the log files that have changed in its time, whole and checked by their hash, to `DIR/NODE/C/...`; an unfinished one is gone on with by the next run.\n\n';
  yield '| Recipe | Version | What it reads | Parameters |\n| --- | --- | --- | --- |\n';
  for (const { id, version, summary, parameters } of recipes) yield `| [${id}](#${id}) | ${version} | ${markdownText(summary)} | ${parameters.map(({ name }) => name).join(', ') || ' '} |\n`;
  for (const recipe of recipes) yield section(recipe);
}

function section(recipe: Recipe): string {
  const { id, version, schemaVersion, summary, parameters, timeoutSeconds } = recipe;
  return [
    `\n## ${id}\n`,
    `${markdownText(summary)}.\n`,
    `- Script: [${scriptFile(recipe)}](${SCRIPTS}/${scriptFile(recipe)}), version ${version}`,
    `- Document: [${id}.schema.json](${SCHEMAS}/${id}.schema.json), \`schemaVersion\` ${schemaVersion}`,
    `- Time on a node: ${durationText(timeoutSeconds)} at most, unless --timeout says otherwise`,
    ...parameters.map(({ name, default: value, minimum, maximum, summary: what }) => `- \`--param ${name}=${value}\`: ${markdownText(what)} (${minimum} to ${maximum})`),
    '',
  ].join('\n');
}
