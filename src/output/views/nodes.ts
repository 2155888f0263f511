import type { NodeReport } from '../../app/list-nodes.ts';
import type { ListedNode, NodesOutcome } from '../../app/report-nodes.ts';
import { fullestDisk, type NodeFacts } from '../../domain/hostprocess/recipes/node-facts.ts';
import { formatAge } from '../../domain/kubernetes/age.ts';
import { ownValue } from '../../domain/kubernetes/object.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { buildText } from '../../domain/node/build-text.ts';
import { bySeverity } from '../../domain/severity.ts';
import { SOON_DAYS } from '../../domain/node/node-issues/support-ending.ts';
import type { NodePods } from '../../domain/node/node-pods.ts';
import { runtimeText } from '../../domain/node/runtime-text.ts';
import type { NodeIssue, WindowsNode } from '../../domain/node/windows-node.ts';
import { counted } from '../counted.ts';
import type { CellTone, Column, View } from '../view.ts';
import { documentMetadata } from './document-metadata.ts';
import { issuesText, issuesTone } from './issues-cell.ts';
import { bootedText, diskText, hotfixesText, imageCacheText, rebootText } from './recipe-texts.ts';

const UNKNOWN = '<unknown>';

export interface NodesViewOptions {
  /** Day and time to judge by: ages count from it. */
  readonly now: Date;
  /** When the document is made. */
  readonly generatedAt: Date;
  readonly toolVersion: string;
  /** kubectl's -L: a column per label. */
  readonly labelColumns: readonly string[];
  /** kubectl's --show-labels. */
  readonly showLabels: boolean;
  readonly showAgents: boolean;
  /** Add what the nodes themselves say. */
  readonly showDeep: boolean;
  /** Add the OS column: the list is not of Windows nodes alone. */
  readonly showOs: boolean;
  /** Add the CONTEXT column: the list is of several clusters. */
  readonly showContext: boolean;
}

/** The table and the WindowsNodeList document of `kubectl win nodes`; one report per cluster. */
export function nodesView(outcome: Pick<NodesOutcome, 'reports' | 'listed'>, options: NodesViewOptions): View<ListedNode> {
  const hiddenLinux = hiddenLinuxOf(outcome.reports);
  return {
    columns: nodeColumns(options),
    items: outcome.listed,
    document: () => nodeListDocument(outcome, options),
    nameOf: ({ node }) => `node/${node.name}`,
    emptyMessage: emptyMessage(outcome.reports, hiddenLinux),
  };
}

function emptyMessage(reports: readonly NodeReport[], hiddenLinux: number): string {
  if (reports.some(({ leftOut }) => leftOut > 0)) return 'No nodes match the flags';
  return hiddenLinux === 0 ? 'No resources found' : `No Windows nodes found (${counted(hiddenLinux, 'Linux node')} not shown; --all-os shows them)`;
}

function hiddenLinuxOf(reports: readonly NodeReport[]): number {
  return sum(reports.map((report) => report.hiddenLinux));
}

/** Columns in the order they print; the wide ones after the rest, as kubectl's. */
export function nodeColumns(options: Omit<NodesViewOptions, 'toolVersion' | 'generatedAt'>): readonly Column<ListedNode>[] {
  const ofNode = (column: Column<WindowsNode>): Column<ListedNode> => {
    const { tone, sortKey } = column;
    return {
      header: column.header, value: ({ node }) => column.value(node), ...(column.wide === undefined ? {} : { wide: column.wide }),
      ...(tone === undefined ? {} : { tone: ({ node }: ListedNode) => tone(node) }), ...(sortKey === undefined ? {} : { sortKey: ({ node }: ListedNode) => sortKey(node) }),
    };
  };
  const columns: readonly Column<WindowsNode>[] = [
    { header: 'NAME', value: (node) => node.name },
    { header: 'STATUS', value: (node) => node.status, tone: statusTone },
    ...(options.showOs ? [{ header: 'OS', value: (node: WindowsNode) => node.os ?? UNKNOWN }] : []),
    { header: 'RELEASE', value: (node) => forWindows(node, node.release), tone: (node) => issueTone(node, ['NOD-001', 'NOD-002']) },
    { header: 'BUILD', value: (node) => forWindows(node, buildText(node)) },
    { header: 'PATCH', value: (node) => forWindows(node, patchText(node)), tone: (node) => (node.issues.some(({ id }) => id === 'patch-behind') ? 'warning' : 'plain'), sortKey: (node) => (node.patch.monthsBehind === null ? null : -node.patch.monthsBehind) },
    { header: 'POOL', value: (node) => node.pool ?? '' },
    { header: 'KUBELET', value: (node) => node.kubeletVersion ?? UNKNOWN, tone: (node) => issueTone(node, ['NOD-004']) },
    { header: 'RUNTIME', value: (node) => runtimeText(node) ?? UNKNOWN, tone: (node) => issueTone(node, ['NOD-003']) },
    { header: 'AGE', value: (node) => (node.createdAt === null ? UNKNOWN : formatAge(node.createdAt, options.now)) },
    { header: 'ISSUES', value: (node) => issuesText(node.issues), tone: (node) => issuesTone(node.issues), sortKey: issuesRank },
    ...options.labelColumns.map((key): Column<WindowsNode> => ({ header: (key.split('/').at(-1) ?? key).toUpperCase(), value: (node) => ownValue(node.labels, key) ?? '' })),
    { header: 'OS-IMAGE', wide: true, value: (node) => node.osImage ?? UNKNOWN },
    { header: 'CAN-RUN', wide: true, value: (node) => forWindows(node, node.canRun === null ? null : node.canRun.join(',')) },
    { header: 'SUPPORT-ENDS', wide: true, value: (node) => forWindows(node, supportText(node)), tone: supportTone, sortKey: (node) => node.support.daysLeft },
    { header: 'TAINTS', wide: true, value: (node) => node.taints.map((taint) => `${taint.key}${taint.value === null ? '' : `=${taint.value}`}:${taint.effect}`).join(',') },
  ];
  return [
    ...(options.showContext ? [{ header: 'CONTEXT', value: ({ context }: ListedNode) => context ?? '' }] : []),
    ...columns.map(ofNode),
    ...(options.showDeep ? deepColumns(options.now) : []),
    { header: 'PODS', wide: true, value: ({ pods }) => (pods === null ? UNKNOWN : podsText(pods)), tone: ({ pods }) => (pods !== null && pods.imageFailures.length > 0 ? 'warning' : 'plain') },
    { header: 'REQUESTED', wide: true, value: ({ pods }) => (pods === null ? UNKNOWN : resourcesText(pods.requested.cpuCores, pods.requested.memoryBytes)) },
    ofNode({ header: 'RESERVED', wide: true, value: reservedText }),
    ofNode({ header: 'IMAGES', wide: true, value: (node) => (node.imageCount === null ? UNKNOWN : `${node.imageCount}${node.imagesTruncated ? '+' : ''}`) }),
    ofNode({ header: 'INTERNAL-IP', wide: true, value: (node) => node.internalIP ?? '' }),
    ...(options.showAgents ? [{ header: 'AGENTS', value: ({ pods }: ListedNode) => agentsText(pods) }] : []),
    ...(options.showLabels ? [ofNode({ header: 'LABELS', value: (node) => Object.entries(node.labels).map(([key, value]) => `${key}=${value}`).join(',') })] : []),
  ];
}

/** `WindowsNodeList` of docs/schemas: what -o json and -o yaml promise. Of several clusters, `context` and `serverVersion` of the head are null and those of the items count. */
export function nodeListDocument({ reports, listed }: Pick<NodesOutcome, 'reports' | 'listed'>, options: Pick<NodesViewOptions, 'now' | 'generatedAt' | 'toolVersion'>): Record<string, unknown> {
  const only = reports.length === 1 ? reports[0] : undefined;
  const hiddenLinux = hiddenLinuxOf(reports);
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'WindowsNodeList',
    metadata: documentMetadata({ ...options, asOf: options.now }, { source: reports[0]?.source.source ?? 'cluster', context: only?.source.context ?? null, serverVersion: only?.serverVersion ?? null }),
    items: listed.map(nodeDocument),
    summary: {
      total: listed.length + hiddenLinux,
      windows: listed.filter(({ node }) => node.os === 'windows').length,
      linux: listed.filter(({ node }) => node.os === 'linux').length + hiddenLinux,
      byRelease: Object.fromEntries(countByRelease(listed.map(({ node }) => node))),
    },
  };
}

/** One node as it stands in `items`; watches print these one by one. What stands in a Node's metadata stands there here too, where kubectl users look for it. */
export function nodeDocument({ node, pods, context, serverVersion, deep }: ListedNode): Record<string, unknown> {
  const { name, uid, resourceVersion, createdAt, labels, ...rest } = node;
  return {
    name, metadata: { name, uid, resourceVersion, creationTimestamp: createdAt, labels }, ...rest, context, serverVersion,
    ...(pods === null ? {} : { pods }), ...(deep === undefined ? {} : { deep: deep.facts, deepError: deep.error }),
  };
}

/** What recipe node-facts has brought. */
function deepColumns(now: Date): readonly Column<ListedNode>[] {
  const cell = (item: ListedNode, textOf: (facts: NodeFacts) => string | null): string => {
    const facts = item.deep?.facts ?? null;
    return facts === null ? forWindows(item.node, null) : textOf(facts) ?? UNKNOWN;
  };
  const factOf = ({ deep }: ListedNode, numberOf: (facts: NodeFacts) => number | null): number | null => (deep?.facts === undefined || deep.facts === null ? null : numberOf(deep.facts));
  return [
    { header: 'KBS', value: (item) => cell(item, hotfixesText), sortKey: (item) => factOf(item, ({ hotfixes }) => hotfixes?.length ?? null) },
    { header: 'BOOTED', value: (item) => cell(item, (facts) => bootedText(facts, now)), sortKey: (item) => factOf(item, ({ lastBootAt }) => (lastBootAt === null ? null : -Date.parse(lastBootAt))) },
    { header: 'REBOOT', value: (item) => cell(item, rebootText), tone: ({ deep }): CellTone => (deep?.facts?.pendingReboot?.isPending === true ? 'warning' : 'plain') },
    { header: 'DISK-FREE', value: (item) => cell(item, diskText), sortKey: (item) => factOf(item, (facts) => fullestDisk(facts)?.freeBytes ?? null) },
    { header: 'IMAGE-CACHE', value: (item) => cell(item, imageCacheText), sortKey: (item) => factOf(item, ({ imageCache }) => imageCache?.usedBytes ?? null) },
  ];
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

/** The line below the table (stderr): `12 Windows nodes: 5 ltsc2025, 7 ltsc2022; 1 with errors, 3 with warnings; 30 Linux nodes not shown`. */
export function nodesFooter(nodes: readonly WindowsNode[], hiddenLinux: number): string {
  const counts = countByRelease(nodes);
  const windows = sum([...counts.values()]);
  const releases = [...counts].map(([release, count]) => `${count} ${release}`).join(', ');
  const others = nodes.length - windows;
  return [
    `${counted(windows, 'Windows node')}${releases === '' ? '' : `: ${releases}`}`,
    ...worstCounts(nodes),
    ...(others > 0 ? [counted(others, 'other node')] : []),
    ...(hiddenLinux > 0 ? [`${counted(hiddenLinux, 'Linux node')} not shown`] : []),
  ].join('; ');
}

/** Nodes by their worst issue; what is mere information is not counted. */
function worstCounts(nodes: readonly WindowsNode[]): readonly string[] {
  const worst = nodes.map((node) => bySeverity(node.issues)[0]?.severity);
  const errors = worst.filter((severity) => severity === 'error').length;
  const warnings = worst.filter((severity) => severity === 'warning').length;
  const parts = [...(errors > 0 ? [`${errors} with errors`] : []), ...(warnings > 0 ? [`${warnings} with warnings`] : [])];
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Windows facts of a node that is no Windows node are not unknown, they do not exist. */
function forWindows(node: WindowsNode, text: string | null): string {
  if (node.os === 'linux') return '';
  return text ?? UNKNOWN;
}

/** `2026-11` for a node on the newest monthly update, `2026-08(-3)` for one three updates behind, `>2026-10` for one newer than the table. */
function patchText({ patch }: WindowsNode): string | null {
  if (patch.newerThanTable && patch.tableMonth !== null) return `>${patch.tableMonth}`;
  const behind = patch.monthsBehind === null || patch.monthsBehind === 0 ? '' : `(-${patch.monthsBehind})`;
  if (patch.month === null) return behind === '' ? null : `${UNKNOWN}${behind}`;
  return `${patch.month}${behind}`;
}

/** The earlier of Microsoft's last day and the provider's, with whose it is when the provider's. */
function supportText({ support, provider }: WindowsNode): string | null {
  if (support.lastDay === null) return null;
  return support.lastDayOf === 'provider' ? `${support.lastDay}(${provider ?? 'provider'})` : support.lastDay;
}

function supportTone({ support: { daysLeft } }: WindowsNode): CellTone {
  if (daysLeft === null) return 'plain';
  if (daysLeft < 0) return 'bad';
  return daysLeft < SOON_DAYS ? 'warning' : 'plain';
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
  return failures === 0 ? String(pods.total) : `${pods.total}(${counted(failures, 'image failure').replaceAll(' ', '-')})`;
}

/** Sorts the nodes with the worst and most issues first. */
function issuesRank(node: WindowsNode): number {
  const count = (severity: NodeIssue['severity']): number => node.issues.filter((issue) => issue.severity === severity).length;
  return -(count('error') * 1e6 + count('warning') * 1e3 + count('info'));
}

function statusTone(node: WindowsNode): CellTone {
  if (node.ready !== true) return 'bad';
  return node.unschedulable ? 'warning' : 'plain';
}

function issueTone(node: WindowsNode, facts: readonly string[]): CellTone {
  return issuesTone(node.issues.filter((issue) => issue.facts.some((fact) => facts.includes(fact))));
}

/** `kube-proxy-windows:v1.36.3,calico-node-windows:v3.30.0(not-ready)`: each DaemonSet and version once. */
function agentsText(pods: NodePods | null): string {
  if (pods === null) return UNKNOWN;
  return [...new Set(pods.agents.map(({ name, version, ready }) => `${name}${version === null ? '' : `:${version}`}${ready ? '' : '(not-ready)'}`))].join(',');
}
