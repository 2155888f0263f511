import { defineObjectRule } from '../../rule.ts';
import { sampleAgent, sampleList } from '../../samples.ts';
import { policyEngineOf } from './shared-cni.ts';
import { onlyWindows, podsOfPolicy, workloadsText } from './shared-selected-workloads.ts';
import { clusterOf, WEB } from './shared-samples.ts';

const POLICY = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: iis
spec:
  podSelector:
    matchLabels:
      app: iis
  policyTypes: [Ingress]
`;

/** A policy for Windows pods that nothing on their nodes enforces. */
export const networkPolicyNotEnforced = defineObjectRule({
  id: 'network-policy-not-enforced',
  facts: ['NET-007', 'C54'],
  severity: 'warning',
  effect: 'ignored',
  kinds: ['networking.k8s.io/NetworkPolicy'],
  summary: 'NetworkPolicy for Windows pods that the network plugin does not enforce',
  rationale: 'The API server keeps every NetworkPolicy; whether it holds is up to the network plugin of the node. On Windows Calico and Antrea enforce them. Flannel, the Amazon VPC CNI and Cilium do not, and Azure Network Policy Manager has had no support there since 2026-09-30: the pods stay open to all.',
  remediation: 'Use Calico or Antrea on the Windows nodes, or close the ports by other means (security groups, Windows Firewall).',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/network-policies/#prerequisites',
  asOf: '2026-11-30',
  messages: {
    open: 'the policy is for Windows pods ({pods}), but {engine} does not enforce it on Windows nodes',
    ended: 'the policy is for Windows pods ({pods}), and {engine}, which is to enforce it, has had no support on Windows nodes since {day}: the pods are open to all where it is gone',
  },
  samples: {
    bad: [
      { path: 'spec.podSelector', yaml: sampleList(WEB, POLICY), cluster: sampleList(clusterOf('example.com/pool: a'), sampleAgent('kube-flannel-ds', 'linux')) },
      { yaml: sampleList(WEB, POLICY), cluster: sampleList(clusterOf('eks.amazonaws.com/nodegroup: a'), sampleAgent('aws-node', 'linux')) },
    ],
    good: [{ yaml: sampleList(WEB, POLICY), cluster: sampleList(clusterOf('eks.amazonaws.com/nodegroup: a'), sampleAgent('aws-node', 'linux'), sampleAgent('calico-node-windows', 'windows')) }],
  },
  * check(policy, facts) {
    if (facts.workloads === null) {
      yield { notEvaluated: 'workloads', about: 'whether the policy is for Windows pods' };
      return;
    }
    const pods = onlyWindows(podsOfPolicy(policy, facts));
    if (pods.length === 0) return;
    const engine = policyEngineOf(facts);
    if (engine === null || engine.isEnforced === null) {
      yield { notEvaluated: 'daemonSets', about: `whether the network plugin enforces the policy on Windows nodes${engine === null ? '' : ` (${engine.evidence} does not tell)`}` };
      return;
    }
    if (engine.isEnforced) return;
    const found = { path: ['spec', 'podSelector'], evidence: [engine.evidence], reference: engine.reference };
    const data = { pods: workloadsText(pods), engine: engine.name };
    yield engine.endedOn === undefined ? { ...found, messageId: 'open', data } : { ...found, messageId: 'ended', data: { ...data, day: engine.endedOn }, effect: 'may-fail' };
  },
});
