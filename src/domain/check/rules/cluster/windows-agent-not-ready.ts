import type { CheckFacts } from '../../facts.ts';
import { defineClusterRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, TOLERATING, sampleAgent, sampleList, samplePod } from '../../samples.ts';
import { refOf } from '../../../kubernetes/object-ref.ts';
import { nameOf, numberAt, type KubeObject } from '../../../kubernetes/object.ts';
import { targetOsOf } from '../../../workload/target-os.ts';
import { workloadsOf } from '../../../workload/workload.ts';
import { windowsProviders } from '../network/shared-cni.ts';
import { nodeRef } from './shared-node-ref.ts';

type AgentRole = 'kube-proxy' | 'network plugin' | 'CSI driver';

/** What a node needs to run pods of others, by the name of its DaemonSet (kubernetes-sigs/sig-windows-tools, CSI drivers and CNI plugins, read 2026-11-30). */
const ROLES: readonly { readonly role: AgentRole; readonly pattern: RegExp }[] = [
  { role: 'kube-proxy', pattern: /kube-?proxy/ },
  { role: 'CSI driver', pattern: /csi|secrets-store/ },
  { role: 'network plugin', pattern: /calico|flannel|cilium|antrea|cni|azure-cns|ovn|kube-router/ },
];

/**
 * Where kube-proxy and the network plugin of Windows nodes are pods. Elsewhere (AKS, EKS, GKE, OpenShift, RKE2, k3s) they are Windows
 * services that nobody sees in the API: https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/,
 * https://learn.microsoft.com/azure/aks/windows-vs-linux-containers, https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html, read 2026-11-30.
 */
const WITH_PODS: ReadonlySet<string> = new Set(['kubeadm', 'capi']);

const agent = (status: string): string => sampleAgent('kube-proxy-windows', 'windows', { status });

/** kube-proxy, network plugin and CSI drivers of the Windows nodes are missing or not ready. */
export const windowsAgentNotReady = defineClusterRule({
  id: 'windows-agent-not-ready',
  facts: ['C59'],
  severity: 'warning',
  effect: 'may-fail',
  needs: ['nodes', 'daemonSets'],
  summary: 'Agent of Windows nodes that is missing or not ready',
  rationale: 'Without a network plugin pods of a Windows node hang in ContainerCreating, without kube-proxy they reach no Service, without the node part of a CSI driver they wait for their volumes. None of this shows in the pods themselves.',
  remediation: 'Look at the pods of the DaemonSet (kubectl describe) and at its tolerations and node selector.',
  reference: 'https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/',
  asOf: '2026-11-30',
  messages: {
    unready: '{ready} of {desired} pods of the {role} on Windows nodes are ready',
    nowhere: 'the {role} has pods on no Windows node',
    missing: 'no DaemonSet of a {role} for Windows nodes was found; where it runs as a Windows service, all is well',
  },
  samples: {
    bad: [
      { yaml: samplePod({ spec: TOLERATING }), cluster: sampleList(SAMPLE_CLUSTER, agent('{desiredNumberScheduled: 1, numberReady: 0}')), path: 'status.numberReady' },
      { yaml: samplePod({ spec: TOLERATING }), cluster: sampleList(SAMPLE_CLUSTER, agent('{desiredNumberScheduled: 0, numberReady: 0}')), path: 'status.desiredNumberScheduled' },
    ],
    good: [{ yaml: samplePod({ spec: TOLERATING }), cluster: sampleList(SAMPLE_CLUSTER, agent('{desiredNumberScheduled: 1, numberReady: 1}')) }],
  },
  * check(facts) {
    const windows = [...facts.nodes?.values() ?? []].filter(({ os }) => os === 'windows');
    const [first] = windows;
    if (first === undefined || facts.areNodesAssumed === true) return;
    const found = new Set<AgentRole>();
    for (const daemonSet of facts.daemonSets?.values() ?? []) {
      const role = ROLES.find(({ pattern }) => pattern.test(nameOf(daemonSet)))?.role;
      if (role === undefined || !isForWindows(daemonSet, facts)) continue;
      found.add(role);
      const desired = numberAt(daemonSet, 'status', 'desiredNumberScheduled');
      if (desired === undefined) continue; // from a file: nothing ran yet
      const ready = numberAt(daemonSet, 'status', 'numberReady') ?? 0;
      if (desired === 0) yield { messageId: 'nowhere', data: { role }, object: refOf(daemonSet), path: ['status', 'desiredNumberScheduled'], confidence: 'observed' };
      else if (ready < desired) yield { messageId: 'unready', data: { role, ready, desired }, object: refOf(daemonSet), path: ['status', 'numberReady'], confidence: 'observed' };
    }
    const providers = windowsProviders(facts);
    if (facts.daemonSets?.isComplete !== true || providers.size === 0 || ![...providers].every((provider) => WITH_PODS.has(provider))) return;
    for (const role of ['kube-proxy', 'network plugin'] as const) {
      if (!found.has(role)) yield { messageId: 'missing', severity: 'info', confidence: 'unknown', data: { role }, object: nodeRef(first.name), path: ['metadata', 'name'], nodes: windows.map(({ name }) => name) };
    }
  },
});

/** Whether a DaemonSet is for Windows nodes by its selectors, os.name or HostProcess; a hint does not do. */
function isForWindows(daemonSet: KubeObject, facts: CheckFacts): boolean {
  return workloadsOf(daemonSet).some((workload) => {
    const { os, evidence } = targetOsOf(workload, facts);
    return os === 'windows' && evidence.some(({ strength }) => strength !== 'hint');
  });
}
