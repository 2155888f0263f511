import { compareContainerdVersions } from '../../windows/containerd.ts';
import { containerdVersionOf } from './cluster-facts.ts';
import type { ClusterIssueKind } from './node-issue-kind.ts';

/** Nodes of one pool run different containerd versions. */
export const poolRuntimesDiffer = {
  id: 'pool-runtimes-differ',
  facts: [],
  severity: 'info',
  reference: 'https://github.com/containerd/containerd/blob/main/RELEASES.md',
  check(node, cluster) {
    const own = containerdVersionOf(node);
    const newest = node.pool === null ? null : cluster.pools.get(node.pool)?.newestContainerd ?? null;
    if (own === null || newest === null || compareContainerdVersions(own, newest.version) >= 0) return null;
    return {
      message: `containerd ${node.containerRuntime?.version} is older than ${newest.text} of other nodes in pool ${node.pool}: they may choose different entries of one image`,
      remedy: 'finish the node image upgrade of the pool',
    };
  },
} as const satisfies ClusterIssueKind;
