import type { ClusterIssueKind } from './node-issue-kind.ts';

/** One pool, several releases of Windows. */
export const poolBuildsDiffer = {
  id: 'pool-builds-differ',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#handling-multiple-windows-versions-in-the-same-cluster',
  check({ build, pool }, cluster) {
    const newest = pool === null ? null : cluster.pools.get(pool)?.newestBuild ?? null;
    if (build === null || newest === null || build >= newest) return null;
    return { message: `build ${build} is older than build ${newest} of other nodes in pool ${pool}: pods of one pool need images for both`, remedy: 'finish the upgrade of the pool, or give each release a pool of its own' };
  },
} as const satisfies ClusterIssueKind;
