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
      remedy: `set the taint os=windows:NoSchedule in ${poolSetting(node.provider)}: taints set by hand are lost on scale-out; first give the toleration to the Windows workloads and to the DaemonSets of agents that have to run there`,
    };
  },
} as const satisfies NodeIssueKind;

/** Where a pool's taints are set, so that new nodes have them too. Sources: the providers' pages of node pools, read 2026-11-30. */
function poolSetting(provider: string | null): string {
  const settings: Readonly<Record<string, string>> = {
    aks: 'the AKS node pool (az aks nodepool update --node-taints)', // https://learn.microsoft.com/azure/aks/use-node-taints
    eks: 'the taints of the EKS node group (or of the Karpenter NodePool)', // https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html
    gke: 'the GKE node pool (gcloud container node-pools update --node-taints)', // https://cloud.google.com/kubernetes-engine/docs/how-to/node-taints
    openshift: 'the taints of the MachineSet', // https://docs.okd.io/latest/nodes/scheduling/nodes-scheduler-taints-tolerations.html
    capi: 'the node registration of the machine template (nodeRegistration.taints)', // https://cluster-api.sigs.k8s.io/tasks/bootstrap/kubeadm-bootstrap/
    rke2: 'the agent configuration (node-taint in config.yaml)', // https://docs.rke2.io/reference/windows_agent_config
    k3s: 'the agent configuration (node-taint in config.yaml)',
  };
  return (provider === null ? undefined : settings[provider]) ?? 'the kubelet configuration of the pool (registerWithTaints)';
}

/** A taint of the operator's that pods without a toleration cannot get past; any key will do. */
export function isIsolating(taint: NodeTaint): boolean {
  return (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isLifecycleTaint(taint);
}

export function isLifecycleTaint({ key }: NodeTaint): boolean {
  return LIFECYCLE_TAINTS.some((known) => (known.endsWith('/') ? key.startsWith(known) : key === known));
}
