import { hexOf, metadata, numberOf } from './values.ts';
import type { JsonMap } from './values.ts';
import type { SampleNode } from './nodes.ts';
import type { SampleWorkload } from './workloads.ts';

const POD_SECURITY: Readonly<Record<string, string>> = {
  shop: 'baseline', orders: 'baseline', payments: 'restricted', batch: 'restricted', 'kube-system': 'privileged', monitoring: 'privileged', identity: 'baseline', 'kubectl-win': 'privileged',
};

const NAMESPACES = ['batch', 'ci', 'default', 'edge', 'erp', 'factory', 'gitops', 'identity', 'ingress-nginx', 'kube-node-lease', 'kube-public', 'kube-system', 'kubectl-win', 'media', 'monitoring', 'orders', 'payments', 'reporting', 'sandbox', 'shop'] as const;

export function namespaces(): JsonMap[] {
  return NAMESPACES.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: metadata('Namespace', null, name, 700, {
      labels: { 'kubernetes.io/metadata.name': name, ...(POD_SECURITY[name] === undefined ? {} : { 'pod-security.kubernetes.io/enforce': POD_SECURITY[name] }) },
    }),
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }));
}

const OS_TOLERATION = { key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' };

export function runtimeClasses(): JsonMap[] {
  return [['windows-2019', '10.0.17763'], ['windows-2022', '10.0.20348'], ['windows-2025', '10.0.26100']].map(([name = '', build = '']) => ({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: metadata('RuntimeClass', null, name, 300),
    handler: 'runhcs-wcow-process',
    scheduling: { nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': build }, tolerations: [OS_TOLERATION] },
  }));
}

/** Budgets: most allow one eviction; those marked allow none and hold every drain up. */
export function disruptionBudgets(): JsonMap[] {
  const rows: readonly (readonly [namespace: string, app: string, spec: JsonMap, healthy: number, allowed: number])[] = [
    ['shop', 'storefront', { minAvailable: '50%' }, 4, 2],
    ['shop', 'catalog-api', { maxUnavailable: 1 }, 3, 1],
    ['orders', 'order-intake', { minAvailable: 2 }, 3, 1],
    ['payments', 'card-api', { maxUnavailable: '25%' }, 4, 1],
    ['payments', 'fraud-scoring', { minAvailable: 2 }, 3, 1],
    ['media', 'encoder-queue', { minAvailable: '66%' }, 3, 1],
    ['ingress-nginx', 'ingress-nginx-controller', { minAvailable: 2 }, 3, 1],
    ['orders', 'sequence-generator', { minAvailable: 1 }, 1, 0],
    ['erp', 'ledger', { maxUnavailable: 0 }, 3, 0],
    ['erp', 'licence-server', { minAvailable: 1 }, 1, 0],
    ['erp', 'tax-engine', { minAvailable: 1 }, 0, 0],
    ['erp', 'gone-service', { minAvailable: 1 }, 0, 0],
  ];
  return rows.map(([namespace, app, spec, healthy, allowed]) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata('PodDisruptionBudget', namespace, app, 200, { generation: 1 }),
    spec: { ...spec, selector: { matchLabels: { app } } },
    status: { currentHealthy: healthy, desiredHealthy: healthy - allowed, disruptionsAllowed: allowed, expectedPods: healthy, observedGeneration: 1 },
  }));
}

export function services(workloads: readonly SampleWorkload[]): JsonMap[] {
  const plain = workloads.filter(({ kind, namespace }) => (kind === 'Deployment' || kind === 'StatefulSet') && ['shop', 'orders', 'payments', 'identity', 'monitoring'].includes(namespace)).map(({ kind, namespace, name, podSpec }) => {
    const container = (podSpec['containers'] as readonly JsonMap[])[0] ?? {};
    const port = (container['ports'] as readonly JsonMap[] | undefined)?.[0]?.['containerPort'] ?? 8080;
    return service(namespace, name, { type: 'ClusterIP', clusterIP: kind === 'StatefulSet' ? 'None' : clusterIP(namespace, name), ports: [{ port: 80, targetPort: port, protocol: 'TCP' }] });
  });
  return [
    ...plain,
    service('ingress-nginx', 'ingress-nginx-controller', { type: 'LoadBalancer', clusterIP: clusterIP('ingress-nginx', 'controller'), externalTrafficPolicy: 'Local', ports: [{ port: 443, targetPort: 443, nodePort: 31443, protocol: 'TCP' }] }),
    service('edge', 'kiosk-api', { type: 'NodePort', clusterIP: clusterIP('edge', 'kiosk-api'), ports: [{ port: 80, targetPort: 8080, nodePort: 30080, protocol: 'TCP' }] }),
    // Session affinity and IPv6 are Linux-only or limited on Windows.
    service('erp', 'soap-bridge', { type: 'ClusterIP', clusterIP: clusterIP('erp', 'soap-bridge'), sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } }, ports: [{ port: 808, targetPort: 808, protocol: 'TCP' }] }),
    service('media', 'live-ingest', { type: 'LoadBalancer', clusterIP: clusterIP('media', 'live-ingest'), ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'], ports: [{ port: 1935, targetPort: 8080, nodePort: 31935, protocol: 'TCP' }] }),
  ];
}

function clusterIP(namespace: string, name: string): string {
  return `10.0.${numberOf(`ip ${namespace}/${name}`, 250)}.${numberOf(`ip2 ${namespace}/${name}`, 250) + 2}`;
}

function service(namespace: string, name: string, spec: JsonMap): JsonMap {
  return { apiVersion: 'v1', kind: 'Service', metadata: metadata('Service', namespace, name, 150), spec: { ...spec, selector: { app: name } }, status: { loadBalancer: {} } };
}

export function networkPolicies(): JsonMap[] {
  const policy = (namespace: string, name: string, spec: JsonMap): JsonMap => ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: metadata('NetworkPolicy', namespace, name, 120), spec });
  return [
    policy('payments', 'default-deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
    policy('payments', 'card-api', { podSelector: { matchLabels: { app: 'card-api' } }, policyTypes: ['Ingress'], ingress: [{ from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } }], ports: [{ port: 8080, protocol: 'TCP' }] }] }),
    policy('shop', 'redis', { podSelector: { matchLabels: { app: 'redis' } }, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 6379, endPort: 6380, protocol: 'TCP' }] }] }),
    policy('orders', 'edi-gateway', { podSelector: { matchLabels: { app: 'edi-gateway' } }, policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '198.51.100.0/24' } }] }] }),
  ];
}

export function storageClasses(): JsonMap[] {
  const storageClass = (name: string, provisioner: string, parameters: JsonMap, more: JsonMap = {}): JsonMap => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: metadata('StorageClass', null, name, 600), provisioner, parameters, reclaimPolicy: 'Delete', volumeBindingMode: 'WaitForFirstConsumer', allowVolumeExpansion: true, ...more });
  return [
    storageClass('managed-csi', 'disk.csi.azure.com', { skuName: 'StandardSSD_ZRS' }),
    storageClass('managed-csi-windows', 'disk.csi.azure.com', { skuName: 'Premium_LRS', fsType: 'ntfs' }),
    storageClass('azurefile-csi', 'file.csi.azure.com', { skuName: 'Standard_LRS' }, { volumeBindingMode: 'Immediate', mountOptions: ['mfsymlinks', 'actimeo=30', 'nosharesock'] }),
    storageClass('gp3', 'ebs.csi.aws.com', { type: 'gp3', fsType: 'ext4' }),
    storageClass('pd-balanced', 'pd.csi.storage.gke.io', { type: 'pd-balanced' }),
  ];
}

export function volumeClaims(): JsonMap[] {
  const rows: readonly (readonly [namespace: string, name: string, storageClass: string, mode: string, size: string, volumeMode?: string])[] = [
    ['orders', 'data-rabbitmq-0', 'managed-csi', 'ReadWriteOnce', '32Gi'],
    ['orders', 'data-rabbitmq-1', 'managed-csi', 'ReadWriteOnce', '32Gi'],
    ['orders', 'data-rabbitmq-2', 'managed-csi', 'ReadWriteOnce', '32Gi'],
    ['monitoring', 'prometheus-data-0', 'managed-csi', 'ReadWriteOnce', '256Gi'],
    ['media', 'queue-encoder-queue-0', 'managed-csi-windows', 'ReadWriteOnce', '64Gi'],
    ['media', 'gallery-share', 'azurefile-csi', 'ReadWriteMany', '500Gi'],
    ['erp', 'documents-document-store-0', 'managed-csi-windows', 'ReadWriteOnce', '128Gi'],
    // ext4 for a Windows workload, and a raw block volume: neither mounts on Windows.
    ['reporting', 'data-loader-raw', 'managed-csi', 'ReadWriteOnce', '16Gi', 'Block'],
    ['erp', 'ledger-scratch', 'gp3', 'ReadWriteOncePod', '10Gi'],
  ];
  return rows.map(([namespace, name, storageClass, mode, size, volumeMode = 'Filesystem']) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata('PersistentVolumeClaim', namespace, name, 90),
    spec: { accessModes: [mode], resources: { requests: { storage: size } }, storageClassName: storageClass, volumeMode, volumeName: `pvc-${hexOf(`pv ${namespace}/${name}`).slice(0, 8)}` },
    status: { phase: 'Bound', accessModes: [mode], capacity: { storage: size } },
  }));
}

/** CSI drivers by node; some Windows nodes lack them. */
export function csiNodes(nodes: readonly SampleNode[]): JsonMap[] {
  return nodes.map(({ name, pool, os, uid }) => {
    const drivers = pool.startsWith('eks') ? (os === 'linux' ? ['ebs.csi.aws.com'] : [])
      : pool.startsWith('gke') ? ['pd.csi.storage.gke.io']
      : pool.startsWith('kubeadm') ? []
      : name === 'aksw25000004' ? ['disk.csi.azure.com'] : ['disk.csi.azure.com', 'file.csi.azure.com'];
    return {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: metadata('CSINode', null, name, 60, { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] }),
      spec: { drivers: drivers.map((driver) => ({ name: driver, nodeID: name, topologyKeys: null, ...(driver.startsWith('disk') ? { allocatable: { count: 8 } } : {}) })) },
    };
  });
}
