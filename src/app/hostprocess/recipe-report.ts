/** What a run of a recipe has brought, as data. */
import type { KeptOutput } from '../../domain/hostprocess/fold.ts';
import { readRecipeOutput, type RecipeDocument } from '../../domain/hostprocess/recipes/read-output.ts';
import type { Recipe } from '../../domain/hostprocess/recipes/recipe.ts';
import type { ExecItem, ExecReport } from './exec-report.ts';
import type { FetchedFiles } from './fetch-files.ts';

export interface RecipeItem extends ExecItem {
  /** What the script has printed; null where it has not run, or its document cannot be read. */
  readonly data: RecipeDocument | null;
  /** What came on stderr; null for nothing. */
  readonly stderr: string | null;
  /** Files that were brought from the node; null, or absent, where none were to be. */
  readonly fetched?: FetchedFiles | null;
}

export type RecipeReport = Omit<ExecReport, 'items'> & {
  readonly recipe: Pick<Recipe, 'id' | 'version' | 'schemaVersion'>;
  readonly parameters: Readonly<Record<string, number>>;
  readonly items: readonly RecipeItem[];
};

export interface RecipeOutputs {
  readonly stdout: KeptOutput | null;
  readonly stderr: KeptOutput | null;
}

/** An item with the document of its node. A script that ended well and left none has failed all the same. */
export function recipeItem(recipe: Recipe, item: ExecItem, outputs: RecipeOutputs): RecipeItem {
  const stderr = outputs.stderr?.text?.trim() ?? '';
  const shown = { ...item, stderr: stderr === '' ? null : stderr };
  const { outcome } = item;
  // nothing ran there, or not yet
  if (outcome === null || outputs.stdout === null) return { ...shown, data: null };
  const read = readOutput(recipe, outputs.stdout);
  if ('data' in read) return { ...shown, data: read.data };
  return { ...shown, data: null, outcome: outcome.error === null && outcome.exitCode === 0 ? { ...outcome, error: { reason: 'OutputUnreadable', message: read.problem } } : outcome };
}

function readOutput(recipe: Recipe, { text, isTruncated, sizeBytes }: KeptOutput): ReturnType<typeof readRecipeOutput> {
  if (isTruncated) return { problem: `recipe ${recipe.id} has printed ${sizeBytes} bytes, more than are kept (--max-output)` };
  if (text === null) return { problem: `recipe ${recipe.id} has printed bytes that are not UTF-8` };
  return readRecipeOutput(recipe, text);
}
