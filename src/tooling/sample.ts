/**
 * Writes src/sample/sample-cluster.json, the recorded inventory of a cluster that never was: values are those of real
 * clusters, names and addresses are made up, and the same program always writes the same file.
 * `node src/tooling/sample.ts` writes it; a test compares the committed file with what this program makes.
 */
import { writeFileSync } from 'node:fs';
import { sampleClusterPath } from '../sample/index.ts';
import { nodeEvent, podsOf } from './sample/pods.ts';
import { csiNodes, disruptionBudgets, namespaces, networkPolicies, runtimeClasses, services, storageClasses, volumeClaims } from './sample/policies.ts';
import { sampleNodes } from './sample/nodes.ts';
import { RECORDED_AT } from './sample/values.ts';
import type { JsonMap } from './sample/values.ts';
import { sampleWorkloads, workloadObject } from './sample/workloads.ts';

/** Resources that the recording was made with, in the order of the file. */
const RESOURCES = [
  { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false },
  { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false },
  { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true },
  { group: 'apps', version: 'v1', resource: 'statefulsets', kind: 'StatefulSet', namespaced: true },
  { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespaced: true },
  { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true },
  { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true },
  { group: 'batch', version: 'v1', resource: 'cronjobs', kind: 'CronJob', namespaced: true },
  { group: '', version: 'v1', resource: 'replicationcontrollers', kind: 'ReplicationController', namespaced: true },
  { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
  { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true },
  { group: '', version: 'v1', resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true },
  { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true },
  { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true },
  { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses', kind: 'RuntimeClass', namespaced: false },
  { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true },
  { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses', kind: 'StorageClass', namespaced: false },
  { group: 'storage.k8s.io', version: 'v1', resource: 'csinodes', kind: 'CSINode', namespaced: false },
] as const;

/** The text of the sample cluster's file: an Inventory with one object per line. */
export function sampleClusterText(): string {
  const objects = sampleObjects();
  const order = new Map<unknown, number>(RESOURCES.map(({ kind }, index) => [kind, index]));
  const sorted = objects
    .map((object) => ({ object, rank: order.get(object['kind']) ?? -1, key: keyOf(object) }))
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  const metadata = { generatedAt: RECORDED_AT, source: 'cluster', context: 'mixed-prod', serverVersion: 'v1.34.9', toolVersion: '0.1.0', resources: RESOURCES.map((resource) => ({ ...resource, complete: true })) };
  return `{"apiVersion":"kubectl-win/v1alpha1","kind":"Inventory","items":[\n${sorted.map(({ object }) => JSON.stringify(object)).join(',\n')}\n],"metadata":${JSON.stringify(metadata)}}\n`;
}

function sampleObjects(): readonly JsonMap[] {
  const nodes = sampleNodes();
  const nodesByName = new Map(nodes.map((node) => [node.name, node]));
  const workloads = sampleWorkloads();
  const fromWorkloads = workloads.flatMap((workload) => {
    const { pods, replicaSet, events, running } = podsOf(workload, nodesByName);
    return [...(workload.kind === 'Pod' ? [] : [workloadObject(workload, running)]), ...(replicaSet === null ? [] : [replicaSet]), ...pods, ...events];
  });
  return [
    ...namespaces(),
    ...nodes.map(({ object }) => object),
    ...fromWorkloads,
    ...services(workloads),
    ...volumeClaims(),
    nodeEvent('aksw22000005', 'EvictionThresholdMet', 'Attempting to reclaim ephemeral-storage'),
    nodeEvent('aksw22000004', 'NodeNotReady', 'Node aksw22000004 status is now: NodeNotReady'),
    ...networkPolicies(),
    ...runtimeClasses(),
    ...disruptionBudgets(),
    ...storageClasses(),
    ...csiNodes(nodes),
  ];
}

function keyOf(object: JsonMap): string {
  const { namespace = '', name } = object['metadata'] as { readonly namespace?: string; readonly name: string };
  return `${namespace}/${name}`;
}

if (import.meta.main) writeFileSync(sampleClusterPath(), sampleClusterText());
