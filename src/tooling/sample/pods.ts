import { imageId } from './images.ts';
import type { SampleNode } from './nodes.ts';
import { hexOf, metadata, numberOf, resourceVersionOf, suffixOf, timeBefore, uidOf } from './values.ts';
import type { Json, JsonMap } from './values.ts';
import type { PodState, SampleWorkload } from './workloads.ts';

export interface WorkloadPods {
  readonly pods: readonly JsonMap[];
  readonly replicaSet: JsonMap | null;
  readonly events: readonly JsonMap[];
  readonly running: number;
}

const CREDENTIAL_SPEC_MISSING = 'admission webhook "admission-webhook.windows-gmsa.sigs.k8s.io" denied the request: unable to fetch the GMSA credential spec "hr-portal": windowsgmsa "hr-portal" not found';

/** Pods of a workload on the nodes it names, its ReplicaSet where one stands between, and the events of what fails. */
export function podsOf(workload: SampleWorkload, nodes: ReadonlyMap<string, SampleNode>): WorkloadPods {
  const key = `${workload.namespace}/${workload.name}`;
  const owner = ownerOf(workload, key);
  const shown = workload.state === 'pending' ? [null] : workload.state === 'not-shown' || workload.kind === 'CronJob' ? [] : workload.on;
  const lost = (name: string): boolean => name === 'aksw22000004';
  const running = workload.state === 'running' ? shown.filter((name) => name !== null && !lost(name)).length : 0;
  const pods: JsonMap[] = [];
  const events: JsonMap[] = [];
  if (workload.state === 'no-gmsa' && owner !== null) {
    events.push(event(workload.namespace, 'ReplicaSet', owner.name, owner.uid, 'FailedCreate', `Error creating: ${CREDENTIAL_SPEC_MISSING}`, 'replicaset-controller', 18));
  } else {
    for (const [index, nodeName] of shown.entries()) {
      const node = nodeName === null ? null : nodes.get(nodeName);
      if (node === undefined) throw new Error(`${key} names the node ${String(nodeName)}, which does not exist`);
      const pod = podOf(workload, key, index, node, owner, nodeName !== null && lost(nodeName));
      pods.push(pod.object);
      events.push(...eventsOf(workload, pod.name, pod.uid, node));
    }
  }
  return {
    pods,
    events,
    running,
    replicaSet: workload.kind === 'Deployment' && owner !== null ? replicaSetOf(workload, key, owner.name, running) : null,
  };
}

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly hash: string | null;
}

function ownerOf(workload: SampleWorkload, key: string): Owner | null {
  switch (workload.kind) {
    case 'Pod': return null;
    case 'Deployment': {
      const hash = suffixOf(`template ${key}`, 10);
      return { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${workload.name}-${hash}`, uid: uidOf(`ReplicaSet/${workload.namespace}/${workload.name}-${hash}`), hash };
    }
    case 'Job':
    case 'CronJob': return { apiVersion: 'batch/v1', kind: workload.kind, name: workload.name, uid: uidOf(`${workload.kind}/${key}`), hash: null };
    case 'ReplicaSet':
    case 'StatefulSet':
    case 'DaemonSet': return { apiVersion: 'apps/v1', kind: workload.kind, name: workload.name, uid: uidOf(`${workload.kind}/${key}`), hash: null };
  }
}

function reference(owner: Owner): JsonMap {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid, controller: true, blockOwnerDeletion: true };
}

function replicaSetOf(workload: SampleWorkload, key: string, name: string, running: number): JsonMap {
  const hash = name.slice(workload.name.length + 1);
  const labels = { app: workload.name, 'pod-template-hash': hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: metadata('ReplicaSet', workload.namespace, name, Math.min(workload.ageDays, 14), {
      generation: 1,
      labels,
      annotations: { 'deployment.kubernetes.io/revision': String(1 + numberOf(`revision ${key}`, 40)) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: workload.name, uid: uidOf(`Deployment/${key}`), controller: true, blockOwnerDeletion: true }],
    }),
    spec: { replicas: workload.replicas, selector: { matchLabels: { app: workload.name, 'pod-template-hash': hash } }, template: { metadata: { labels }, spec: workload.podSpec } },
    status: { replicas: workload.replicas, readyReplicas: running },
  };
}

function podOf(workload: SampleWorkload, key: string, index: number, node: SampleNode | null, owner: Owner | null, lost: boolean): { object: JsonMap; name: string; uid: string } {
  const name = workload.kind === 'Pod' ? workload.name
    : workload.kind === 'StatefulSet' ? `${workload.name}-${index}`
    : `${owner?.name ?? workload.name}-${suffixOf(`pod ${key} ${index}`, 5)}`;
  const uid = uidOf(`Pod/${workload.namespace}/${name}`);
  const ageDays = Math.min(workload.ageDays, workload.kind === 'Job' ? 0.05 : 1 + numberOf(`pod age ${key} ${index}`, 13));
  const started = timeBefore(ageDays - 0.01, `start ${key} ${index}`);
  const spec = podSpecOf(workload, node);
  const object: JsonMap = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name, namespace: workload.namespace, uid,
      resourceVersion: resourceVersionOf(`Pod/${workload.namespace}/${name}`),
      creationTimestamp: timeBefore(ageDays, `pod ${key} ${index}`),
      labels: { app: workload.name, ...(owner?.hash == null ? {} : { 'pod-template-hash': owner.hash }), ...(workload.kind === 'StatefulSet' ? { 'apps.kubernetes.io/pod-index': String(index) } : {}) },
      ...(owner === null ? {} : { ownerReferences: [reference(owner)] }),
    },
    spec,
    status: statusOf(workload, node, key, index, started, lost),
  };
  return { object, name, uid };
}

/** What admission and the scheduler add to the template: the node, the RuntimeClass's selector, a DaemonSet's tolerations. */
function podSpecOf(workload: SampleWorkload, node: SampleNode | null): JsonMap {
  const template = workload.podSpec;
  const given = (template['tolerations'] ?? []) as readonly Json[];
  const runtimeClass = template['runtimeClassName'];
  const merged = runtimeClass === 'windows-2022' ? { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' }
    : runtimeClass === 'windows-2019' ? { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.17763' } : null;
  return {
    ...template,
    ...(merged === null ? {} : { nodeSelector: merged }),
    ...(node === null ? {} : { nodeName: node.name }),
    ...(workload.kind === 'DaemonSet' && node !== null ? { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node.name] }] }] } } } } : {}),
    serviceAccountName: 'default',
    tolerations: [
      ...given,
      ...(merged === null ? [] : [{ key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' }]),
      ...(workload.kind === 'DaemonSet' ? [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }, { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }] : []),
    ],
  };
}

function containersOf(workload: SampleWorkload, field: 'containers' | 'initContainers'): readonly { name: string; image: string }[] {
  return (workload.podSpec[field] ?? []) as unknown as readonly { name: string; image: string }[];
}

function statusOf(workload: SampleWorkload, node: SampleNode | null, key: string, index: number, started: string, lost: boolean): JsonMap {
  if (node === null) {
    return { phase: 'Pending', qosClass: 'Burstable', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: unschedulableMessage(workload), lastTransitionTime: started }] };
  }
  if (workload.state === 'os-rejected') {
    return { phase: 'Failed', reason: 'PodOSNotSupported', message: "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS", startTime: started, qosClass: 'Burstable' };
  }
  const ready = workload.state === 'running' && !lost;
  const waiting = waitingOf(workload.state, workload.images[0] ?? '');
  const pulled = workload.state === 'running' || workload.state === 'os-mismatch';
  const network = node.internalIP.split('.').slice(0, 2).join('.');
  const conditionTimes = { lastTransitionTime: started };
  return {
    phase: workload.state === 'running' ? 'Running' : 'Pending',
    qosClass: 'Burstable',
    hostIP: node.internalIP,
    ...(workload.state === 'running' ? { podIP: `${network}.${numberOf(`ip ${key} ${index}`, 200) + 20}.${numberOf(`ip2 ${key} ${index}`, 250) + 2}` } : {}),
    startTime: started,
    conditions: [
      { type: 'Ready', status: ready ? 'True' : 'False', ...(ready ? {} : { reason: 'ContainersNotReady' }), ...conditionTimes },
    ],
    ...(containersOf(workload, 'initContainers').length === 0 ? {} : {
      initContainerStatuses: containersOf(workload, 'initContainers').map(({ name, image }) => ({ name, image, imageID: imageId(image), ready: true, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: started, finishedAt: started } } })),
    }),
    containerStatuses: containersOf(workload, 'containers').map(({ name, image }) => ({
      name, image,
      imageID: pulled ? imageId(image) : '',
      ready,
      started: workload.state === 'running',
      restartCount: workload.state === 'running' ? numberOf(`restarts ${key} ${index}`, 10) === 0 ? 1 + numberOf(`restarts2 ${key}`, 6) : 0 : 0,
      state: workload.state === 'running' ? { running: { startedAt: started } } : { waiting },
    })),
  };
}

function pullMessage(image: string): string {
  return `Failed to pull image "${image}": rpc error: code = NotFound desc = failed to pull and unpack image "${image}": no match for platform in manifest: not found`;
}

function waitingOf(state: PodState, image: string): JsonMap {
  switch (state) {
    case 'no-match': return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "${image}": no match for platform in manifest: not found` };
    case 'pull-secret': return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": ErrImagePull: failed to pull and unpack image "${image}": failed to resolve reference "${image}": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials` };
    case 'os-mismatch': return { reason: 'RunContainerError', message: mismatchMessage() };
    case 'running':
    case 'pending':
    case 'no-gmsa':
    case 'os-rejected':
    case 'not-shown': return { reason: 'ContainerCreating' };
  }
}

function mismatchMessage(): string {
  return 'failed to create containerd task: failed to create shim task: hcs::CreateComputeSystem: The container operating system does not match the host operating system.: unknown';
}

function unschedulableMessage(workload: SampleWorkload): string {
  const selector = JSON.stringify(workload.podSpec['nodeSelector'] ?? {});
  if (selector.includes('10.0.14393')) return "0/47 nodes are available: 47 node(s) didn't match Pod's node affinity/selector. preemption: 0/47 nodes are available: 47 Preemption is not helpful for scheduling.";
  if (selector.includes('gke-nodepool')) return "0/47 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/os: windows}, 45 node(s) didn't match Pod's node affinity/selector. preemption: 0/47 nodes are available: 47 Preemption is not helpful for scheduling.";
  return "0/47 nodes are available: 41 node(s) didn't match Pod's node affinity/selector, 6 node(s) had untolerated taint {os: windows}. preemption: 0/47 nodes are available: 47 Preemption is not helpful for scheduling.";
}

function eventsOf(workload: SampleWorkload, pod: string, uid: string, node: SampleNode | null): JsonMap[] {
  const image = workload.images[0] ?? '';
  const make = (reason: string, message: string, component: string, count: number): JsonMap => event(workload.namespace, 'Pod', pod, uid, reason, message, component, count, node?.name);
  switch (workload.state) {
    case 'pending': return [make('FailedScheduling', unschedulableMessage(workload), 'default-scheduler', 12)];
    case 'no-match': return [make('Failed', pullMessage(image), 'kubelet', 5), make('BackOff', `Back-off pulling image "${image}"`, 'kubelet', 31)];
    case 'pull-secret': return [make('Failed', `Failed to pull image "${image}": failed to pull and unpack image "${image}": failed to resolve reference "${image}": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`, 'kubelet', 4)];
    case 'os-mismatch': return [make('Failed', `Error: ${mismatchMessage()}`, 'kubelet', 9)];
    case 'os-rejected': return [make('PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS", 'kubelet', 1)];
    case 'running':
    case 'no-gmsa':
    case 'not-shown': return [];
  }
}

function event(namespace: string, kind: string, name: string, uid: string, reason: string, message: string, component: string, count: number, host?: string): JsonMap {
  const eventName = `${name}.${hexOf(`event ${namespace}/${name}/${reason}/${message}`).slice(0, 16)}`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName, namespace, uid: uidOf(`Event/${namespace}/${eventName}`), resourceVersion: resourceVersionOf(eventName), creationTimestamp: timeBefore(0.03, eventName) },
    involvedObject: kind === 'Node' ? { kind, name, uid } : { kind, namespace, name, uid, apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1' },
    reason,
    message,
    type: 'Warning',
    count,
    firstTimestamp: timeBefore(0.03, eventName),
    lastTimestamp: timeBefore(0.002, `${eventName} last`),
    source: { component, ...(component === 'kubelet' && host !== undefined ? { host } : {}) },
    reportingComponent: component,
    reportingInstance: component === 'kubelet' ? (host ?? '') : '',
  };
}

/** Events about a node itself. */
export function nodeEvent(node: string, reason: string, message: string): JsonMap {
  return event('default', 'Node', node, node, reason, message, 'kubelet', 40, node);
}
