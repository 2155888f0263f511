import { compareKubernetesVersions, parseKubernetesVersion } from '../../kubernetes/version.ts';
import type { ClusterIssueKind } from './node-issue-kind.ts';

/** Nodes of one pool run different kubelets. */
export const poolKubeletsDiffer = {
  id: 'pool-kubelets-differ',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/releases/version-skew-policy/',
  check({ kubeletVersion, pool }, cluster) {
    const own = kubeletVersion === null ? null : parseKubernetesVersion(kubeletVersion);
    const newest = pool === null ? null : cluster.pools.get(pool)?.newestKubelet ?? null;
    if (own === null || newest === null || compareKubernetesVersions(own, newest.version) >= 0) return null;
    return { message: `kubelet ${kubeletVersion} is older than ${newest.text} of other nodes in pool ${pool}`, remedy: 'finish the upgrade of the pool' };
  },
} as const satisfies ClusterIssueKind;
