import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { booleanAt } from '../../../kubernetes/object.ts';

/** hostNetwork without HostProcess gives a Windows pod no host network. */
export const hostNetworkWithoutHostProcess = defineWorkloadRule({
  id: 'host-network-without-host-process',
  facts: ['NET-001'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod with hostNetwork that is no HostProcess pod',
  rationale: 'On Windows only HostProcess containers use the network of the node: containerd gives any other pod an address of its own, whatever hostNetwork says (the feature gate WindowsHostNetwork is deprecated and off). The scheduler still reserves every containerPort as a port of the node, so that two such pods do not fit on one node.',
  remediation: 'Remove hostNetwork, or make the pod a HostProcess pod.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations',
  asOf: '2026-11-30',
  messages: { ignored: 'hostNetwork is true, but the pod gets an address of its own: on Windows only HostProcess pods use the network of the node' },
  samples: {
    bad: [{ path: 'spec.hostNetwork', yaml: samplePod({ spec: 'hostNetwork: true' }) }],
    good: [{ yaml: samplePod({ spec: 'hostNetwork: false' }) }],
  },
  * check({ workload, os }) {
    if (os.os !== 'windows' || booleanAt(workload.spec, 'hostNetwork') !== true) return;
    const path = [...workload.specPath, 'hostNetwork'];
    yield { messageId: 'ignored', path, fix: { title: 'remove hostNetwork', edits: [{ op: 'remove', path }], isSafe: os.evidence.some(({ strength }) => strength !== 'hint') } };
  },
});
