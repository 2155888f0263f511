import { AppError, ClusterError, InputError } from '../errors.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import { NODES, PODS } from '../domain/kubernetes/resource.ts';
import { type DescribeNodeContext, describeNode } from '../domain/node/describe-node.ts';
import { judgeCluster } from '../domain/node/judge-cluster.ts';
import { type NodePods, countPods } from '../domain/node/node-pods.ts';
import type { WindowsNode } from '../domain/node/windows-node.ts';
import { daysUntil } from '../domain/windows/support-dates.ts';
import { tablesAsOf } from '../domain/windows/tables-as-of.ts';
import { lastUpdateMonth } from '../domain/windows/update-month.ts';
import type { ClusterReader, SourceDescription } from './ports.ts';

/** Two monthly updates may be missing from the tables before a note says so. */
const TABLES_GROW_OLD_DAYS = 75;

export interface ListNodesOptions {
  /** Nodes asked for by name; empty means all. They are read one by one, so `get` alone is enough of a right. */
  readonly names: readonly string[];
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly chunkSize?: number | undefined;
  /** Linux nodes too. */
  readonly allOs: boolean;
  /** Only nodes of these pools; empty means all. */
  readonly pools: readonly string[];
  /** Only nodes of these releases (`ltsc2019`); empty means all. */
  readonly releases: readonly string[];
  /** Replaces what the source says of the API server's version. */
  readonly kubernetesVersion?: string | undefined;
  /** Read pods as well: their number and the agents per node. */
  readonly withPods: boolean;
  /** What describeNode needs besides the server's version. */
  readonly describe: Omit<DescribeNodeContext, 'serverVersion'>;
  /** Gets every raw node as it is read, before any filter (for --save). */
  readonly onRawNodes?: (nodes: readonly KubeObject[]) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

export interface NodeReport {
  readonly source: SourceDescription;
  /** Version of the API server; null when not known. */
  readonly serverVersion: string | null;
  /** The nodes asked for, in the server's order, judged against all nodes that were read. */
  readonly nodes: readonly WindowsNode[];
  /** Linux nodes that were read but not asked for. */
  readonly hiddenLinux: number;
  /** Windows nodes that pools or releases left out. */
  readonly leftOut: number;
  /** Pods per node name; null when they were not read. */
  readonly pods: ReadonlyMap<string, NodePods> | null;
  /** What could not be seen, one sentence each. */
  readonly notes: readonly string[];
  /** Named nodes that could not be shown, as errors to print. */
  readonly failures: readonly AppError[];
  /** Every node that was read, before judgeCluster and the filters; a watch goes on from these. */
  readonly described: readonly WindowsNode[];
  /** Where a watch goes on from; '' from files. */
  readonly resourceVersion: string;
}

/** Reads and judges nodes. Throws ClusterError when nothing could be read at all. */
export async function listNodes(options: ListNodesOptions, cluster: ClusterReader): Promise<NodeReport> {
  const notes: string[] = [];
  const failures: AppError[] = [];
  const version = readServerVersion(options, cluster, notes);
  version.catch(() => undefined); // awaited below; a failing list must not leave it unhandled
  const read = options.names.length === 0 ? readAll(options, cluster, version) : readNamed(options, cluster, version, failures);
  const { described, resourceVersion } = await read;
  const serverVersion = await version;
  const judged = judgeCluster(described, { asOf: options.describe.asOf, complete: isComplete(options, cluster) });
  const shown = judged.filter((node) => isAskedFor(node, options));
  if (daysUntil(tablesAsOf(), options.describe.asOf) < -TABLES_GROW_OLD_DAYS) {
    notes.push(`the tables of releases, updates and end dates are of ${tablesAsOf()}; a newer kubectl win knows more`);
  }
  notes.push(...endsOfUpdateTable(shown, options.describe.asOf));
  const pods = options.withPods ? await readPods(options, cluster, notes) : null;
  return {
    source: cluster.description, serverVersion, nodes: shown, hiddenLinux: options.allOs ? 0 : judged.filter((node) => node.os === 'linux').length,
    leftOut: judged.filter((node) => node.os !== 'linux' && !isAskedFor(node, options)).length,
    pods, notes, failures, described, resourceVersion,
  };
}

/** Builds whose newest update in the table is older than the last second Tuesday: a node on it looks current and may not be. */
function endsOfUpdateTable(nodes: readonly WindowsNode[], asOf: Date): readonly string[] {
  const due = lastUpdateMonth(asOf);
  const behind = new Map<string, Set<number>>();
  for (const { build, patch } of nodes) {
    if (build === null || patch.tableMonth === null || patch.tableMonth >= due) continue;
    behind.set(patch.tableMonth, (behind.get(patch.tableMonth) ?? new Set<number>()).add(build));
  }
  return [...behind].map(([month, builds]) => `the updates known for ${builds.size === 1 ? 'build' : 'builds'} ${[...builds].toSorted((a, b) => b - a).join(', ')} end with ${month}: PATCH counts from there, and a newer one may be out`);
}

/** Whether all nodes of the cluster were asked for, so that the absence of some means something. */
export function isComplete(options: Pick<ListNodesOptions, 'names' | 'labelSelector' | 'fieldSelector'>, cluster: Pick<ClusterReader, 'completeness'>): boolean {
  return options.names.length === 0 && !options.labelSelector && !options.fieldSelector && cluster.completeness(NODES) === 'all';
}

/** Whether a described node passes the filters that only its description can answer. */
export function isAskedFor(node: WindowsNode, options: Pick<ListNodesOptions, 'allOs' | 'pools' | 'releases'>): boolean {
  if (!options.allOs && node.os === 'linux') return false;
  if (options.pools.length > 0 && !options.pools.includes(node.pool ?? '')) return false;
  return options.releases.length === 0 || options.releases.includes(node.release ?? '');
}

async function readServerVersion(options: ListNodesOptions, cluster: ClusterReader, notes: string[]): Promise<string | null> {
  if (options.kubernetesVersion !== undefined) return options.kubernetesVersion;
  try {
    return (await cluster.serverVersion({ signal: options.signal }))?.gitVersion ?? null;
  } catch (error) {
    // /version may be closed to this user (system:public-info-viewer removed) or not led through by a gateway; nodes can still be listed.
    if (!(error instanceof ClusterError) || (error.reason !== 'Forbidden' && error.reason !== 'NotFound')) throw error;
    const why = error.reason === 'Forbidden' ? 'may not be read (get on the non-resource URL /version)' : 'is not there to be read (/version: 404)';
    notes.push(`the version of the API server ${why}, so kubelet skew was not evaluated`);
    return null;
  }
}

interface NodesRead {
  readonly described: WindowsNode[];
  readonly resourceVersion: string;
}

async function readAll(options: ListNodesOptions, cluster: ClusterReader, version: Promise<string | null>): Promise<NodesRead> {
  let described: WindowsNode[] = [];
  let resourceVersion = '';
  const { labelSelector, fieldSelector, chunkSize, signal } = options;
  let isKnown = false;
  for await (const page of cluster.list(NODES, { labelSelector, fieldSelector, chunkSize, signal })) {
    if (page.restarted === true) described = [];
    await options.onRawNodes?.(page.items);
    const context = { ...options.describe, serverVersion: await version };
    for (const raw of page.items) described.push(describeNode(raw, context));
    resourceVersion = page.resourceVersion;
    isKnown = true;
  }
  // A gate must not pass because the wrong file was given.
  if (!isKnown) throw new InputError({ file: cluster.description.location }, 'holds objects, but was recorded without nodes', { suggestions: ['record them: kubectl get nodes -o json, or kubectl win nodes --save FILE'] });
  return { described, resourceVersion };
}

async function readNamed(options: ListNodesOptions, cluster: ClusterReader, version: Promise<string | null>, failures: AppError[]): Promise<NodesRead> {
  const described: WindowsNode[] = [];
  for (const name of new Set(options.names)) {
    try {
      const raw = await cluster.get(NODES, name, { signal: options.signal });
      await options.onRawNodes?.([raw]);
      const node = describeNode(raw, { ...options.describe, serverVersion: await version });
      described.push(node);
      if (node.os === 'linux' && !options.allOs) failures.push(new LinuxNodeNamed(name));
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'NotFound') throw error;
      failures.push(error);
    }
  }
  // a watch of one node goes on from what was read of it
  return { described, resourceVersion: described[0]?.resourceVersion ?? '' };
}

/** A node asked for by name is no Windows node. Exit code 2: another command line is meant. */
export class LinuxNodeNamed extends AppError {
  readonly exitCode = 2;

  constructor(nodeName: string) {
    super(`node "${nodeName}" runs Linux, not Windows`, { suggestions: ['--all-os shows Linux nodes too'] });
  }
}

async function readPods(options: ListNodesOptions, cluster: ClusterReader, notes: string[]): Promise<ReadonlyMap<string, NodePods> | null> {
  const pods = new Map<string, NodePods>();
  let isKnown = false;
  try {
    for await (const page of cluster.list(PODS, { chunkSize: options.chunkSize, signal: options.signal })) {
      if (page.restarted === true) pods.clear();
      countPods(page.items, pods);
      isKnown = true;
    }
    if (isKnown) return pods;
    notes.push(`${cluster.description.location} was recorded without pods, so pods and agents per node are not known`);
    return null;
  } catch (error) {
    if (!(error instanceof ClusterError) || error.reason !== 'Forbidden') throw error;
    notes.push('pods may not be listed in all namespaces (list on pods), so pods and agents per node are not known');
    return null;
  }
}
