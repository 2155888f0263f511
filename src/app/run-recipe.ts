/** `kubectl win hostprocess run`: a recipe on nodes, as any command, and the document of each. */
import { planTransport } from '../domain/hostprocess/command/plan-transport.ts';
import type { Recipe } from '../domain/hostprocess/recipes/recipe.ts';
import { isSuccess, notBegun } from '../domain/hostprocess/outcome.ts';
import { execOnNodes, type ExecCluster, type ExecOptions, type ExecStep } from './exec-on-nodes.ts';
import { CopyNode, type OpenSink } from './hostprocess/copy/copy-node.ts';
import { fetchFiles, filesToFetch, leftText, type FetchedFiles } from './hostprocess/fetch-files.ts';
import { recipeItem, type RecipeOutputs, type RecipeReport } from './hostprocess/recipe-report.ts';
import type { LocalTree } from './ports.ts';

export type RecipeOptions = Omit<ExecOptions, 'command' | 'keepSeconds' | 'reuse'> & {
  readonly recipe: Recipe;
  /** Of loadRecipe. */
  readonly text: string;
  readonly parameters: Readonly<Record<string, number>>;
};

export interface RecipeCluster extends Omit<ExecCluster, 'work'> {
  /** What the streams of a node have kept, once it has ended. */
  readonly outputsOf: (node: string) => RecipeOutputs;
  /** Where the files go that recipe logs has named; absent: they stay on the nodes. */
  readonly fetch?: { readonly openFolder: () => Promise<LocalTree>; readonly openSink: OpenSink; readonly platform: string };
}

/** Yields what happens; `onReport` gets the report at the end, also of a run that is interrupted. Throws as execOnNodes does, and InputError for local files. */
export async function* runRecipe(options: RecipeOptions, { outputsOf, fetch, ...cluster }: RecipeCluster, onReport: (report: RecipeReport) => void): AsyncGenerator<ExecStep, void, undefined> {
  const { recipe, text, parameters, ...run } = options;
  const named = { name: recipe.id, version: recipe.version, text, arguments: parameters };
  const command: ExecOptions['command'] = { shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', named };
  const fetched = new Map<string, FetchedFiles>();
  const work = fetch === undefined ? undefined : workWith(fetch, { options, command, cluster: { ...cluster, outputsOf }, fetched });
  yield* execOnNodes({ ...run, command }, { ...cluster, ...(work === undefined ? {} : { work }) }, (report) => {
    const items = report.items.map((item) => ({ ...recipeItem(recipe, item, outputsOf(item.node)), fetched: fetched.get(item.node) ?? null }));
    const hasFailed = report.phase === 'succeeded' && items.some(({ outcome }) => outcome === null || !isSuccess(outcome));
    onReport({ ...report, phase: hasFailed ? 'failed' : report.phase, items, recipe: { id: recipe.id, version: recipe.version, schemaVersion: recipe.schemaVersion }, parameters });
  });
}

/** The recipe, and in the same pod the files that it has named. */
function workWith(
  { openFolder, openSink, platform }: NonNullable<RecipeCluster['fetch']>,
  { options, command, cluster, fetched }: { readonly options: RecipeOptions; readonly command: ExecOptions['command']; readonly cluster: Pick<RecipeCluster, 'streamsOf' | 'outputsOf' | 'clock'>; readonly fetched: Map<string, FetchedFiles> },
): NonNullable<ExecCluster['work']> {
  const { recipe, parameters, timeoutSeconds, newNonce } = options;
  return async (session, node, { signal, note }) => {
    const transport = planTransport({ ...command, nonce: newNonce() });
    if ('refused' in transport) return notBegun({ reason: 'Refused', message: transport.refused });
    const begunAt = cluster.clock.now().getTime();
    const opened = cluster.streamsOf(node);
    const outcome = await session.run(transport, opened.streams, { timeoutSeconds }, signal, note);
    await opened.end(outcome);
    const { data } = recipeItem(recipe, { node, pod: null, outcome }, cluster.outputsOf(node));
    if (data === null || !isSuccess(outcome)) return outcome;
    // what is left of the time that the pod has
    const spentSeconds = (cluster.clock.now().getTime() - begunAt) / 1000;
    const copying = new CopyNode(session, { openSink, newNonce, clock: cluster.clock, timeoutSeconds: Math.max(1, timeoutSeconds - spentSeconds), signal, note });
    const tree = await openFolder();
    try {
      const files = await fetchFiles(copying, filesToFetch(data, parameters['minutes'] ?? 0), { tree, folder: node, platform });
      fetched.set(node, files);
      const durationSeconds = (cluster.clock.now().getTime() - begunAt) / 1000;
      return { ...outcome, durationSeconds, error: files.problem === null ? null : { reason: 'OutputUnreadable', message: `not all log files are there: ${files.problem}${leftText(files.left)}` } };
    } finally {
      await tree.close();
    }
  };
}
