import type { ClusterIssueKind } from './node-issue-kind.ts';

/** Nodes of one pool with one build are not equally patched. */
export const poolRevisionsDiffer = {
  id: 'pool-revisions-differ',
  facts: ['NOD-006'],
  severity: 'info',
  reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info',
  check({ build, revision, pool }, cluster) {
    if (build === null || revision === null || pool === null) return null;
    const newest = cluster.pools.get(pool)?.newestRevisions.get(build);
    if (newest === undefined || revision >= newest) return null;
    return { message: `revision ${build}.${revision} is older than ${build}.${newest} of other nodes in pool ${pool}`, remedy: 'finish the node image upgrade of the pool' };
  },
} as const satisfies ClusterIssueKind;
