import { booleanAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

/** HostProcess without the host's network. */
export const hostProcessWithoutHostNetwork = defineWorkloadRule({
  id: 'host-process-without-host-network',
  facts: ['HPC-001', 'C26'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  isolation: 'host-process',
  summary: 'HostProcess pod without `hostNetwork: true`',
  rationale: 'HostProcess containers run in the network of the node, and the API server wants the pod to say so: "hostNetwork must be true if pod contains any hostProcess containers".',
  remediation: 'Set spec.hostNetwork to true.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#hostprocess-pod-configuration-requirements',
  asOf: '2026-11-30',
  since: '1.22',
  messages: { refused: 'the API server refuses the pod: "hostNetwork must be true if pod contains any hostProcess containers"' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ hostNetwork: false }), path: 'spec.hostNetwork' }],
    good: [{ yaml: sampleHostProcessPod() }],
  },
  * check({ workload }) {
    // With a pod's hostProcess that each of its containers takes back there is none: isHostProcess of the containers counts.
    if (booleanAt(workload.spec, 'hostNetwork') === true || !workload.containers.some(({ isHostProcess }) => isHostProcess)) return;
    const path = [...workload.specPath, 'hostNetwork'];
    yield { messageId: 'refused', path, fix: { title: 'set spec.hostNetwork to true', edits: [{ op: 'set', path, value: true }], isSafe: true } };
  },
});
