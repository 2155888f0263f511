import type { NodeIssueKind } from './node-issue-kind.ts';

/** Taints that say that the node goes, with what they mean. */
const TAINTS: Readonly<Record<string, string>> = {
  'node.cloudprovider.kubernetes.io/shutdown': 'its machine is shut down',
  'node.kubernetes.io/out-of-service': 'it was declared out of service',
  ToBeDeletedByClusterAutoscaler: 'the cluster autoscaler is removing it',
  'karpenter.sh/disrupted': 'Karpenter is replacing it',
  'karpenter.sh/disruption': 'Karpenter is replacing it',
};

/** Conditions of the cloud's maintenance: https://learn.microsoft.com/azure/aks/node-problem-detector, read 2026-11-30. */
const CONDITIONS = ['VMEventScheduled', 'RebootScheduled', 'RedeployScheduled', 'FreezeScheduled', 'PreemptScheduled', 'TerminateScheduled'];

/** The node is about to go away. */
export const shutdownPending = {
  id: 'shutdown-pending',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/',
  check({ node, readyMessage }) {
    const reasons = [
      ...node.taints.flatMap((taint) => (Object.hasOwn(TAINTS, taint.key) ? [TAINTS[taint.key] ?? taint.key] : [])),
      ...node.conditions.filter((condition) => CONDITIONS.includes(condition.type) && condition.status === 'True').map((condition) => `the cloud reports ${condition.type}${condition.reason === null ? '' : ` (${condition.reason})`}`),
      // What a kubelet with graceful node shutdown writes: https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/nodeshutdown/nodeshutdown_manager.go, read 2026-11-30
      ...(readyMessage !== null && /node is shutting down/i.test(readyMessage) ? ['the node is shutting down'] : []),
    ];
    if (reasons.length === 0) return null;
    return { message: `the node is about to go away: ${[...new Set(reasons)].join(', ')}`, remedy: 'start nothing on it that has to end there' };
  },
} as const satisfies NodeIssueKind;
