import { RECIPES, findRecipe } from '../../domain/hostprocess/recipes/index.ts';
import { readParameters, type Recipe } from '../../domain/hostprocess/recipes/recipe.ts';
import { UsageError } from '../../errors.ts';
import { parseOutputFormat, type OutputFormat, type ReadTextFile } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { secondsOf } from '../duration.ts';
import { nearest } from '../suggest.ts';
import { EXEC_FORMATS } from './exec-flags.ts';
import type { recipeFlags } from './recipe-flags.ts';
import { maxOutputOf, readNodesRequest, readPodRequest, readRunRequest, refuseUnclearNodes, refuseUnclearRun, type NodesRequest, type PodRequest, type RunRequest } from './run-request.ts';

export type RecipeFlags = FlagsOf<{ readonly flags: typeof recipeFlags }>;

/** `kubectl win hostprocess run` as it was typed, checked before anything is read. */
export interface RecipeCommandLine {
  readonly recipe: Recipe;
  readonly parameters: Readonly<Record<string, number>>;
  readonly format: OutputFormat | { readonly name: 'jsonl' };
  readonly maxOutputBytes: number;
  /** Kubelets are asked, and no pod is made. */
  readonly isByKubelet: boolean;
  /** Folder for what comes; null for none. */
  readonly to: string | null;
  /** File, or `-`. */
  readonly failedOf: string | null;
  readonly reason: string | null;
  readonly pod: PodRequest;
  readonly nodes: NodesRequest;
  readonly run: RunRequest;
}

/** For the log files, too. */
const FETCH_SECONDS = 30 * 60;

/** Reads the arguments and flags; throws UsageError for what does not fit together. */
export function readRecipeRequest([id, ...nodes]: readonly string[], flags: RecipeFlags, readFile: ReadTextFile): RecipeCommandLine {
  const recipe = recipeOf(id);
  refuseUnclearNodes(nodes, flags, 'kubectl win nodes lists them');
  refuseUnclearRun(flags);
  if (flags['failed-of'] === '-' && flags.inventory.includes('-')) throw new UsageError('--failed-of - and --inventory - cannot be used together: standard input is read once');
  if (flags.to === '') throw new UsageError('--to needs the name of a folder');
  const isByKubelet = flags.via === 'kubelet';
  if (isByKubelet && recipe.id !== 'logs') throw new UsageError(`--via=kubelet reads logs alone, not ${recipe.id}`, { suggestions: ['kubectl win hostprocess run logs --via=kubelet'] });
  const paced = flags['batch-size'] !== 0 ? '--batch-size' : flags['max-failures'] !== undefined ? '--max-failures' : null;
  if (isByKubelet && paced !== null) throw new UsageError(`--via=kubelet and ${paced} cannot be used together: nothing is run on nodes`);
  for (const text of flags.param) if (text.includes('\u{fffd}') || !text.isWellFormed()) throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--param" flag: holds bytes that are no UTF-8, or U+FFFD, which stands for such`);
  const parameters = readParameters(recipe, flags.param);
  if (typeof parameters === 'string') throw new UsageError(`invalid argument for "--param" flag: ${parameters}`);
  return {
    recipe, parameters,
    nodes: readNodesRequest(nodes, flags, 'NODE, node/NAME, pod/NAME or pod/NAMESPACE/NAME, behind the name of the recipe'),
    format: flags.output === 'jsonl' ? { name: 'jsonl' } : parseOutputFormat(flags.output ?? '', readFile, EXEC_FORMATS),
    maxOutputBytes: maxOutputOf(flags['max-output']),
    isByKubelet,
    to: flags.to ?? null,
    failedOf: flags['failed-of'] ?? null,
    reason: flags.reason ?? null,
    pod: readPodRequest(flags),
    run: { ...readRunRequest({ ...flags, via: isByKubelet ? 'exec' : flags.via }), timeoutSeconds: flags.timeout === undefined ? Math.max(recipe.timeoutSeconds, recipe.id === 'logs' && flags.to !== undefined ? FETCH_SECONDS : 0) : secondsOf(flags.timeout, 'timeout') },
  };
}

/** Throws UsageError, with the names that there are. */
export function recipeOf(id: string | undefined): Recipe {
  const names = RECIPES.map((recipe) => recipe.id as string);
  if (id === undefined) throw new UsageError('no recipe is named', { suggestions: [`one of ${names.join(', ')}`, '--list says what each reads'] });
  const recipe = findRecipe(id);
  if (recipe !== undefined) return recipe;
  const near = nearest(id, names);
  throw new UsageError(`there is no recipe ${JSON.stringify(id)}`, { suggestions: [...(near === null ? [] : [`did you mean ${near}?`]), `there are ${names.join(', ')}`] });
}
