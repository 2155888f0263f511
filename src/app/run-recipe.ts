/** `kubectl win hostprocess run`: a recipe on nodes, as any command, and the document of each. */
import type { Recipe } from '../domain/hostprocess/recipes/recipe.ts';
import { isSuccess } from '../domain/hostprocess/outcome.ts';
import { execOnNodes, type ExecCluster, type ExecOptions, type ExecStep } from './exec-on-nodes.ts';
import { recipeItem, type RecipeOutputs, type RecipeReport } from './hostprocess/recipe-report.ts';

export type RecipeOptions = Omit<ExecOptions, 'command' | 'keepSeconds' | 'reuse'> & {
  readonly recipe: Recipe;
  /** Of loadRecipe. */
  readonly text: string;
  readonly parameters: Readonly<Record<string, number>>;
};

export interface RecipeCluster extends ExecCluster {
  /** What the streams of a node have kept, once it has ended. */
  readonly outputsOf: (node: string) => RecipeOutputs;
}

/** Yields what happens; `onReport` gets the report at the end, also of a run that is interrupted. Throws as execOnNodes does. */
export async function* runRecipe(options: RecipeOptions, cluster: RecipeCluster, onReport: (report: RecipeReport) => void): AsyncGenerator<ExecStep, void, undefined> {
  const { recipe, text, parameters, ...run } = options;
  const named = { name: recipe.id, version: recipe.version, text, arguments: parameters };
  yield* execOnNodes({ ...run, command: { shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', named } }, cluster, (report) => {
    const items = report.items.map((item) => recipeItem(recipe, item, cluster.outputsOf(item.node)));
    const hasFailed = report.phase === 'succeeded' && items.some(({ outcome }) => outcome === null || !isSuccess(outcome));
    onReport({ ...report, phase: hasFailed ? 'failed' : report.phase, items, recipe: { id: recipe.id, version: recipe.version, schemaVersion: recipe.schemaVersion }, parameters });
  });
}
