import type { DeepFacts } from '../../app/deep-nodes.ts';
import type { ListNodesOptions } from '../../app/list-nodes.ts';
import type { ClusterReader } from '../../app/ports.ts';
import { type ListedNode, type NodesOutcome, reportNodes } from '../../app/report-nodes.ts';
import type { AppError } from '../../errors.ts';
import { renderBoxed } from '../../output/boxed.ts';
import { sortItems } from '../../output/sort-by.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { View } from '../../output/view.ts';
import { nodeComparisonView } from '../../output/views/node-comparison.ts';
import { nodeGroupsView } from '../../output/views/node-groups.ts';
import { nodeImagesView } from '../../output/views/node-images.ts';
import { explainIssues, groupIssues } from '../../output/views/node-issues.ts';
import { type NodesViewOptions, nodeDocument, nodesFooter, nodesView } from '../../output/views/nodes.ts';
import { nodesPrometheus } from '../../output/views/nodes-prometheus.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand, OpenedCluster } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { nodesFlags } from './nodes-flags.ts';
import type { NodesRequest } from './nodes-request.ts';

export type NodesCommand = BaseCommand<{ readonly flags: typeof nodesFlags }>;

/** Width of explanations where neither a terminal nor COLUMNS says it, in columns. */
const READABLE_WIDTH = 120;

/** Reads one or several clusters, prints what was asked for, and gives the exit code. */
export async function printNodes(command: NodesCommand, request: NodesRequest): Promise<number> {
  const { outcome, deepCode } = await withDeepFacts(command, request, await readOutcome(command, request));
  const forPeople = request.format.name === 'table' || request.format.name === 'wide';
  // nothing of what was named is there: the errors below say all, as with kubectl get
  const isNothing = outcome.listed.length === 0 && outcome.failures.length > 0 && request.list.names.length > 0 && outcome.comparison === null;
  if (!isNothing) await writeView(command, request, outcome);
  if (command.flags['show-issues'] && forPeople) await writeIssues(command, outcome);
  if (forPeople) {
    for (const note of outcome.notes) command.note(`note: ${visibleControls(note)}`);
    if (outcome.listed.length > 0 && !command.flags['no-headers']) command.note(nodesFooter(outcome.listed.map(({ node }) => node), outcome.reports.reduce((sum, report) => sum + report.hiddenLinux, 0)));
  }
  const failureCode = outcome.failures.map(({ context, error }) => reportFailure(command, context, error)).at(-1);
  for (const reason of [...outcome.gate.reasons, ...outcome.gate.notEvaluated]) command.note(`--fail-on: ${reason}`);
  return failureCode ?? (outcome.gate.failed ? EXIT_CODES.found : deepCode);
}

/** Asks the nodes themselves with --deep. */
async function withDeepFacts(command: NodesCommand, { deep }: NodesRequest, { outcome, cluster }: ReadNodes): Promise<{ readonly outcome: NodesOutcome; readonly deepCode: number }> {
  if (deep === null || cluster === null) return { outcome, deepCode: EXIT_CODES.ok };
  const { askNodes } = await import('./ask-nodes.ts');
  const { facts, exitCode } = await askNodes(command, deep, outcome.listed.map(({ node }) => node), cluster);
  return { outcome: { ...outcome, listed: outcome.listed.map((item) => ({ ...item, deep: facts.get(item.node.name) ?? NOT_ASKED })) }, deepCode: exitCode };
}

const NOT_ASKED: DeepFacts = { facts: null, error: null };

/** The options of a use case: what was typed, the user's settings, and the day to judge by, which an inventory brings along. */
export async function dated(command: NodesCommand, list: NodesRequest['list']): Promise<ListNodesOptions> {
  const settings = await command.settings();
  return { ...list, signal: command.signal, describe: { asOf: command.now(), overrides: settings.lifecycle, poolLabels: settings.poolLabels } };
}

interface ReadNodes {
  readonly outcome: NodesOutcome;
  /** null: several were read. */
  readonly cluster: OpenedCluster | null;
}

async function readOutcome(command: NodesCommand, request: NodesRequest): Promise<ReadNodes> {
  const { flags } = command;
  const contexts = flags.contexts.length === 0 ? [null] : flags.contexts;
  // one cluster is opened first: it may be an inventory, whose day is the one to judge by
  const cluster = contexts.length === 1 ? await command.openCluster(contexts[0] ?? undefined) : null;
  const clusters = contexts.map((context) => ({ context, open: async (): Promise<ClusterReader> => cluster?.reader ?? command.openReader(context ?? undefined) }));
  const earlier = flags.compare === undefined ? null : await openEarlier(command, flags.compare);
  try {
    const outcome = await reportNodes({
      list: await dated(command, request.list), withIssue: request.withIssue, groupBy: request.groupBy, showImages: flags['show-images'],
      gate: { failOn: request.failOn, failOnUnchanged: request.failOnUnchanged },
    }, clusters, earlier);
    return { outcome, cluster };
  } finally {
    await earlier?.close();
  }
}

/** The recording that --compare names. */
async function openEarlier(command: NodesCommand, file: string): Promise<ClusterReader> {
  const { reader } = await command.context.ports.openReader(
    { connection: command.connectionFlags(), inventory: [file], verbosity: command.verbosity, onWarning: () => undefined, onNotice: () => undefined, onTrace: () => undefined, stdinUsedBy: null },
    command.context,
  );
  return reader;
}

function reportFailure(command: NodesCommand, context: string | null, error: AppError): number {
  if (context !== null) command.note(`context ${visibleControls(context)}:`);
  return command.report(error);
}

/** What the columns and the document of nodes are made by. */
export function viewOptionsOf(command: NodesCommand): NodesViewOptions {
  const { flags } = command;
  return {
    now: command.now(), generatedAt: command.context.clock.now(), toolVersion: command.context.version, labelColumns: flags['label-columns'],
    showLabels: flags['show-labels'], showAgents: flags['show-agents'], showDeep: flags.deep, showOs: flags['all-os'], showContext: flags.contexts.length > 0,
  };
}

async function writeView(command: NodesCommand, request: NodesRequest, outcome: NodesOutcome): Promise<void> {
  const options = viewOptionsOf(command);
  if (request.format.name === 'prometheus') {
    await writeOut(command.stdout, [nodesPrometheus(outcome.listed, { showContext: options.showContext })]);
    return;
  }
  const { format } = request;
  const { comparison, groups, images, listed } = outcome;
  const nodes = (items: NodesOutcome['listed']): View<ListedNode> => nodesView({ ...outcome, listed: items }, options);
  const { document } = nodes(listed);
  if (comparison !== null) await command.print(sorted(command, comparison, (items) => nodeComparisonView(items, document)), format);
  else if (groups !== null && format.name !== 'name') await command.print(sorted(command, groups, (items) => nodeGroupsView(items, document)), format);
  else if (images !== null) await command.print(sorted(command, images, (items) => nodeImagesView(items, listed.length, document)), format);
  else await command.print(sorted(command, listed, nodes, nodeDocument), format);
}

/** The view of the items in the order of --sort-by, which names columns of that very view or, with `documentOf`, fields of its documents. */
function sorted<Item>(command: NodesCommand, items: readonly Item[], viewOf: (items: readonly Item[]) => View<Item>, documentOf?: (item: Item) => unknown): View<Item> {
  const sortBy = command.flags['sort-by'];
  return viewOf(sortBy === undefined || sortBy === '' ? items : sortItems(items, sortBy, viewOf(items).columns, documentOf));
}

async function writeIssues(command: NodesCommand, outcome: NodesOutcome): Promise<void> {
  const groups = groupIssues(outcome.listed.map(({ node }) => node));
  if (groups.length === 0) return;
  const { headers, rows, references } = explainIssues(groups);
  const width = command.stdout.columns ?? (Number(command.context.env['COLUMNS']) || READABLE_WIDTH);
  const box = await renderBoxed({ headers, rows }, { terminalWidth: width });
  await writeOut(command.stdout, ['\n', box, ...references.map((line) => `${visibleControls(line)}\n`)]);
}
