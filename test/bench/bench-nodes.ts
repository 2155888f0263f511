import type { KubeObject } from '../../src/domain/kubernetes/object.ts';

/** Size of one node as JSON, in bytes: what a node of a real cluster weighs with 50 images and managedFields. */
const NODE_BYTES = 10_000;

const RELEASES = [
  { build: 17763, revision: 8389, image: 'Windows Server 2019 Datacenter', tag: 'ltsc2019' },
  { build: 20348, revision: 5499, image: 'Windows Server 2022 Datacenter', tag: 'ltsc2022' },
  { build: 26100, revision: 32995, image: 'Windows Server 2025 Datacenter', tag: 'ltsc2025' },
] as const;

/** `count` nodes of an AKS-like cluster, every second one Windows, each of NODE_BYTES. */
export function benchNodes(count: number): readonly KubeObject[] {
  return Array.from({ length: count }, (_, index) => padded(index % 2 === 0 ? windowsNode(index) : linuxNode(index)));
}

function windowsNode(index: number): KubeObject {
  const { build, revision, image, tag } = RELEASES[(index / 2) % RELEASES.length] ?? RELEASES[0];
  const name = `akswin${String(index).padStart(6, '0')}`;
  return node(name, index, {
    labels: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': `10.0.${build}`, 'kubernetes.azure.com/agentpool': `win${tag.slice(-2)}` },
    info: { operatingSystem: 'windows', kernelVersion: `10.0.${build}.${revision}`, osImage: image, containerRuntimeVersion: 'containerd://2.0.4+azure' },
    images: imageList(`mcr.microsoft.com/windows/servercore/app-${index % 7}`, tag),
  });
}

function linuxNode(index: number): KubeObject {
  return node(`aks-linux-${String(index).padStart(6, '0')}`, index, {
    labels: { 'kubernetes.io/os': 'linux', 'kubernetes.azure.com/agentpool': 'linux' },
    info: { operatingSystem: 'linux', kernelVersion: '6.6.96.2-2.azl3', osImage: 'Microsoft Azure Linux 3.0', containerRuntimeVersion: 'containerd://2.0.0' },
    images: imageList(`registry.k8s.io/app-${index % 7}`, 'v1.2.3'),
  });
}

function node(name: string, index: number, parts: { labels: Record<string, string>; info: Record<string, string>; images: readonly unknown[] }): KubeObject {
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/arch': 'amd64', 'beta.kubernetes.io/arch': 'amd64', 'node.kubernetes.io/instance-type': 'Standard_D8ds_v5', 'topology.kubernetes.io/region': 'westeurope', 'topology.kubernetes.io/zone': `westeurope-${index % 3}`, ...parts.labels },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', 'csi.volume.kubernetes.io/nodeid': JSON.stringify({ 'disk.csi.azure.com': name, 'file.csi.azure.com': name }) },
    },
    spec: { providerID: `azure:///subscriptions/00000000-0000-0000-0000-000000000000/virtualMachines/${name}` },
    status: {
      addresses: [{ type: 'InternalIP', address }, { type: 'Hostname', address: name }],
      capacity: { cpu: '8', memory: '33554432Ki', pods: '110', 'ephemeral-storage': '134217728Ki' },
      allocatable: { cpu: '7820m', memory: '28311552Ki', pods: '110', 'ephemeral-storage': '120259084288' },
      conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
        type, status: type === 'Ready' ? 'True' : 'False', lastHeartbeatTime: '2026-11-30T10:00:00Z', lastTransitionTime: '2026-11-01T10:00:00Z',
        reason: type === 'Ready' ? 'KubeletReady' : `KubeletHasSufficient${type}`, message: 'kubelet is posting ready status',
      })),
      nodeInfo: {
        machineID: '5f5a2d2b6b6c4ff5a3c7a1d0f0e1b2c3', systemUUID: '4c4c4544-0042-3510-8052-b4c04f4e4d32', bootID: '9', architecture: 'amd64',
        kubeletVersion: 'v1.36.3', kubeProxyVersion: 'v1.36.3', ...parts.info,
      },
      images: parts.images,
    },
  };
}

function imageList(prefix: string, tag: string): readonly unknown[] {
  return Array.from({ length: 25 }, (_, index) => ({
    names: [`${prefix}-${index}@sha256:${String(index).padStart(64, 'a')}`, `${prefix}-${index}:${tag}`], sizeBytes: 2_100_000_000 - index * 1_000_003,
  }));
}

/** Fills the node up to NODE_BYTES with one annotation, as managedFields would. */
function padded(raw: KubeObject): KubeObject {
  const missing = NODE_BYTES - JSON.stringify(raw).length;
  if (missing <= 0) return raw;
  return { ...raw, metadata: { ...raw.metadata, annotations: { ...(raw.metadata?.['annotations'] as object), 'example.com/filling': 'x'.repeat(Math.max(0, missing - 30)) } } };
}
