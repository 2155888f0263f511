import { type NodeComparison, compareNodes } from '../domain/node/compare-nodes.ts';
import { type NodeGroup, type NodeGrouping, groupNodes } from '../domain/node/group-nodes.ts';
import { type ImageOnNodes, type NodeImage, gatherImages, imagesOf } from '../domain/node/node-images.ts';
import { NO_PODS, type NodePods } from '../domain/node/node-pods.ts';
import type { IssueSelector } from '../domain/node/select-issues.ts';
import type { WindowsNode } from '../domain/node/windows-node.ts';
import { nameOf } from '../domain/kubernetes/object.ts';
import { NODES } from '../domain/kubernetes/resource.ts';
import { AppError } from '../errors.ts';
import type { DeepFacts } from './deep-nodes.ts';
import { type ListNodesOptions, type NodeReport, listNodes } from './list-nodes.ts';
import type { ClusterReader } from './ports.ts';

export interface ReportNodesOptions {
  readonly list: ListNodesOptions;
  /** Only nodes with such an issue; null = all. */
  readonly withIssue: IssueSelector | null;
  readonly groupBy: NodeGrouping | null;
  readonly showImages: boolean;
  readonly gate: { readonly failOn: IssueSelector | null; readonly failOnUnchanged: boolean };
}

/** A node with what was read beside it. */
export interface ListedNode {
  readonly node: WindowsNode;
  /** null = pods were not read. */
  readonly pods: NodePods | null;
  /** kubeconfig context the node was read from; null for files. */
  readonly context: string | null;
  /** Version of its API server; null when not known. */
  readonly serverVersion: string | null;
  /** What the node itself says; absent = it was not asked. */
  readonly deep?: DeepFacts;
}

/** What --fail-on asked to be told. */
export interface GateResult {
  readonly failed: boolean;
  /** Why, one line each: what was found, and what could not be judged. */
  readonly reasons: readonly string[];
  /** What was asked for by severity alone and could not be evaluated; it fails nothing, and is said. */
  readonly notEvaluated: readonly string[];
}

export interface NodesOutcome {
  readonly reports: readonly NodeReport[];
  readonly listed: readonly ListedNode[];
  readonly groups: readonly NodeGroup[] | null;
  readonly images: readonly ImageOnNodes[] | null;
  readonly comparison: readonly NodeComparison[] | null;
  /** What could not be shown, with the context where there are several. */
  readonly failures: readonly { readonly context: string | null; readonly error: AppError }[];
  readonly notes: readonly string[];
  readonly gate: GateResult;
}

/** A cluster to read, by the name of its context where several were asked for. */
export interface ClusterToRead {
  readonly context: string | null;
  readonly open: () => Promise<ClusterReader>;
}

/**
 * Reads the nodes of one or several clusters, compares, groups and judges them. A cluster that cannot be read does not
 * keep the others from being shown; when none can, the first error is thrown.
 */
export async function reportNodes(options: ReportNodesOptions, clusters: readonly ClusterToRead[], earlier: ClusterReader | null): Promise<NodesOutcome> {
  const several = clusters.length > 1 || clusters[0]?.context != null;
  const imagesByNode = new Map<string, readonly NodeImage[]>();
  const read = async ({ context, open }: ClusterToRead): Promise<NodeReport> => {
    if (!options.showImages) return listNodes(options.list, await open());
    const onRawNodes: ListNodesOptions['onRawNodes'] = async (raws) => raws.forEach((raw) => imagesByNode.set(imageKey(context, nameOf(raw)), imagesOf(raw)));
    return listNodes({ ...options.list, onRawNodes }, await open());
  };
  const results = await Promise.allSettled(clusters.map(read));
  const failures = results.flatMap((result, index) => {
    const context = clusters[index]?.context ?? null;
    return (result.status === 'rejected' ? [asAppError(result.reason)] : result.value.failures).map((error) => ({ context, error }));
  });
  const reports = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = failures;
  if (reports.length === 0 && first !== undefined) throw first.error;

  const listed = reports.flatMap(listedNodes).filter(({ node }) => options.withIssue === null || node.issues.some(options.withIssue.selects));
  const nodes = listed.map(({ node }) => node);
  const compared = earlier === null ? null : await compareWith(earlier, nodes, options.list);
  const notes = [...new Set(reports.flatMap((report) => report.notes)), ...(compared?.notes ?? [])];
  return {
    reports, listed, failures, notes,
    groups: options.groupBy === null ? null : groupNodes(listed.map(({ node, context }) => ({ node, context: several ? context : null })), options.groupBy),
    images: options.showImages ? gatherImages(new Map(listed.map(({ node, context }) => [several ? `${context}/${node.name}` : node.name, imagesByNode.get(imageKey(several ? context : null, node.name)) ?? []]))) : null,
    comparison: compared?.comparison ?? null,
    gate: judgeGate(options.gate, nodes, compared?.comparison ?? null),
  };
}

function imageKey(context: string | null, name: string): string {
  return JSON.stringify([context, name]);
}

/** The nodes of a report with what was read beside them. */
export function listedNodes(report: Pick<NodeReport, 'nodes' | 'pods' | 'source' | 'serverVersion'>): readonly ListedNode[] {
  const { pods, source: { context }, serverVersion } = report;
  return report.nodes.map((node) => ({ node, pods: pods === null ? null : pods.get(node.name) ?? NO_PODS, context, serverVersion }));
}

/** Anything else is a defect, and ends the command as one. */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** A recording of a selection cannot tell which nodes are new. */
async function compareWith(earlier: ClusterReader, nodes: readonly WindowsNode[], list: ListNodesOptions): Promise<{ comparison: readonly NodeComparison[]; notes: readonly string[] }> {
  // names that are new since then are no fault of the recording
  const report = await listNodes({ ...list, names: [], withPods: false, kubernetesVersion: undefined }, earlier);
  const before = list.names.length === 0 ? report.nodes : report.nodes.filter((node) => list.names.includes(node.name));
  const comparison = compareNodes(before, nodes);
  if (earlier.completeness(NODES) === 'all' || !comparison.some(({ change }) => change === 'added')) return { comparison, notes: [] };
  return {
    comparison: comparison.filter(({ change }) => change !== 'added'),
    notes: [`${earlier.description.location} may hold only some nodes of the cluster, so nodes that it does not hold were left out of the comparison`],
  };
}

/** A gate that could not be judged, or judged nothing, must not read as passed. */
export function judgeGate(gate: ReportNodesOptions['gate'], nodes: readonly WindowsNode[], comparison: readonly NodeComparison[] | null): GateResult {
  const reasons: string[] = [];
  const { failOn, failOnUnchanged } = gate;
  if (failOn !== null) {
    if (nodes.length === 0) reasons.push('no node was judged');
    for (const [id, count] of countBy(nodes.flatMap((node) => node.issues.filter(failOn.selects).map((issue) => issue.id)))) reasons.push(`${id} on ${nodeCount(count)}`);
    for (const [word, count] of countBy(nodes.flatMap((node) => failOn.unjudged(node)))) reasons.push(`${word} could not be judged on ${nodeCount(count)}: what it needs is not known there`);
  }
  if (failOnUnchanged) {
    const kept = (comparison ?? []).filter(({ buildChanged }) => buildChanged === false).length;
    const unknown = (comparison ?? []).filter(({ buildChanged, before, after }) => buildChanged === null && before !== null && after !== null).length;
    if (kept > 0) reasons.push(`build and revision are unchanged on ${nodeCount(kept)}`);
    if (unknown > 0) reasons.push(`whether the build changed could not be judged on ${nodeCount(unknown)}`);
  }
  const isServerUnknown = failOn !== null && nodes.some(({ issues }) => issues.some(({ id }) => id === 'kubelet-skew-unknown'));
  const isTold = reasons.some((reason) => reason.includes('could not be judged'));
  return {
    failed: reasons.length > 0, reasons,
    notEvaluated: isServerUnknown && !isTold ? ['kubelet skew and the limits of providers were not evaluated: the version of the API server is not known; --kubernetes-version says it'] : [],
  };
}

function countBy(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function nodeCount(count: number): string {
  return `${count} ${count === 1 ? 'node' : 'nodes'}`;
}
