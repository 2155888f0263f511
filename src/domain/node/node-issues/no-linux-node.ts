import type { ClusterIssueKind } from './node-issue-kind.ts';

/** DNS, metrics and the like run on Linux only. */
export const noLinuxNode = {
  id: 'no-linux-node',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#windows-nodes-in-kubernetes',
  check(_node, cluster) {
    if (!cluster.complete || cluster.schedulableLinuxNodes > 0) return null;
    const seen = cluster.linuxNodes === 0 ? 'the cluster has no Linux node' : `${cluster.linuxNodes === 1 ? 'the only' : `all ${cluster.linuxNodes}`} Linux ${cluster.linuxNodes === 1 ? 'node is' : 'nodes are'} cordoned, not Ready or tainted`;
    return { message: `${seen}: cluster services such as DNS have nowhere to start`, remedy: cluster.linuxNodes === 0 ? 'add a Linux pool' : 'make a Linux node schedulable, or add a Linux pool' };
  },
} as const satisfies ClusterIssueKind;
