import type { NodeTaint } from '../windows-node.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/**
 * Taints that come and go with a node's life and isolate nothing by intent. A slash at the end means the whole prefix.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/, read 2026-11-30
 */
const LIFECYCLE_TAINTS = [
  'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'node.kubernetes.io/unschedulable', 'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure', 'node.kubernetes.io/pid-pressure', 'node.kubernetes.io/network-unavailable', 'node.kubernetes.io/out-of-service',
  'node.cloudprovider.kubernetes.io/', 'node.cluster.x-k8s.io/', 'node.cilium.io/', 'karpenter.sh/',
  'ToBeDeletedByClusterAutoscaler', 'DeletionCandidateOfClusterAutoscaler', 'ebs.csi.aws.com/agent-not-ready', 'efs.csi.aws.com/agent-not-ready',
] as const;

/** Nothing keeps Linux pods without an OS selector off the node. */
export const noIsolatingTaint = {
  id: 'no-isolating-taint',
  facts: ['NOD-005'],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations',
  check({ node }) {
    if (node.taints.some(isIsolating)) return null;
    const passing = node.taints.filter(isLifecycleTaint).map((taint) => taint.key);
    return {
      message: `no taint keeps Linux pods without an OS selector off this Windows node${passing.length === 0 ? '' : ` (${[...new Set(passing)].join(', ')} will pass)`}`,
      remedy: 'taint the whole pool with os=windows:NoSchedule, after giving the Windows workloads the toleration',
    };
  },
} as const satisfies NodeIssueKind;

/** A taint of the operator's that pods without a toleration cannot get past; any key will do. */
function isIsolating(taint: NodeTaint): boolean {
  return (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isLifecycleTaint(taint);
}

function isLifecycleTaint({ key }: NodeTaint): boolean {
  return LIFECYCLE_TAINTS.some((known) => (known.endsWith('/') ? key.startsWith(known) : key === known));
}
