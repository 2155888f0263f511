import type { NodeReport } from '../../app/list-nodes.ts';
import { formatAge } from '../../domain/kubernetes/age.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { bySeverity } from '../../domain/node/order-issues.ts';
import { NO_PODS, type NodePods } from '../../domain/node/node-pods.ts';
import type { NodeIssue, WindowsNode } from '../../domain/node/windows-node.ts';
import type { CellTone, Column, View } from '../view.ts';

const UNKNOWN = '<unknown>';

/** A node with what was read beside it. */
export interface NodeRow {
  readonly node: WindowsNode;
  /** null = pods were not read. */
  readonly pods: NodePods | null;
  /** kubeconfig context the node was read from; null for files. */
  readonly context: string | null;
}

export interface NodesViewOptions {
  /** For ages and `generatedAt`. */
  readonly now: Date;
  readonly toolVersion: string;
  /** kubectl's -L: a column per label. */
  readonly labelColumns: readonly string[];
  /** kubectl's --show-labels. */
  readonly showLabels: boolean;
  readonly showAgents: boolean;
  /** Add the OS column: the list is not of Windows nodes alone. */
  readonly showOs: boolean;
  /** Add the CONTEXT column: the list is of several clusters. */
  readonly showContext: boolean;
}

/** The table and the WindowsNodeList document of `kubectl win nodes`; one report per cluster. */
export function nodesView(reports: readonly NodeReport[], rows: readonly NodeRow[], options: NodesViewOptions): View<NodeRow> {
  const hiddenLinux = sum(reports.map((report) => report.hiddenLinux));
  return {
    columns: nodeColumns(options),
    items: rows,
    document: () => nodeListDocument(reports, rows, options),
    nameOf: ({ node }) => `node/${node.name}`,
    emptyMessage: hiddenLinux === 0 ? 'No resources found' : `No Windows nodes found (${hiddenLinux} Linux ${plural('node', hiddenLinux)} not shown; --all-os shows them)`,
  };
}

/** The nodes of a report as rows. */
export function nodeRows(report: NodeReport): readonly NodeRow[] {
  return report.nodes.map((node) => nodeRow(node, report));
}

export function nodeRow(node: WindowsNode, report: Pick<NodeReport, 'pods' | 'source'>): NodeRow {
  return { node, pods: report.pods === null ? null : report.pods.get(node.name) ?? NO_PODS, context: report.source.context };
}

/** Columns in the order they print; the wide ones after the rest, as kubectl's. */
export function nodeColumns(options: Omit<NodesViewOptions, 'toolVersion'>): readonly Column<NodeRow>[] {
  const ofNode = (column: Column<WindowsNode>): Column<NodeRow> => {
    const { tone } = column;
    return { ...column, value: ({ node }) => column.value(node), ...(tone === undefined ? {} : { tone: ({ node }: NodeRow) => tone(node) }) } as Column<NodeRow>; // `tone` is replaced where it stands
  };
  const columns: readonly Column<WindowsNode>[] = [
    { header: 'NAME', value: (node) => node.name },
    { header: 'STATUS', value: (node) => node.status, tone: statusTone },
    ...(options.showOs ? [{ header: 'OS', value: (node: WindowsNode) => node.os ?? UNKNOWN }] : []),
    { header: 'RELEASE', value: (node) => forWindows(node, node.release), tone: (node) => issueTone(node, ['NOD-001', 'NOD-002']) },
    { header: 'BUILD', value: (node) => forWindows(node, buildText(node)) },
    { header: 'PATCH', value: (node) => forWindows(node, patchText(node)), tone: (node) => issueTone(node, ['NOD-006']) },
    { header: 'POOL', value: (node) => node.pool ?? '' },
    { header: 'KUBELET', value: (node) => node.kubeletVersion ?? UNKNOWN, tone: (node) => issueTone(node, ['NOD-004']) },
    { header: 'RUNTIME', value: runtimeText, tone: (node) => issueTone(node, ['NOD-003']) },
    { header: 'AGE', value: (node) => (node.createdAt === null ? UNKNOWN : formatAge(node.createdAt, options.now)) },
    { header: 'ISSUES', value: issuesText, tone: worstTone },
    ...options.labelColumns.map((key): Column<WindowsNode> => ({ header: (key.split('/').at(-1) ?? key).toUpperCase(), value: (node) => node.labels[key] ?? '' })),
    { header: 'OS-IMAGE', wide: true, value: (node) => node.osImage ?? UNKNOWN },
    { header: 'CAN-RUN', wide: true, value: (node) => forWindows(node, node.canRun === null ? null : node.canRun.join(',')) },
    { header: 'SUPPORT-ENDS', wide: true, value: (node) => forWindows(node, supportText(node)), tone: (node) => issueTone(node, ['NOD-001', 'NOD-002']) },
    { header: 'TAINTS', wide: true, value: (node) => node.taints.map((taint) => `${taint.key}${taint.value === null ? '' : `=${taint.value}`}:${taint.effect}`).join(',') },
  ];
  return [
    ...(options.showContext ? [{ header: 'CONTEXT', value: ({ context }: NodeRow) => context ?? '' }] : []),
    ...columns.map(ofNode),
    { header: 'PODS', wide: true, value: ({ pods }) => (pods === null ? UNKNOWN : podsText(pods)), tone: ({ pods }) => (pods !== null && pods.imageFailures.length > 0 ? 'warning' : 'plain') },
    { header: 'REQUESTED', wide: true, value: ({ pods }) => (pods === null ? UNKNOWN : resourcesText(pods.requested.cpuCores, pods.requested.memoryBytes)) },
    ofNode({ header: 'RESERVED', wide: true, value: reservedText }),
    ofNode({ header: 'IMAGES', wide: true, value: (node) => (node.imageCount === null ? UNKNOWN : `${node.imageCount}${node.imagesTruncated ? '+' : ''}`) }),
    ofNode({ header: 'INTERNAL-IP', wide: true, value: (node) => node.internalIP ?? '' }),
    ...(options.showAgents ? [{ header: 'AGENTS', value: ({ pods }: NodeRow) => agentsText(pods) }] : []),
    ...(options.showLabels ? [ofNode({ header: 'LABELS', value: (node) => Object.entries(node.labels).map(([key, value]) => `${key}=${value}`).join(',') })] : []),
  ];
}

/** `WindowsNodeList` of docs/schemas: what -o json and -o yaml promise. Of several clusters, `context` and `serverVersion` stand at each item. */
export function nodeListDocument(reports: readonly NodeReport[], rows: readonly NodeRow[], options: Pick<NodesViewOptions, 'now' | 'toolVersion'>): Record<string, unknown> {
  const only = reports.length === 1 ? reports[0] : undefined;
  const hiddenLinux = sum(reports.map((report) => report.hiddenLinux));
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'WindowsNodeList',
    metadata: {
      generatedAt: options.now.toISOString(),
      source: reports[0]?.source.source ?? 'cluster',
      context: only?.source.context ?? null,
      serverVersion: only?.serverVersion ?? null,
      toolVersion: options.toolVersion,
    },
    items: rows.map((row) => (only === undefined ? { context: row.context, serverVersion: reports.find((report) => report.source.context === row.context)?.serverVersion ?? null, ...nodeDocument(row) } : nodeDocument(row))),
    summary: {
      total: rows.length + hiddenLinux,
      windows: rows.filter(({ node }) => node.os === 'windows').length,
      linux: rows.filter(({ node }) => node.os === 'linux').length + hiddenLinux,
      byRelease: Object.fromEntries(countByRelease(rows.map(({ node }) => node))),
    },
  };
}

/** One node as it stands in `items`; watches print these one by one. */
export function nodeDocument({ node, pods }: NodeRow): Record<string, unknown> {
  return pods === null ? { ...node } : { ...node, pods };
}

/** Windows nodes by release, newest build first; nodes without a known release count as `unknown`. */
export function countByRelease(nodes: readonly WindowsNode[]): ReadonlyMap<string, number> {
  const windows = nodes.filter((node) => node.os === 'windows').toSorted((a, b) => (b.build ?? -1) - (a.build ?? -1));
  const counts = new Map<string, number>();
  for (const node of windows) {
    const release = node.release ?? 'unknown';
    counts.set(release, (counts.get(release) ?? 0) + 1);
  }
  return counts;
}

/** The line below the table (stderr): `12 Windows nodes: 5 ltsc2025, 7 ltsc2022; 30 Linux nodes not shown`. */
export function nodesFooter(nodes: readonly WindowsNode[], hiddenLinux: number): string {
  const counts = countByRelease(nodes);
  const windows = sum([...counts.values()]);
  const releases = [...counts].map(([release, count]) => `${count} ${release}`).join(', ');
  const others = nodes.length - windows;
  return [
    `${windows} Windows ${plural('node', windows)}${releases === '' ? '' : `: ${releases}`}`,
    ...(others > 0 ? [`${others} other ${plural('node', others)}`] : []),
    ...(hiddenLinux > 0 ? [`${hiddenLinux} Linux ${plural('node', hiddenLinux)} not shown`] : []),
  ].join('; ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

/** Windows facts of a node that is no Windows node are not unknown, they do not exist. */
function forWindows(node: WindowsNode, text: string | null): string {
  if (node.os === 'linux') return '';
  return text ?? UNKNOWN;
}

function buildText(node: WindowsNode): string | null {
  if (node.build === null) return null;
  return node.revision === null ? String(node.build) : `${node.build}.${node.revision}`;
}

/** `2026-11` for a node on the newest monthly update, `2026-08(-3)` for one three updates behind. */
function patchText(node: WindowsNode): string | null {
  const { month, monthsBehind } = node.patch;
  const behind = monthsBehind === null || monthsBehind === 0 ? '' : `(-${monthsBehind})`;
  if (month === null) return behind === '' ? null : `${UNKNOWN}${behind}`;
  return `${month}${behind}`;
}

function runtimeText(node: WindowsNode): string {
  const runtime = node.containerRuntime;
  return runtime === null ? UNKNOWN : `${runtime.name}://${runtime.version}`;
}

/** The earlier of Microsoft's last day and the provider's, with whose it is when the provider's. */
function supportText(node: WindowsNode): string | null {
  const { extendedEnd, providerEnd } = node.support;
  if (providerEnd !== null && (extendedEnd === null || providerEnd < extendedEnd)) return `${providerEnd}(${node.provider ?? 'provider'})`;
  return extendedEnd;
}

/** What the kubelet keeps from pods: capacity less allocatable, `100m/2048Mi`. */
function reservedText(node: WindowsNode): string {
  const kept = (resource: string): number | null => {
    const capacity = parseQuantity(node.capacity[resource] ?? '');
    const allocatable = parseQuantity(node.allocatable[resource] ?? '');
    return capacity === null || allocatable === null ? null : capacity - allocatable;
  };
  const cpu = kept('cpu');
  const memory = kept('memory');
  if (cpu === null || memory === null) return UNKNOWN;
  return resourcesText(cpu, memory);
}

/** `100m/2048Mi`. */
function resourcesText(cpuCores: number, memoryBytes: number): string {
  return `${Math.round(cpuCores * 1000)}m/${Math.round(memoryBytes / 2 ** 20)}Mi`;
}

/** `14`, or `14(2-image-failures)`. */
function podsText(pods: NodePods): string {
  const failures = pods.imageFailures.length;
  return failures === 0 ? String(pods.total) : `${pods.total}(${failures}-image-${plural('failure', failures)})`;
}

/** Errors and warnings by id; mere information as a number, so that a row stays readable: `past-support,no-isolating-taint,+2`. */
function issuesText(node: WindowsNode): string {
  const urgent = bySeverity(node.issues).filter(({ severity }) => severity !== 'info').map(({ id }) => id);
  const infos = node.issues.length - urgent.length;
  return [...urgent, ...(infos > 0 ? [`+${infos}`] : [])].join(',');
}

function statusTone(node: WindowsNode): CellTone {
  if (node.ready !== true) return 'bad';
  return node.unschedulable ? 'warning' : 'plain';
}

function toneOf(issues: readonly NodeIssue[]): CellTone {
  const worst = bySeverity(issues)[0];
  if (worst === undefined) return 'plain';
  return ({ error: 'bad', warning: 'warning', info: 'plain' } as const)[worst.severity];
}

function worstTone(node: WindowsNode): CellTone {
  return toneOf(node.issues);
}

function issueTone(node: WindowsNode, facts: readonly string[]): CellTone {
  return toneOf(node.issues.filter((issue) => issue.facts.some((fact) => facts.includes(fact))));
}

function agentsText(pods: NodePods | null): string {
  if (pods === null) return UNKNOWN;
  return pods.agents.map((agent) => `${agent.name}${agent.version === null ? '' : `:${agent.version}`}${agent.ready ? '' : '(not ready)'}`).join(',');
}
