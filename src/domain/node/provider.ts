import { isRecord, stringAt, valueAt } from '../kubernetes/object.ts';

/** Who runs the node, by what it leaves on the object. */
export type NodeProvider = 'aks' | 'aks-engine' | 'eks' | 'gke' | 'openshift' | 'rke2' | 'k3s' | 'capi' | 'kubeadm' | 'aws' | 'azure' | 'gcp' | 'vsphere';

interface ProviderEvidence {
  readonly provider: NodeProvider;
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
  /** Prefix of spec.providerID. */
  readonly providerID?: string;
  /** Form of the kubelet's version. */
  readonly kubelet?: RegExp;
  /** Form of the kubelet's version that tells only on machines of this cloud: the prefix of spec.providerID. */
  readonly kubeletOn?: { readonly kubelet: RegExp; readonly providerID: string };
  readonly source: string;
  readonly asOf: string;
}

/**
 * The first row with any evidence on the node wins: products before the clouds they run on.
 * Labels and annotations end in a slash where the whole prefix is meant.
 */
export const PROVIDER_EVIDENCE = [
  { provider: 'openshift', labels: ['node.openshift.io/'], annotations: ['windowsmachineconfig.openshift.io/', 'machine.openshift.io/machine'], source: 'https://github.com/openshift/windows-machine-config-operator/blob/master/pkg/metadata/metadata.go', asOf: '2026-11-30' },
  { provider: 'aks', labels: ['kubernetes.azure.com/os-sku', 'kubernetes.azure.com/node-image-version', 'kubernetes.azure.com/mode', 'kubernetes.azure.com/agentpool'], source: 'https://learn.microsoft.com/azure/aks/use-labels', asOf: '2026-11-30' },
  { provider: 'aks-engine', labels: ['kubernetes.azure.com/role', 'kubernetes.azure.com/cluster'], source: 'https://github.com/Azure/aks-engine', asOf: '2026-11-30' },
  // EKS Anywhere and EKS Distro build kubelets with the same suffix (https://github.com/aws/eks-distro/issues/142).
  { provider: 'eks', labels: ['eks.amazonaws.com/', 'alpha.eksctl.io/'], kubeletOn: { kubelet: /-eks-/, providerID: 'aws://' }, source: 'https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html', asOf: '2026-11-30' },
  // So does Google Distributed Cloud, on machines of one's own and in other clouds.
  { provider: 'gke', labels: ['cloud.google.com/gke-nodepool', 'cloud.google.com/gke-os-distribution'], kubeletOn: { kubelet: /-gke\./, providerID: 'gce://' }, source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/node-pools', asOf: '2026-11-30' },
  { provider: 'rke2', annotations: ['rke2.io/'], providerID: 'rke2://', kubelet: /\+rke2/, source: 'https://github.com/k3s-io/k3s/blob/master/pkg/nodeconfig/nodeconfig.go', asOf: '2026-11-30' },
  { provider: 'k3s', annotations: ['k3s.io/'], providerID: 'k3s://', kubelet: /\+k3s/, source: 'https://github.com/k3s-io/k3s/blob/master/pkg/nodeconfig/nodeconfig.go', asOf: '2026-11-30' },
  { provider: 'capi', annotations: ['cluster.x-k8s.io/machine', 'cluster.x-k8s.io/cluster-name'], source: 'https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations', asOf: '2026-11-30' },
  { provider: 'kubeadm', annotations: ['kubeadm.alpha.kubernetes.io/cri-socket'], source: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#kubeadm-alpha-kubernetes-io-cri-socket', asOf: '2026-11-30' },
  { provider: 'aws', providerID: 'aws://', source: 'https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/instances.go', asOf: '2026-11-30' },
  { provider: 'azure', providerID: 'azure://', source: 'https://github.com/kubernetes-sigs/cloud-provider-azure/blob/master/pkg/consts/consts.go', asOf: '2026-11-30' },
  { provider: 'gcp', providerID: 'gce://', source: 'https://github.com/kubernetes/cloud-provider-gcp/blob/master/providers/gce/gce_instances.go', asOf: '2026-11-30' },
  { provider: 'vsphere', providerID: 'vsphere://', source: 'https://github.com/kubernetes/cloud-provider-vsphere/blob/master/pkg/cloudprovider/vsphere/util.go', asOf: '2026-11-30' },
] as const satisfies readonly ProviderEvidence[];

/** The provider of a node; null when nothing on it tells. */
export function providerOf(raw: unknown, evidence: readonly ProviderEvidence[] = PROVIDER_EVIDENCE): NodeProvider | null {
  const labels = keysAt(raw, 'metadata', 'labels');
  const annotations = keysAt(raw, 'metadata', 'annotations');
  const providerID = stringAt(raw, 'spec', 'providerID') ?? '';
  const kubelet = stringAt(raw, 'status', 'nodeInfo', 'kubeletVersion') ?? '';
  const found = evidence.find(
    (row) =>
      row.labels?.some((wanted) => labels.some((key) => isCalled(key, wanted))) === true ||
      row.annotations?.some((wanted) => annotations.some((key) => isCalled(key, wanted))) === true ||
      (row.providerID !== undefined && providerID.startsWith(row.providerID)) ||
      row.kubelet?.test(kubelet) === true ||
      (row.kubeletOn !== undefined && row.kubeletOn.kubelet.test(kubelet) && providerID.startsWith(row.kubeletOn.providerID)),
  );
  return found?.provider ?? null;
}

function keysAt(raw: unknown, ...path: readonly string[]): readonly string[] {
  const map = valueAt(raw, ...path);
  return isRecord(map) ? Object.keys(map) : [];
}

function isCalled(key: string, wanted: string): boolean {
  return wanted.endsWith('/') ? key.startsWith(wanted) : key === wanted;
}
