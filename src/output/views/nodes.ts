import type { NodeReport } from '../../app/list-nodes.ts';
import { formatAge } from '../../domain/kubernetes/age.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import type { NodePods } from '../../domain/node/node-pods.ts';
import type { NodeIssue, WindowsNode } from '../../domain/node/windows-node.ts';
import type { CellTone, Column, View } from '../view.ts';

const UNKNOWN = '<unknown>';

export interface NodesViewOptions {
  /** For ages and `generatedAt`. */
  readonly now: Date;
  readonly toolVersion: string;
  /** kubectl's -L: a column per label. */
  readonly labelColumns: readonly string[];
  /** kubectl's --show-labels. */
  readonly showLabels: boolean;
  readonly showAgents: boolean;
  readonly showImages: boolean;
  /** Add the OS column: the list is not of Windows nodes alone. */
  readonly showOs: boolean;
}

/** The table and the WindowsNodeList document of `kubectl win nodes`. */
export function nodesView(report: NodeReport, options: NodesViewOptions): View<WindowsNode> {
  return {
    columns: nodeColumns(report, options),
    items: report.nodes,
    document: () => nodeListDocument(report, options),
    nameOf: (node) => `node/${node.name}`,
    emptyMessage: report.hiddenLinux === 0 ? 'No resources found' : `No Windows nodes found (${report.hiddenLinux} Linux ${plural('node', report.hiddenLinux)} not shown; --all-os shows them)`,
  };
}

/** Columns in the order they print; the wide ones after the rest, as kubectl's. */
export function nodeColumns(report: Pick<NodeReport, 'pods'>, options: Omit<NodesViewOptions, 'toolVersion'>): readonly Column<WindowsNode>[] {
  const pods = (node: WindowsNode): NodePods | null => (report.pods === null ? null : report.pods.get(node.name) ?? { total: 0, hostProcess: 0, agents: [] });
  return [
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
    { header: 'CAN-RUN', wide: true, value: (node) => forWindows(node, node.canRun.length === 0 ? null : node.canRun.join(',')) },
    { header: 'SUPPORT-ENDS', wide: true, value: (node) => forWindows(node, supportText(node)), tone: (node) => issueTone(node, ['NOD-001', 'NOD-002']) },
    { header: 'TAINTS', wide: true, value: (node) => node.taints.map((taint) => `${taint.key}${taint.value === null ? '' : `=${taint.value}`}:${taint.effect}`).join(',') },
    { header: 'PODS', wide: true, value: (node) => String(pods(node)?.total ?? UNKNOWN) },
    { header: 'RESERVED', wide: true, value: reservedText },
    { header: 'IMAGES', wide: true, value: (node) => `${node.imageCount}${node.imagesTruncated ? '+' : ''}` },
    { header: 'INTERNAL-IP', wide: true, value: (node) => node.internalIP ?? '' },
    ...(options.showAgents ? [{ header: 'AGENTS', value: (node: WindowsNode) => agentsText(pods(node)) }] : []),
    ...(options.showLabels ? [{ header: 'LABELS', value: (node: WindowsNode) => Object.entries(node.labels).map(([key, value]) => `${key}=${value}`).join(',') }] : []),
  ];
}

/** `WindowsNodeList` of docs/schemas: what -o json and -o yaml promise. */
export function nodeListDocument(report: NodeReport, options: Pick<NodesViewOptions, 'now' | 'toolVersion'>): Record<string, unknown> {
  const windows = report.nodes.filter((node) => node.os === 'windows').length;
  const linux = report.nodes.filter((node) => node.os === 'linux').length + report.hiddenLinux;
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'WindowsNodeList',
    metadata: {
      generatedAt: options.now.toISOString(),
      source: report.source.source,
      context: report.source.context,
      serverVersion: report.serverVersion,
      toolVersion: options.toolVersion,
    },
    items: report.nodes.map((node) => nodeDocument(node, report)),
    summary: { total: report.nodes.length + report.hiddenLinux, windows, linux, byRelease: Object.fromEntries(countByRelease(report.nodes)) },
  };
}

/** One node as it stands in `items`; watches print these one by one. */
export function nodeDocument(node: WindowsNode, report: Pick<NodeReport, 'pods'>): Record<string, unknown> {
  const pods = report.pods?.get(node.name);
  return report.pods === null ? { ...node } : { ...node, pods: { total: pods?.total ?? 0, hostProcess: pods?.hostProcess ?? 0, agents: pods?.agents ?? [] } };
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
export function nodesFooter(report: Pick<NodeReport, 'nodes' | 'hiddenLinux'>): string {
  const counts = countByRelease(report.nodes);
  const windows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const releases = [...counts].map(([release, count]) => `${count} ${release}`).join(', ');
  const others = report.nodes.length - windows;
  return [
    `${windows} Windows ${plural('node', windows)}${releases === '' ? '' : `: ${releases}`}`,
    ...(others > 0 ? [`${others} other ${plural('node', others)}`] : []),
    ...(report.hiddenLinux > 0 ? [`${report.hiddenLinux} Linux ${plural('node', report.hiddenLinux)} not shown`] : []),
  ].join('; ');
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
  return `${Math.round(cpu * 1000)}m/${Math.round(memory / 2 ** 20)}Mi`;
}

function issuesText(node: WindowsNode): string {
  return bySeverity(node.issues).map((issue) => issue.id).join(',');
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Worst first, else as found. */
export function bySeverity(issues: readonly NodeIssue[]): readonly NodeIssue[] {
  return issues.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
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
