import { POOL_IMAGES, nodeImage } from './images.ts';
import { RECORDED_AT, hexOf, metadata, numberOf, timeBefore, uidOf } from './values.ts';
import type { Json, JsonMap } from './values.ts';

interface Pool {
  readonly id: string;
  readonly names: readonly string[];
  readonly os: 'windows' | 'linux';
  readonly labels: (name: string, index: number) => Record<string, string>;
  readonly providerId: (name: string, index: number) => string;
  readonly taints: readonly JsonMap[];
  readonly kernel: string;
  readonly osImage: string;
  readonly kubelet: string;
  readonly runtime: string;
  readonly cpu: number;
  readonly memoryKi: number;
  readonly diskKi: number;
  readonly pods: number;
  readonly images: readonly string[];
  readonly ageDays: number;
  readonly network: string;
}

/** What differs from the pool, by node: the things that an operator should see. */
interface Deviation {
  readonly kernel?: string;
  readonly kubelet?: string;
  readonly runtime?: string;
  readonly noTaints?: boolean;
  readonly labels?: Record<string, string>;
  readonly lost?: boolean;
  readonly diskPressure?: boolean;
  readonly cordoned?: boolean;
  readonly nothingReserved?: boolean;
  readonly ageDays?: number;
  readonly extraImages?: readonly string[];
}

const OS_TAINT = { key: 'os', value: 'windows', effect: 'NoSchedule' } as const;
const SUBSCRIPTION = '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/mc_mixed_prod_westeurope/providers/Microsoft.Compute/virtualMachineScaleSets';

function numbered(prefix: string, count: number, digits: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(digits, '0')}`);
}

function baseLabels(name: string, os: string, instanceType: string, region: string, zone: string): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': os,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': os,
    'node.kubernetes.io/instance-type': instanceType,
    'topology.kubernetes.io/region': region,
    'topology.kubernetes.io/zone': zone,
  };
}

function aksLabels(pool: string, os: string, sku: string, instanceType: string, imageVersion: string, mode: string) {
  return (name: string, index: number): Record<string, string> => ({
    ...baseLabels(name, os, instanceType, 'westeurope', `westeurope-${(index % 3) + 1}`),
    agentpool: pool,
    'kubernetes.azure.com/agentpool': pool,
    'kubernetes.azure.com/cluster': 'MC_mixed_prod_westeurope',
    'kubernetes.azure.com/mode': mode,
    'kubernetes.azure.com/node-image-version': imageVersion,
    'kubernetes.azure.com/os-sku': sku,
    'kubernetes.azure.com/role': 'agent',
  });
}

function aksProvider(vmss: string) {
  return (_name: string, index: number): string => `azure://${SUBSCRIPTION}/${vmss}/virtualMachines/${index}`;
}

function awsProvider(name: string, index: number): string {
  return `aws:///eu-west-1${'abc'.charAt(index % 3)}/i-0${hexOf(name).slice(0, 16)}`;
}

function eksLabels(group: string, instanceType: string) {
  return (name: string, index: number): Record<string, string> => ({
    ...baseLabels(name, group.startsWith('win') ? 'windows' : 'linux', instanceType, 'eu-west-1', `eu-west-1${'abc'.charAt(index % 3)}`),
    'alpha.eksctl.io/cluster-name': 'mixed-prod',
    'alpha.eksctl.io/nodegroup-name': group,
    'eks.amazonaws.com/capacityType': 'ON_DEMAND',
    'eks.amazonaws.com/nodegroup': group,
    'eks.amazonaws.com/nodegroup-image': `ami-0${hexOf(group).slice(0, 16)}`,
  });
}

function gkeLabels(pool: string, distribution: string, machine: string) {
  return (name: string, index: number): Record<string, string> => ({
    ...baseLabels(name, distribution === 'cos' ? 'linux' : 'windows', machine, 'europe-west4', `europe-west4-${'abc'.charAt(index % 3)}`),
    'cloud.google.com/gke-container-runtime': 'containerd',
    'cloud.google.com/gke-nodepool': pool,
    'cloud.google.com/gke-os-distribution': distribution,
    'cloud.google.com/machine-family': machine.split('-')[0] ?? '',
  });
}

function plainLabels(os: string, role: string | null) {
  return (name: string): Record<string, string> => ({
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': os,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': os,
    ...(role === null ? {} : { [`node-role.kubernetes.io/${role}`]: '' }),
  });
}

function ec2Names(count: number, block: number): string[] {
  return Array.from({ length: count }, (_, index) => `ip-10-40-${block + (index % 3) * 16}-${37 + index * 41}.eu-west-1.compute.internal`);
}

const WINDOWS_CAPACITY = { cpu: 4, memoryKi: 16_776_692, diskKi: 133_703_676, pods: 30 };
const LINUX_CAPACITY = { cpu: 4, memoryKi: 16_375_056, diskKi: 129_886_128, pods: 110 };

const POOLS: readonly Pool[] = [
  {
    id: 'system', names: numbered('aks-system-31749412-vmss00000', 3, 1), os: 'linux', labels: aksLabels('system', 'linux', 'Ubuntu', 'Standard_D4s_v5', 'AKSUbuntu-2204gen2containerd-202610.27.0', 'system'),
    providerId: aksProvider('aks-system-31749412-vmss'), taints: [{ key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' }],
    kernel: '5.15.0-1102-azure', osImage: 'Ubuntu 22.04.5 LTS', kubelet: 'v1.34.9', runtime: 'containerd://1.7.30-1', ...LINUX_CAPACITY, images: POOL_IMAGES.aksLinux, ageDays: 31, network: '10.224.0',
  },
  {
    id: 'apps', names: numbered('aks-apps-20914437-vmss00000', 5, 1), os: 'linux', labels: aksLabels('apps', 'linux', 'AzureLinux', 'Standard_D4s_v5', 'AKSAzureLinux-V3gen2-202610.27.0', 'user'),
    providerId: aksProvider('aks-apps-20914437-vmss'), taints: [],
    kernel: '6.6.104.2-4.azl3', osImage: 'Microsoft Azure Linux 3.0', kubelet: 'v1.34.9', runtime: 'containerd://2.0.0', ...LINUX_CAPACITY, images: POOL_IMAGES.aksLinux, ageDays: 31, network: '10.224.1',
  },
  {
    id: 'w19', names: numbered('aksw19', 4, 6), os: 'windows', labels: aksLabels('w19', 'windows', 'Windows2019', 'Standard_D4s_v3', 'AKSWindows-2019-containerd-17763.8389.260210', 'user'),
    providerId: aksProvider('aksw19'), taints: [OS_TAINT],
    kernel: '10.0.17763.8389', osImage: 'Windows Server 2019 Datacenter', kubelet: 'v1.32.11', runtime: 'containerd://1.7.20+azure', ...WINDOWS_CAPACITY, images: POOL_IMAGES.w19, ageDays: 288, network: '10.224.19',
  },
  {
    id: 'w22', names: numbered('aksw22', 7, 6), os: 'windows', labels: aksLabels('w22', 'windows', 'Windows2022', 'Standard_D4s_v5', 'AKSWindows-2022-containerd-gen2-20348.5761.261014', 'user'),
    providerId: aksProvider('aksw22'), taints: [OS_TAINT],
    kernel: '10.0.20348.5761', osImage: 'Windows Server 2022 Datacenter', kubelet: 'v1.34.9', runtime: 'containerd://1.7.28+azure', ...WINDOWS_CAPACITY, images: POOL_IMAGES.w22, ageDays: 40, network: '10.224.22',
  },
  {
    id: 'w25', names: numbered('aksw25', 5, 6), os: 'windows', labels: aksLabels('w25', 'windows', 'Windows2025', 'Standard_D8s_v5', 'AKSWindows-2025-26100.33650.261014', 'user'),
    providerId: aksProvider('aksw25'), taints: [OS_TAINT],
    kernel: '10.0.26100.33650', osImage: 'Windows Server 2025 Datacenter', kubelet: 'v1.34.9', runtime: 'containerd://2.0.4+azure', cpu: 8, memoryKi: 33_554_036, diskKi: 133_703_676, pods: 50, images: POOL_IMAGES.w25, ageDays: 38, network: '10.224.25',
  },
  {
    id: 'wac', names: numbered('akswac', 1, 6), os: 'windows', labels: aksLabels('wac', 'windows', 'WindowsAnnual', 'Standard_D4s_v5', 'AKSWindows-23H2-gen2-25398.2330.260513', 'user'),
    providerId: aksProvider('akswac'), taints: [OS_TAINT],
    // 23H2 calls itself 2022; only the build tells.
    kernel: '10.0.25398.2330', osImage: 'Windows Server 2022 Datacenter', kubelet: 'v1.33.6', runtime: 'containerd://1.7.28+azure', ...WINDOWS_CAPACITY, images: POOL_IMAGES.wac, ageDays: 192, network: '10.224.23',
  },
  {
    id: 'eks-windows', names: ec2Names(4, 0), os: 'windows', labels: eksLabels('win2022-core', 'm6i.xlarge'), providerId: awsProvider, taints: [],
    kernel: '10.0.20348.5622', osImage: 'Windows Server 2022 Datacenter', kubelet: 'v1.34.1-eks-113cf36', runtime: 'containerd://1.7.27', ...WINDOWS_CAPACITY, diskKi: 104_857_596, pods: 110, images: POOL_IMAGES.eksWindows, ageDays: 55, network: '10.40.8',
  },
  {
    id: 'eks-linux', names: ec2Names(4, 64), os: 'linux', labels: eksLabels('linux-al2023', 'm6i.large'), providerId: awsProvider, taints: [],
    kernel: '6.1.155-176.282.amzn2023.x86_64', osImage: 'Amazon Linux 2023.9.20251020', kubelet: 'v1.34.1-eks-113cf36', runtime: 'containerd://2.1.4', ...LINUX_CAPACITY, cpu: 2, memoryKi: 7_934_080, pods: 29, images: POOL_IMAGES.eksLinux, ageDays: 55, network: '10.40.72',
  },
  {
    id: 'gke-windows', names: ['gke-mixed-prod-win-ltsc2022-7d1c39aa-4k2x', 'gke-mixed-prod-win-ltsc2022-7d1c39aa-q8zt'], os: 'windows', labels: gkeLabels('win-ltsc2022', 'windows_ltsc', 'n2-standard-4'),
    providerId: (name, index) => `gce://mixed-prod/europe-west4-${'abc'.charAt(index % 3)}/${name}`, taints: [{ key: 'node.kubernetes.io/os', value: 'windows', effect: 'NoSchedule' }],
    kernel: '10.0.20348.5386', osImage: 'Windows Server 2022 Datacenter', kubelet: 'v1.34.1-gke.2037001', runtime: 'containerd://2.0.6', ...WINDOWS_CAPACITY, diskKi: 104_333_308, pods: 110, images: POOL_IMAGES.gkeWindows, ageDays: 118, network: '10.164.0',
  },
  {
    id: 'gke-linux', names: ['gke-mixed-prod-default-pool-1b0d5c2e-0m9d', 'gke-mixed-prod-default-pool-1b0d5c2e-hv3p', 'gke-mixed-prod-default-pool-1b0d5c2e-z7wl'], os: 'linux', labels: gkeLabels('default-pool', 'cos', 'e2-standard-4'),
    providerId: (name, index) => `gce://mixed-prod/europe-west4-${'abc'.charAt(index % 3)}/${name}`, taints: [],
    kernel: '6.6.105+', osImage: 'Container-Optimized OS from Google', kubelet: 'v1.34.1-gke.2037001', runtime: 'containerd://2.0.6', ...LINUX_CAPACITY, images: POOL_IMAGES.gkeLinux, ageDays: 118, network: '10.164.1',
  },
  {
    id: 'kubeadm-control-plane', names: numbered('dc1-cp-', 3, 2), os: 'linux', labels: plainLabels('linux', 'control-plane'), providerId: () => '', taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
    kernel: '6.8.0-86-generic', osImage: 'Ubuntu 24.04.3 LTS', kubelet: 'v1.34.9', runtime: 'containerd://1.7.28', ...LINUX_CAPACITY, images: POOL_IMAGES.kubeadmLinux, ageDays: 402, network: '172.20.1',
  },
  {
    id: 'kubeadm-linux', names: numbered('dc1-lin-', 2, 2), os: 'linux', labels: plainLabels('linux', 'worker'), providerId: () => '', taints: [],
    kernel: '6.8.0-86-generic', osImage: 'Ubuntu 24.04.3 LTS', kubelet: 'v1.34.9', runtime: 'containerd://1.7.28', ...LINUX_CAPACITY, images: POOL_IMAGES.kubeadmLinux, ageDays: 402, network: '172.20.2',
  },
  {
    id: 'kubeadm-windows', names: ['dc1-win19-01', 'dc1-win22-01', 'dc1-win22-02', 'dc1-win25-01'], os: 'windows', labels: plainLabels('windows', null), providerId: () => '', taints: [OS_TAINT],
    kernel: '10.0.20348.5761', osImage: 'Windows Server 2022 Standard', kubelet: 'v1.34.2', runtime: 'containerd://1.7.28', cpu: 16, memoryKi: 67_108_148, diskKi: 524_285_948, pods: 110, images: POOL_IMAGES.kubeadmWindows, ageDays: 210, network: '172.20.3',
  },
];

const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  // Older kubelet than the version skew policy allows for a 1.34 API server, on an ended containerd line.
  aksw19000002: { kubelet: 'v1.30.14', runtime: 'containerd://1.6.35+azure', ageDays: 421 },
  // Joined without the taint of its pool: Linux pods without a nodeSelector land here.
  aksw19000003: { noTaints: true },
  // Left out of the last node image upgrades.
  aksw22000001: { kernel: '10.0.20348.4405', labels: { 'kubernetes.azure.com/node-image-version': 'AKSWindows-2022-containerd-gen2-20348.4405.251112' }, ageDays: 377 },
  aksw22000002: { noTaints: true },
  // Somebody edited the label that the kubelet sets.
  aksw22000003: { labels: { 'node.kubernetes.io/windows-build': '10.0.17763' } },
  aksw22000004: { lost: true },
  aksw22000005: { diskPressure: true, extraImages: ['contoso.azurecr.io/media/transcoder:6.2.0-ltsc2022', 'contoso.azurecr.io/media/transcoder:6.1.4-ltsc2022', 'contoso.azurecr.io/media/transcoder:6.1.3-ltsc2022'] },
  aksw22000006: { cordoned: true },
  aksw25000004: { kernel: '10.0.26100.33158', labels: { 'kubernetes.azure.com/node-image-version': 'AKSWindows-2025-26100.33158.260715' }, ageDays: 131 },
  'dc1-win19-01': { kernel: '10.0.17763.9376', runtime: 'containerd://1.7.13', nothingReserved: true, ageDays: 705 },
  'dc1-win25-01': { kernel: '10.0.26100.33438', runtime: 'containerd://2.1.4', ageDays: 77 },
  'ip-10-40-16-78.eu-west-1.compute.internal': { kernel: '10.0.20348.5139' },
};

const OS_IMAGES: Readonly<Record<string, string>> = { 'dc1-win19-01': 'Windows Server 2019 Standard', 'dc1-win25-01': 'Windows Server 2025 Datacenter' };

export interface SampleNode {
  readonly name: string;
  readonly pool: string;
  readonly os: 'windows' | 'linux';
  readonly internalIP: string;
  readonly uid: string;
  readonly object: JsonMap;
}

/** The nodes of the sample cluster, in the order of their pools. */
export function sampleNodes(): readonly SampleNode[] {
  return POOLS.flatMap((pool) => pool.names.map((name, index) => sampleNode(pool, name, index)));
}

function sampleNode(pool: Pool, name: string, index: number): SampleNode {
  const deviation = DEVIATIONS[name] ?? {};
  const kernel = deviation.kernel ?? pool.kernel;
  const kubelet = deviation.kubelet ?? pool.kubelet;
  const ageDays = deviation.ageDays ?? pool.ageDays;
  const internalIP = `${pool.network}.${index + 4}`;
  const labels = {
    ...pool.labels(name, index),
    ...(pool.os === 'windows' ? { 'node.kubernetes.io/windows-build': kernel.split('.').slice(0, 3).join('.') } : {}),
    ...deviation.labels,
  };
  const taints: JsonMap[] = [
    ...(deviation.noTaints ? [] : pool.taints),
    ...(deviation.cordoned ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: timeBefore(2, name) }] : []),
    ...(deviation.lost ? [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded: timeBefore(0.4, name) }, { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: timeBefore(0.4, name) }] : []),
    ...(deviation.diskPressure ? [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule', timeAdded: timeBefore(0.2, name) }] : []),
  ];
  const providerID = pool.providerId(name, index);
  const capacity = { cpu: String(pool.cpu), 'ephemeral-storage': `${pool.diskKi}Ki`, memory: `${pool.memoryKi}Ki`, pods: String(pool.pods) };
  const allocatable = deviation.nothingReserved ? capacity : {
    cpu: pool.os === 'windows' ? capacity.cpu : `${pool.cpu * 1000 - 140}m`,
    'ephemeral-storage': String(Math.floor(pool.diskKi * 1024 * 0.9)),
    memory: `${pool.memoryKi - (pool.os === 'windows' ? 3_984_588 : 2_048_000)}Ki`,
    pods: capacity.pods,
  };
  const object: JsonMap = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: metadata('Node', null, name, ageDays, {
      labels: sorted(labels),
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    }),
    spec: {
      podCIDR: `10.${244 + (index % 4)}.${numberOf(name, 250)}.0/24`,
      ...(providerID === '' ? {} : { providerID }),
      ...(taints.length === 0 ? {} : { taints }),
      ...(deviation.cordoned ? { unschedulable: true } : {}),
    },
    status: {
      addresses: [{ type: 'InternalIP', address: internalIP }, { type: 'Hostname', address: name }],
      allocatable,
      capacity,
      conditions: conditions(name, ageDays, deviation),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: [...(deviation.extraImages ?? []), ...pool.images].map(nodeImage).sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, 50),
      nodeInfo: {
        architecture: 'amd64',
        bootID: pool.os === 'windows' ? String(numberOf(`boot ${name}`, 90) + 3) : uidOf(`boot ${name}`),
        containerRuntimeVersion: deviation.runtime ?? pool.runtime,
        kernelVersion: kernel,
        kubeProxyVersion: '',
        kubeletVersion: kubelet,
        machineID: pool.os === 'windows' ? name : hexOf(`machine ${name}`).slice(0, 32),
        operatingSystem: pool.os,
        osImage: OS_IMAGES[name] ?? pool.osImage,
        systemUUID: uidOf(`system ${name}`).toUpperCase(),
      },
    },
  };
  return { name, pool: pool.id, os: pool.os, internalIP, uid: uidOf(`Node//${name}`), object };
}

function conditions(name: string, ageDays: number, deviation: Deviation): Json {
  const heartbeat = deviation.lost ? timeBefore(0.41, name) : new Date(Date.parse(RECORDED_AT) - numberOf(`beat ${name}`, 240) * 1000).toISOString().replace('.000Z', 'Z');
  const condition = (type: string, status: string, reason: string, message: string, since: number): JsonMap => (deviation.lost
    ? { type, status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.', lastHeartbeatTime: heartbeat, lastTransitionTime: timeBefore(0.4, name) }
    : { type, status, reason, message, lastHeartbeatTime: heartbeat, lastTransitionTime: timeBefore(since, `${type} ${name}`) });
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available', ageDays),
    deviation.diskPressure
      ? condition('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure', 0.2)
      : condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure', ageDays),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available', ageDays),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status', ageDays - 0.01),
  ];
}

function sorted(map: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
