import { ownValue, stringAt, stringMapAt } from '../kubernetes/object.ts';

interface PoolLabel {
  readonly label: string;
  readonly source: string;
  readonly asOf: string;
}

/** Labels whose value is the name of the pool that a node belongs to; the first one on the node wins. */
export const POOL_LABELS = [
  { label: 'kubernetes.azure.com/agentpool', source: 'https://learn.microsoft.com/azure/aks/use-labels', asOf: '2026-11-30' },
  { label: 'agentpool', source: 'https://learn.microsoft.com/azure/aks/use-labels', asOf: '2026-11-30' },
  { label: 'eks.amazonaws.com/nodegroup', source: 'https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html', asOf: '2026-11-30' },
  { label: 'alpha.eksctl.io/nodegroup-name', source: 'https://docs.aws.amazon.com/eks/latest/eksctl/nodegroups.html', asOf: '2026-11-30' },
  { label: 'karpenter.sh/nodepool', source: 'https://karpenter.sh/docs/concepts/nodepools/', asOf: '2026-11-30' },
  { label: 'karpenter.sh/provisioner-name', source: 'https://karpenter.sh/docs/upgrading/upgrade-guide/', asOf: '2026-11-30' },
  { label: 'cloud.google.com/gke-nodepool', source: 'https://cloud.google.com/kubernetes-engine/docs/concepts/node-pools', asOf: '2026-11-30' },
  { label: 'kops.k8s.io/instancegroup', source: 'https://kops.sigs.k8s.io/labels/', asOf: '2026-11-30' },
  { label: 'alibabacloud.com/nodepool-id', source: 'https://www.alibabacloud.com/help/en/ack/', asOf: '2026-11-30' },
] as const satisfies readonly PoolLabel[];

/**
 * The pool of a node: the user's own labels, then the providers', then the MachineSet that OpenShift or Cluster API
 * made it from. Null when nothing tells.
 */
export function poolOf(raw: unknown, ownLabels: readonly string[] = []): string | null {
  return poolLabelOf(stringMapAt(raw, 'metadata', 'labels'), ownLabels)?.value ?? machineSetOf(raw);
}

/** The label that names the pool of a node with these labels; null where none does. */
export function poolLabelOf(labels: Readonly<Record<string, string>>, ownLabels: readonly string[] = []): { readonly label: string; readonly value: string } | null {
  for (const label of [...ownLabels, ...POOL_LABELS.map((one) => one.label)]) {
    const value = ownValue(labels, label);
    if (value !== undefined && value !== '') return { label, value };
  }
  return null;
}

function machineSetOf(raw: unknown): string | null {
  // Cluster API: https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations, read 2026-11-30
  const owner = stringAt(raw, 'metadata', 'annotations', 'cluster.x-k8s.io/owner-name');
  const ownerKind = stringAt(raw, 'metadata', 'annotations', 'cluster.x-k8s.io/owner-kind');
  if (owner !== undefined && owner !== '' && (ownerKind === 'MachineSet' || ownerKind === 'MachinePool')) return owner;
  // OpenShift names the machine, `openshift-machine-api/cluster-windows-worker-a-x7f2p`; its MachineSet added the last part.
  const machine = stringAt(raw, 'metadata', 'annotations', 'machine.openshift.io/machine');
  return /^(?:[^/]+\/)?(.+)-[a-z0-9]{5}$/.exec(machine ?? '')?.[1] ?? null;
}
