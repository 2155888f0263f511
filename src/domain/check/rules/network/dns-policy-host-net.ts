import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { stringAt } from '../../../kubernetes/object.ts';

/** A DNS policy for pods on the network of the node, which Windows pods are not. */
export const dnsPolicyHostNet = defineWorkloadRule({
  id: 'dns-policy-host-net',
  facts: ['NET-002'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod with dnsPolicy ClusterFirstWithHostNet',
  rationale: 'ClusterFirstWithHostNet is meant for pods that share the network of their node and is not supported on Windows, where the pod has an address of its own. It resolves as ClusterFirst does.',
  remediation: 'Set dnsPolicy to ClusterFirst, or remove it.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows',
  asOf: '2026-11-30',
  messages: { unsupported: 'dnsPolicy ClusterFirstWithHostNet is not supported on Windows' },
  samples: {
    bad: [{ path: 'spec.dnsPolicy', yaml: samplePod({ spec: 'dnsPolicy: ClusterFirstWithHostNet' }) }],
    good: [{ yaml: samplePod({ spec: 'dnsPolicy: ClusterFirst' }) }],
  },
  * check({ workload, os }) {
    if (os.os !== 'windows' || stringAt(workload.spec, 'dnsPolicy') !== 'ClusterFirstWithHostNet') return;
    const path = [...workload.specPath, 'dnsPolicy'];
    yield { messageId: 'unsupported', path, fix: { title: 'set dnsPolicy to ClusterFirst', edits: [{ op: 'set', path, value: 'ClusterFirst' }], isSafe: os.evidence.some(({ strength }) => strength !== 'hint') } };
  },
});
