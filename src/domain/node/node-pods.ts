import { arrayAt, booleanAt, isRecord, stringAt, valueAt } from '../kubernetes/object.ts';

/** What an agent on a node is for, as far as its names tell. */
export type AgentRole = 'kube-proxy' | 'cni' | 'csi' | 'monitoring' | 'host-process';

/** A pod that serves its node rather than an application: of a DaemonSet and HostProcess, or known by name. */
export interface NodeAgent {
  readonly role: AgentRole;
  /** Container name. */
  readonly name: string;
  /** Image tag, or the shortened digest; null when the reference has neither. */
  readonly version: string | null;
  readonly image: string;
  readonly ready: boolean;
}

export interface NodePods {
  /** Pods bound to the node that have not ended. */
  readonly total: number;
  readonly hostProcess: number;
  readonly agents: readonly NodeAgent[];
}

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
    const before = byNode.get(nodeName) ?? { total: 0, hostProcess: 0, agents: [] };
    const isHostProcess = isHostProcessPod(pod);
    byNode.set(nodeName, {
      total: before.total + 1,
      hostProcess: before.hostProcess + (isHostProcess ? 1 : 0),
      agents: [...before.agents, ...agentsOf(pod, isHostProcess)],
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
  const ofDaemonSet = arrayAt(pod, 'metadata', 'ownerReferences').some((owner) => stringAt(owner, 'kind') === 'DaemonSet');
  if (!ofDaemonSet) return [];
  const statuses = arrayAt(pod, 'status', 'containerStatuses');
  return arrayAt(pod, 'spec', 'containers').filter(isRecord).flatMap((container): NodeAgent[] => {
    const name = stringAt(container, 'name') ?? '';
    const image = stringAt(container, 'image') ?? '';
    const known = ROLES.find(({ pattern }) => pattern.test(name) || pattern.test(image.replace(/^.*\//, '')));
    if (known === undefined && !isHostProcess) return [];
    const ready = statuses.some((status) => stringAt(status, 'name') === name && booleanAt(status, 'ready') === true);
    return [{ role: known?.role ?? 'host-process', name, version: versionOf(image), image, ready }];
  });
}

function versionOf(image: string): string | null {
  const [reference = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(reference)?.[1];
  return tag ?? (digest === undefined ? null : digest.slice(0, 'sha256:'.length + 12));
}
