import type { NodeIssueKind } from './node-issue-kind.ts';

/** The autoscaler may remove the node soon; until then it is used as any other, though last. */
export const autoscalerCandidate = {
  id: 'autoscaler-candidate',
  facts: [],
  severity: 'info',
  reference: 'https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md#how-does-scale-down-work',
  check({ node }) {
    if (!node.taints.some((taint) => taint.key === 'DeletionCandidateOfClusterAutoscaler')) return null;
    return { message: 'the cluster autoscaler holds the node for unneeded and may remove it soon (taint DeletionCandidateOfClusterAutoscaler)', remedy: 'start no long work on it; where it has to stay, annotate it with cluster-autoscaler.kubernetes.io/scale-down-disabled=true' };
  },
} as const satisfies NodeIssueKind;
