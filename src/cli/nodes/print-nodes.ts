import { type ListNodesOptions, type NodeReport, listNodes } from '../../app/list-nodes.ts';
import { compareNodes } from '../../domain/node/compare-nodes.ts';
import { groupNodes } from '../../domain/node/group-nodes.ts';
import { type NodeImage, gatherImages, imagesOf } from '../../domain/node/node-images.ts';
import { type KubeObject, nameOf } from '../../domain/kubernetes/object.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import { AppError } from '../../errors.ts';
import { renderBoxed } from '../../output/boxed.ts';
import type { OutputFormat } from '../../output/print.ts';
import { sortItems } from '../../output/sort-by.ts';
import type { View } from '../../output/view.ts';
import { nodeComparisonView } from '../../output/views/node-comparison.ts';
import { nodeGroupsView } from '../../output/views/node-groups.ts';
import { nodeImagesView } from '../../output/views/node-images.ts';
import { explainIssues, groupIssues } from '../../output/views/node-issues.ts';
import { type NodeRow, type NodesViewOptions, nodeDocument, nodeRows, nodesFooter, nodesView } from '../../output/views/nodes.ts';
import { nodesPrometheus } from '../../output/views/nodes-prometheus.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { nodesFlags } from './nodes-flags.ts';
import type { NodesRequest } from './nodes-request.ts';

/** What a request says; the day to judge by is known once the inventory is open. */
type UndatedOptions = Omit<ListNodesOptions, 'describe' | 'signal'>;

/** Width of explanations that no terminal limits, in columns. */
const READABLE_WIDTH = 120;

export type NodesCommand = BaseCommand<{ readonly flags: typeof nodesFlags }>;

/** Reads one or several clusters, prints what was asked for, and gives the exit code. */
export async function printNodes(command: NodesCommand, request: NodesRequest): Promise<number> {
  const { flags } = command;
  const images = new Map<string, readonly NodeImage[]>();
  const list = flags['show-images'] ? { ...request.list, onRawNodes: async (raws: readonly KubeObject[]) => raws.forEach((raw) => images.set(nameOf(raw), imagesOf(raw))) } : request.list;
  const { reports, failures } = await readClusters(command, list);
  const rows = sorted(reports.flatMap(nodeRows).filter(({ node }) => request.withIssue === null || node.issues.some(request.withIssue)), reports, command);
  const nodes = rows.map(({ node }) => node);
  const before = flags.compare === undefined ? null : await readEarlier(command, flags.compare, request.list);
  const comparison = before === null ? null : compareNodes(before, nodes);

  // nothing of what was named is there: the errors below say all, as with kubectl get
  const isNothing = rows.length === 0 && failures.length > 0 && request.list.names.length > 0 && comparison === null;
  if (!isNothing) await writeView(command, request, reports, rows, { images, comparison });
  if (flags['show-issues'] && isForPeople(request.format)) await writeIssues(command, nodes);
  if (request.format.name === 'table' || request.format.name === 'wide') {
    for (const note of new Set(reports.flatMap((report) => report.notes))) command.note(`note: ${note}`);
    if (rows.length > 0 && !flags['no-headers']) command.note(nodesFooter(nodes, reports.reduce((sum, report) => sum + report.hiddenLinux, 0)));
  }
  const failureCode = failures.map((failure) => command.report(failure)).at(-1);

  const unchanged = request.failOnUnchanged && comparison?.some(({ change }) => change === 'unchanged') === true;
  const failing = request.failOn !== null && nodes.some((node) => node.issues.some(request.failOn ?? (() => false)));
  return failureCode ?? (unchanged || failing ? EXIT_CODES.found : EXIT_CODES.ok);
}

/** The options of a use case: what was typed, the user's settings, and the day to judge by. */
export async function dated(command: NodesCommand, list: UndatedOptions): Promise<ListNodesOptions> {
  const settings = await command.settings();
  return { ...list, signal: command.signal, describe: { asOf: command.now(), overrides: settings.lifecycle, poolLabels: settings.poolLabels } };
}

/** A context that cannot be read does not keep the others from being shown; when none can, the first error is thrown. */
async function readClusters(command: NodesCommand, list: UndatedOptions): Promise<{ reports: readonly NodeReport[]; failures: readonly AppError[] }> {
  const contexts = command.flags.contexts;
  if (contexts.length === 0) {
    const reader = await command.openReader();
    const report = await listNodes(await dated(command, list), reader);
    return { reports: [report], failures: report.failures };
  }
  const results = await Promise.allSettled(contexts.map(async (context) => {
    const reader = await command.openReader(context);
    return listNodes(await dated(command, list), reader);
  }));
  const reports = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failures = results.flatMap((result): AppError[] => (result.status === 'rejected' ? [asAppError(result.reason)] : [...result.value.failures]));
  const [first] = failures;
  if (reports.length === 0 && first !== undefined) throw first;
  return { reports, failures };
}

/** Anything else is a defect, and ends the command as one. */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** The nodes of the recording that --compare names, judged as the present ones. */
async function readEarlier(command: NodesCommand, file: string, list: UndatedOptions): Promise<readonly WindowsNode[]> {
  const { reader } = await command.context.ports.openReader(
    { connection: command.connectionFlags(), inventory: [file], kubernetesVersion: null, stdinUsedBy: null, verbosity: command.verbosity, onWarning: () => undefined, onNotice: () => undefined, onTrace: () => undefined },
    command.context,
  );
  try {
    // names that are new since then are no fault of the recording
    const report = await listNodes({ ...(await dated(command, list)), names: [], withPods: false }, reader);
    return list.names.length === 0 ? report.nodes : report.nodes.filter((node) => list.names.includes(node.name));
  } finally {
    await reader.close();
  }
}

function viewOptions(command: NodesCommand): NodesViewOptions {
  const { flags } = command;
  return {
    now: command.now(), toolVersion: command.context.version, labelColumns: flags['label-columns'], showLabels: flags['show-labels'],
    showAgents: flags['show-agents'], showOs: flags['all-os'], showContext: flags.contexts.length > 0,
  };
}

function sorted(rows: readonly NodeRow[], reports: readonly NodeReport[], command: NodesCommand): readonly NodeRow[] {
  const sortBy = command.flags['sort-by'];
  if (sortBy === undefined || sortBy === '') return rows;
  return sortItems(rows, sortBy, nodesView(reports, rows, viewOptions(command)).columns, nodeDocument);
}

async function writeView(
  command: NodesCommand, request: NodesRequest, reports: readonly NodeReport[], rows: readonly NodeRow[],
  beside: { readonly images: ReadonlyMap<string, readonly NodeImage[]>; readonly comparison: ReturnType<typeof compareNodes> | null },
): Promise<void> {
  const nodes = rows.map(({ node }) => node);
  if (request.format.name === 'prometheus') {
    await writeOut(command.stdout, [nodesPrometheus(nodes)]);
    return;
  }
  const view = nodesView(reports, rows, viewOptions(command));
  const document = (): Record<string, unknown> => ({ ...view.document() });
  const print = async <Item>(other: View<Item>): Promise<void> => command.print(other, request.format as OutputFormat); // prometheus has returned above
  if (beside.comparison !== null) await print(nodeComparisonView(beside.comparison, document));
  else if (request.groupBy !== null) await print(nodeGroupsView(groupNodes(nodes, request.groupBy), document));
  else if (command.flags['show-images']) {
    const shown = new Map([...beside.images].filter(([name]) => nodes.some((node) => node.name === name)));
    await print(nodeImagesView(gatherImages(shown), nodes.length, document));
  } else await print(view);
}

function isForPeople(format: NodesRequest['format']): boolean {
  return format.name === 'table' || format.name === 'wide';
}

async function writeIssues(command: NodesCommand, nodes: readonly WindowsNode[]): Promise<void> {
  const groups = groupIssues(nodes);
  if (groups.length === 0) return;
  const { headers, rows, references } = explainIssues(groups);
  const box = await renderBoxed({ headers, rows }, { terminalWidth: command.stdout.columns ?? READABLE_WIDTH });
  await writeOut(command.stdout, ['\n', box, ...references.map((line) => `${visibleControls(line)}\n`)]);
}
