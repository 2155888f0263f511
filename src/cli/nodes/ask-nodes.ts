/** `kubectl win nodes --deep`. */
import { deepFactsOf, deepNodes, nodesToAsk, type DeepFacts } from '../../app/deep-nodes.ts';
import type { RecipeReport } from '../../app/hostprocess/recipe-report.ts';
import { isSuccess } from '../../domain/hostprocess/outcome.ts';
import { NODE_FACTS } from '../../domain/hostprocess/recipes/index.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import { ClusterError } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { failureText, remedyLines } from '../../output/progress/exec-lines.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { OpenedCluster } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { confirmRun } from '../hostprocess/confirm.ts';
import { execProgressLook } from '../hostprocess/exec-progress.ts';
import { NodeOutputs } from '../hostprocess/node-streams.ts';
import { runSurroundings } from '../hostprocess/run-surroundings.ts';
import { showProgress } from '../progress.ts';
import type { DeepRequest } from './nodes-request.ts';
import type { NodesCommand } from './print-nodes.ts';

/** Of each node; a document of facts is some 20 KB. */
const MOST_BYTES = 4 * 2 ** 20;

export interface AskedNodes {
  readonly facts: ReadonlyMap<string, DeepFacts>;
  readonly exitCode: number;
}

/** What the nodes say of themselves. Where they cannot be asked the list is printed all the same, and the error is said here. */
export async function askNodes(command: NodesCommand, { pod, ...run }: DeepRequest, nodes: readonly WindowsNode[], { reader, writer, exec }: OpenedCluster): Promise<AskedNodes> {
  const names = nodesToAsk(nodes);
  if (names.length === 0) return { facts: new Map(), exitCode: EXIT_CODES.ok };
  const { context, signal, flags } = command;
  const settings = await command.settings();
  const { confirmAbove } = settings.hostProcess;
  const text = await context.ports.loadRecipe(NODE_FACTS);
  const outputs = new NodeOutputs({ mode: 'captured', nodes: names, stdout: command.stdout, stderr: command.stderr, maxOutputBytes: MOST_BYTES, stdin: () => null, session: null, transcript: null, onStart: () => undefined });
  const records = await context.ports.openLocalRuns(context, (notice) => command.note(`note: ${visibleControls(notice)}`));
  let report: RecipeReport | null = null;
  let isDeclined = false;
  let progress = await showProgress(context, execProgressLook());
  const steps = deepNodes(names, {
    ...run, anchor: 'auto', batchSize: null, batchPauseSeconds: 0, maxFailures: null, dryRun: 'none', recipe: NODE_FACTS, text,
    ...runSurroundings(command, settings, { pod, what: 'nodes --deep', reason: null }),
    confirm: async (plan) => {
      progress.stop();
      isDeclined = !(await confirmRun(plan, { confirmAbove, isAnswered: flags.yes, runAsUserName: pod.runAsUserName, what: `the recipe ${NODE_FACTS.id}`, stdinUsedBy: null }, context));
      if (!isDeclined) progress = await showProgress(context, execProgressLook());
      return !isDeclined;
    },
  }, { reader, writer, exec, records, clock: { now: () => context.clock.now(), sleep: context.ports.sleep }, streamsOf: outputs.streamsOf, outputsOf: (node) => outputs.keptOf(node) }, (one) => {
    report = one;
  });
  let failure: ClusterError | null = null;
  try {
    for await (const step of steps) progress.take(step);
  } catch (error) {
    if (signal.aborted || !(error instanceof ClusterError)) throw error;
    failure = error;
  } finally {
    progress.stop();
  }
  return told(command, { names, report, failure, isDeclined });
}

function told(command: NodesCommand, { names, report, failure, isDeclined }: { readonly names: readonly string[]; readonly report: RecipeReport | null; readonly failure: ClusterError | null; readonly isDeclined: boolean }): AskedNodes {
  if (isDeclined) {
    command.note('The nodes were not asked');
    return { facts: new Map(), exitCode: EXIT_CODES.found };
  }
  const items = report?.items ?? [];
  const facts = new Map(deepFactsOf(items));
  if (failure !== null) {
    const { message, reason } = failure;
    for (const name of names) if ((facts.get(name)?.facts ?? null) === null) facts.set(name, { facts: null, error: { reason: reason === 'Forbidden' ? 'Forbidden' : 'Unknown', message } });
    return { facts, exitCode: command.report(failure) };
  }
  for (const { node, outcome } of items) {
    const text = outcome === null ? null : failureText(outcome);
    if (text !== null) command.note(visibleControls(`${node}  ${text}`));
  }
  for (const line of remedyLines(items)) command.note(line);
  const incomplete = [...facts.values()].filter(({ facts: known }) => (known?.problems.length ?? 0) > 0).length;
  if (incomplete > 0) command.note(`note: ${counted(incomplete, 'node')} could not read all of it; -o json says why`);
  return { facts, exitCode: items.every(({ outcome }) => outcome !== null && isSuccess(outcome)) ? EXIT_CODES.ok : EXIT_CODES.found };
}
