import type { KubeObject } from '../../src/domain/kubernetes/object.ts';

/** Size of one pod as JSON, in bytes: 20,000 of them are the 69 MB of the cluster that the aims of `check` come from. */
const POD_BYTES = 3_450;
/** Pods per workload. */
const PODS_PER_WORKLOAD = 5;
const NAMESPACES = 40;

/** An object with the path that it is created at, and whether its status is written in a second request. */
export interface BenchObject {
  readonly path: string;
  readonly object: KubeObject;
}

export interface BenchWorkloads {
  readonly namespaces: readonly string[];
  readonly workloads: readonly BenchObject[];
  readonly pods: readonly BenchObject[];
}

/** Workloads (mostly Deployments, a fifth for Windows, half of these with something to find) with their pods, bound to `nodes`. */
export function benchWorkloads(podCount: number, nodes: readonly { readonly name: string; readonly isWindows: boolean }[]): BenchWorkloads {
  const windows = nodes.filter(({ isWindows }) => isWindows);
  const linux = nodes.filter(({ isWindows }) => !isWindows);
  const workloads: BenchObject[] = [];
  const pods: BenchObject[] = [];
  for (let index = 0; index < podCount / PODS_PER_WORKLOAD; index++) {
    const isWindows = index % 5 === 0;
    const namespace = `team-${index % NAMESPACES}`;
    const name = `${isWindows ? 'win' : 'app'}-${index}`;
    const spec = podSpec(name, isWindows, index);
    const kind = index % 20 === 7 ? 'StatefulSet' : 'Deployment';
    const labels = { app: name, 'app.kubernetes.io/part-of': `product-${index % 200}` };
    workloads.push({
      path: `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s`,
      object: {
        apiVersion: 'apps/v1', kind, metadata: { name, namespace, labels, annotations: { 'deployment.kubernetes.io/revision': '3' } },
        spec: { replicas: PODS_PER_WORKLOAD, selector: { matchLabels: { app: name } }, ...(kind === 'StatefulSet' ? { serviceName: name } : {}), template: { metadata: { labels }, spec } },
      },
    });
    const hash = `5d8f9c${(index % 10_000).toString().padStart(4, '0')}`;
    for (let pod = 0; pod < PODS_PER_WORKLOAD; pod++) {
      const candidates = isWindows ? windows : linux;
      const nodeName = candidates[(index * PODS_PER_WORKLOAD + pod) % candidates.length]?.name ?? 'none';
      pods.push({
        path: `/api/v1/namespaces/${namespace}/pods`,
        object: padded(kind === 'StatefulSet'
          ? podOf(`${name}-${pod}`, namespace, { ...labels, 'apps.kubernetes.io/pod-index': String(pod) }, { kind, name }, { ...spec, nodeName })
          : podOf(`${name}-${hash}-x${pod}k2z`, namespace, { ...labels, 'pod-template-hash': hash }, { kind: 'ReplicaSet', name: `${name}-${hash}` }, { ...spec, nodeName })),
      });
    }
  }
  return { namespaces: Array.from({ length: NAMESPACES }, (_, index) => `team-${index}`), workloads, pods };
}

function podSpec(name: string, isWindows: boolean, index: number): Readonly<Record<string, unknown>> {
  const hasFaults = index % 2 === 0;
  return {
    ...(isWindows ? { nodeSelector: { 'kubernetes.io/os': 'windows' }, ...(hasFaults ? {} : { os: { name: 'windows' } }) } : { nodeSelector: { 'kubernetes.io/os': 'linux' } }),
    ...(isWindows && hasFaults ? { securityContext: { runAsUser: 1000 } } : {}),
    containers: [{
      name: 'main', image: isWindows ? `registry.example.com/${name}:1.4.2-windowsservercore-ltsc2022` : `registry.example.com/${name}:1.4.2`,
      env: Array.from({ length: 12 }, (_, variable) => ({ name: `SETTING_${variable}`, value: `value-${variable}-of-${name}` })),
      resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '256Mi' } },
      volumeMounts: [{ name: 'config', mountPath: isWindows ? 'C:\\config' : '/config' }],
      ports: [{ containerPort: 8080 }],
    }],
    volumes: [{ name: 'config', configMap: { name: `${name}-config` } }],
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
  };
}

function podOf(name: string, namespace: string, labels: Readonly<Record<string, string>>, owner: { readonly kind: string; readonly name: string }, spec: Readonly<Record<string, unknown>>): KubeObject {
  return {
    apiVersion: 'v1', kind: 'Pod',
    metadata: { name, namespace, labels, ownerReferences: [{ apiVersion: 'apps/v1', ...owner, uid: '7a0f5a3e-7d8a-4b2b-9b1f-2f1e5a3c4d5e', controller: true, blockOwnerDeletion: true }] },
    spec,
    status: {
      phase: 'Running', podIP: '10.1.2.3', startTime: '2026-11-20T10:00:00Z', qosClass: 'Burstable',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime: '2026-11-20T10:00:00Z' })),
      containerStatuses: [{ name: 'main', ready: true, restartCount: 0, image: 'registry.example.com/x', imageID: `registry.example.com/x@sha256:${'a'.repeat(64)}`, containerID: `containerd://${'b'.repeat(64)}`, state: { running: { startedAt: '2026-11-20T10:00:05Z' } } }],
    },
  };
}

/** Fills a pod up to POD_BYTES with one annotation, as managedFields would. */
function padded(pod: KubeObject): KubeObject {
  const missing = POD_BYTES - JSON.stringify(pod).length - 500; // what the server adds: uid, times, defaults
  return missing <= 40 ? pod : { ...pod, metadata: { ...pod.metadata, annotations: { 'example.com/filling': 'x'.repeat(missing - 40) } } };
}
