import assert from 'node:assert/strict';
import { PROVIDER_EVIDENCE, providerOf } from '../../../../src/domain/node/provider.ts';

const CASES: readonly (readonly [title: string, node: unknown, provider: string | null])[] = [
  ['an AKS node', { metadata: { labels: { 'kubernetes.azure.com/os-sku': 'Windows2022', agentpool: 'win' } } }, 'aks'],
  ['an AKS Engine node, which shares labels with AKS', { metadata: { labels: { 'kubernetes.azure.com/cluster': 'rg', 'kubernetes.azure.com/role': 'agent', agentpool: 'win' } } }, 'aks-engine'],
  ['a managed node group', { metadata: { labels: { 'eks.amazonaws.com/nodegroup': 'win' } } }, 'eks'],
  ['an eksctl node', { metadata: { labels: { 'alpha.eksctl.io/nodegroup-name': 'win' } } }, 'eks'],
  ['an EKS kubelet on AWS', { spec: { providerID: 'aws:///us-east-2b/i-0' }, status: { nodeInfo: { kubeletVersion: 'v1.34.1-eks-1234567' } } }, 'eks'],
  ['EKS Anywhere on vSphere', { spec: { providerID: 'vsphere://42' }, status: { nodeInfo: { kubeletVersion: 'v1.34.1-eks-1234567' } } }, 'vsphere'],
  ['EKS Anywhere on bare metal', { metadata: { annotations: { 'cluster.x-k8s.io/machine': 'm' } }, spec: { providerID: 'tinkerbell://x' }, status: { nodeInfo: { kubeletVersion: 'v1.34.1-eks-1234567' } } }, 'capi'],
  ['a kubelet of EKS Distro alone', { status: { nodeInfo: { kubeletVersion: 'v1.34.1-eks-1234567' } } }, null],
  ['a GKE kubelet on Google Cloud', { spec: { providerID: 'gce://p/z/n' }, status: { nodeInfo: { kubeletVersion: 'v1.34.1-gke.1279000' } } }, 'gke'],
  ['Google Distributed Cloud', { spec: { providerID: 'baremetal://192.0.2.5' }, status: { nodeInfo: { kubeletVersion: 'v1.34.1-gke.1279000' } } }, null],
  ['a GKE node', { metadata: { labels: { 'cloud.google.com/gke-nodepool': 'win' } } }, 'gke'],
  ['an OpenShift node on Azure', { metadata: { annotations: { 'windowsmachineconfig.openshift.io/version': '10.19.0' } }, spec: { providerID: 'azure:///x' } }, 'openshift'],
  ['an RKE2 node', { status: { nodeInfo: { kubeletVersion: 'v1.29.2+rke2r1' } } }, 'rke2'],
  ['a Cluster API node on Azure', { metadata: { annotations: { 'cluster.x-k8s.io/machine': 'm' } }, spec: { providerID: 'azure:///x' } }, 'capi'],
  ['a kubeadm node', { metadata: { annotations: { 'kubeadm.alpha.kubernetes.io/cri-socket': 'npipe:////./pipe/containerd-containerd' } } }, 'kubeadm'],
  ['a machine in AWS', { spec: { providerID: 'aws:///us-east-2b/i-0' } }, 'aws'],
  ['a node that says nothing', { metadata: { labels: { 'kubernetes.io/os': 'windows' } } }, null],
  ['an object of odd types', { metadata: { labels: ['eks.amazonaws.com/nodegroup'], annotations: 5 }, spec: { providerID: {} } }, null],
];

describe('providerOf', () => {
  for (const [title, node, provider] of CASES) it(`${title}: ${provider ?? 'unknown'}`, () => assert.equal(providerOf(node), provider));

  it('has a source for each row', () => {
    for (const row of PROVIDER_EVIDENCE) assert.match(row.source, /^https:\/\//, row.provider);
  });
});
