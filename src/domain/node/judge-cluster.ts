import { patchOf } from './describe-node.ts';
import { type ClusterFacts, type ClusterFactsOptions, clusterFacts } from './node-issues/cluster-facts.ts';
import { CLUSTER_ISSUE_KINDS } from './node-issues/index.ts';
import { toIssue } from './node-issues/node-issue-kind.ts';
import { bySeverity } from '../severity.ts';
import type { WindowsNode } from './windows-node.ts';

/**
 * The second pass: patch age against the newest node of the cluster, and the issues that show only beside other nodes.
 * Linear in the nodes; order is kept. Judging nodes again that were judged before gives the same answer.
 */
export function judgeCluster(nodes: readonly WindowsNode[], options: ClusterFactsOptions): readonly WindowsNode[] {
  const cluster = clusterFacts(nodes, options);
  return nodes.map((node) => judgeBesideOthers(node, cluster));
}

const CLUSTER_IDS: ReadonlySet<string> = new Set(CLUSTER_ISSUE_KINDS.map((kind) => kind.id));

/** One node beside what is known of all; a node that is no Windows node stays as it is. */
export function judgeBesideOthers(described: WindowsNode, cluster: ClusterFacts): WindowsNode {
  if (described.os !== 'windows') return described;
  const { build, release, revision } = described;
  const patch = build === null || release === null ? described.patch : patchOf(build, revision, cluster.newestRevisions.get(build) ?? null);
  const node: WindowsNode = { ...described, patch };
  const found = CLUSTER_ISSUE_KINDS.flatMap((kind) => {
    const finding = kind.check(node, cluster);
    return finding === null ? [] : [toIssue(kind, finding)];
  });
  return { ...node, issues: bySeverity([...described.issues.filter((issue) => !CLUSTER_IDS.has(issue.id)), ...found]) };
}

/** Text of all that clusterFacts reads of a node: while it stays the same, the facts of the cluster do too. */
export function factsKey({ os, build, release, revision, pool, kubeletVersion, containerRuntime, unschedulable, ready, taints }: WindowsNode): string {
  return JSON.stringify([os, build, release, revision, pool, kubeletVersion, containerRuntime, unschedulable, ready, taints]);
}
