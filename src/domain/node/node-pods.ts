import { arrayAt, booleanAt, isRecord, stringAt, stringMapAt, valueAt } from '../kubernetes/object.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';

/** What an agent on a node is for, as far as its names tell. */
export type AgentRole = 'kube-proxy' | 'cni' | 'csi' | 'monitoring' | 'host-process';

/** A pod that serves its node rather than an application: of a DaemonSet and HostProcess, or known by name. */
export interface NodeAgent {
  readonly role: AgentRole;
  /** Name of the DaemonSet. */
  readonly name: string;
  readonly container: string;
  /** Image tag, or the shortened digest; null when the reference has neither. */
  readonly version: string | null;
  readonly image: string;
  readonly ready: boolean;
}

export interface NodePods {
  /** Pods bound to the node that have not ended. */
  readonly total: number;
  readonly hostProcess: number;
  /** What the containers request together: cores and bytes, as the scheduler counts them (the largest init container where that is more). */
  readonly requested: { readonly cpuCores: number; readonly memoryBytes: number };
  readonly agents: readonly NodeAgent[];
  /** Containers that do not run because of their image: it cannot be pulled, or is made for another Windows build. */
  readonly imageFailures: readonly ImageFailure[];
}

export interface ImageFailure {
  /** `namespace/name`. */
  readonly pod: string;
  readonly image: string;
  /** `ErrImagePull`, `ImagePullBackOff`, or the reason of a start that failed. */
  readonly reason: string;
  /** true when the message says that no variant fits this Windows build. */
  readonly otherBuild: boolean;
}

export const NO_PODS: NodePods = { total: 0, hostProcess: 0, requested: { cpuCores: 0, memoryBytes: 0 }, agents: [], imageFailures: [] };

// Names under which the usual node agents run on Windows: sig-windows-tools hostprocess manifests, the Azure, AWS and
// GCP CSI node plugins, Calico, Flannel, Antrea, Azure CNS/NPM (kubernetes-sigs/sig-windows-tools, read 2026-11-30).
const ROLES = [
  { role: 'kube-proxy', pattern: /kube-?proxy/ },
  { role: 'csi', pattern: /csi|node-driver-registrar|liveness-probe|secrets-store/ },
  { role: 'cni', pattern: /calico|flannel|cilium|antrea|cni|azure-npm|azure-cns|(^|-)cns($|-)|ovn|hns|kube-router/ },
  { role: 'monitoring', pattern: /exporter|fluent|ama-|metrics|datadog|telegraf|promtail|alloy|node-problem-detector|splunk/ },
] as const satisfies readonly { role: AgentRole; pattern: RegExp }[];

/** Adds a page of raw pods to the counts per node name. */
export function countPods(pods: readonly unknown[], byNode: Map<string, NodePods>): void {
  for (const pod of pods) {
    const nodeName = stringAt(pod, 'spec', 'nodeName');
    const phase = stringAt(pod, 'status', 'phase');
    if (nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') continue;
    const before = byNode.get(nodeName) ?? NO_PODS;
    const requests = requestsOf(pod);
    const isHostProcess = isHostProcessPod(pod);
    byNode.set(nodeName, {
      total: before.total + 1,
      hostProcess: before.hostProcess + (isHostProcess ? 1 : 0),
      // thousandths are exact, sums of floating-point cores are not
      requested: { cpuCores: Math.round((before.requested.cpuCores + requests.cpu) * 1000) / 1000, memoryBytes: before.requested.memoryBytes + requests.memory },
      agents: [...before.agents, ...agentsOf(pod, isHostProcess)],
      imageFailures: [...before.imageFailures, ...imageFailuresOf(pod)],
    });
  }
}

/** HostProcess set for the pod or for any container; the API server refuses a mix (https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/, read 2026-11-30). */
export function isHostProcessPod(pod: unknown): boolean {
  const spec = valueAt(pod, 'spec');
  const asked = (holder: unknown): boolean => booleanAt(holder, 'securityContext', 'windowsOptions', 'hostProcess') === true;
  return asked(spec) || arrayAt(spec, 'containers').some(asked);
}

function agentsOf(pod: unknown, isHostProcess: boolean): NodeAgent[] {
  const owner = arrayAt(pod, 'metadata', 'ownerReferences').find((reference) => stringAt(reference, 'kind') === 'DaemonSet');
  if (owner === undefined) return [];
  const name = stringAt(owner, 'name') ?? '';
  const statuses = arrayAt(pod, 'status', 'containerStatuses');
  return arrayAt(pod, 'spec', 'containers').filter(isRecord).flatMap((spec): NodeAgent[] => {
    const container = stringAt(spec, 'name') ?? '';
    const image = stringAt(spec, 'image') ?? '';
    // `calico/windows` says more by its path than by its last word; a registry's own name says nothing
    const texts = [container, name, image.replace(/^[^/]*[.:][^/]*\//, '')];
    const known = ROLES.find(({ pattern }) => texts.some((text) => pattern.test(text)));
    if (known === undefined && !isHostProcess) return [];
    const ready = statuses.some((status) => stringAt(status, 'name') === container && booleanAt(status, 'ready') === true);
    return [{ role: known?.role ?? 'host-process', name, container, version: versionOf(image), image, ready }];
  });
}

function versionOf(image: string): string | null {
  const [reference = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(reference)?.[1];
  return tag ?? (digest === undefined ? null : digest.slice(0, 'sha256:'.length + 12));
}

/**
 * Effective requests of a pod: the sum over its containers and sidecars, or the largest init container if that is more
 * (https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers, read 2026-11-30); overhead included.
 */
function requestsOf(pod: unknown): { readonly cpu: number; readonly memory: number } {
  const amount = (holder: unknown, resource: string, ...path: readonly string[]): number => parseQuantity(stringMapAt(holder, ...path)[resource] ?? '') ?? 0;
  const effective = (resource: string): number => {
    const request = (container: unknown): number => amount(container, resource, 'resources', 'requests');
    const running = arrayAt(pod, 'spec', 'containers').reduce<number>((sum, container) => sum + request(container), 0);
    let sidecars = 0;
    let peak = 0;
    for (const container of arrayAt(pod, 'spec', 'initContainers')) {
      if (stringAt(container, 'restartPolicy') === 'Always') sidecars += request(container);
      else peak = Math.max(peak, sidecars + request(container));
    }
    return Math.max(running + sidecars, peak) + amount(pod, resource, 'spec', 'overhead');
  };
  return { cpu: effective('cpu'), memory: effective('memory') };
}

// What containerd says at the pull and HCS at the start of an image for another build
// (https://github.com/containerd/containerd/issues/6989, https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility, read 2026-11-30).
const OTHER_BUILD = /no match for platform|no matching manifest for windows|does not match the (host operating system|operating system of the host)|0xc0370101/i;

function imageFailuresOf(pod: unknown): ImageFailure[] {
  const name = `${stringAt(pod, 'metadata', 'namespace') ?? ''}/${stringAt(pod, 'metadata', 'name') ?? ''}`;
  const statuses = [...arrayAt(pod, 'status', 'initContainerStatuses'), ...arrayAt(pod, 'status', 'containerStatuses')];
  return statuses.flatMap((status): ImageFailure[] => {
    const state = valueAt(status, 'state', 'waiting') ?? valueAt(status, 'state', 'terminated');
    const reason = stringAt(state, 'reason') ?? '';
    const message = [stringAt(state, 'message'), stringAt(status, 'lastState', 'terminated', 'message')].join(' ');
    const otherBuild = OTHER_BUILD.test(message);
    const isPullFailure = reason === 'ErrImagePull' || reason === 'ImagePullBackOff' || reason === 'InvalidImageName' || reason === 'ErrImageNeverPull';
    return isPullFailure || otherBuild ? [{ pod: name, image: stringAt(status, 'image') ?? '', reason, otherBuild }] : [];
  });
}
