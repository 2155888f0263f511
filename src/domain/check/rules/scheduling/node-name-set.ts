import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isRecord, stringAt } from '../../../kubernetes/object.ts';

/** The pod names its node and so goes past the scheduler. */
export const nodeNameSet = defineWorkloadRule({
  id: 'node-name-set',
  facts: ['SCH-011'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Windows pod bound to a node by name',
  rationale: 'spec.nodeName goes past the scheduler: taints with NoSchedule, cordons and free room are not looked at, and when the node is replaced, which is how the Windows version of a node is upgraded, the pods have nowhere to go.',
  remediation: 'Use a node selector in place of nodeName.',
  reference: 'https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename',
  asOf: '2026-11-30',
  messages: { bound: 'the pod is bound to the node {node} by name' },
  samples: {
    bad: [{ path: 'spec.nodeName', yaml: samplePod({ spec: 'nodeName: win-0' }) }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload }) {
    const node = stringAt(workload.spec, 'nodeName') ?? '';
    // the scheduler wrote the name into a pod that runs
    if (node === '' || (workload.object.kind === 'Pod' && isRecord(workload.object['status']) && Object.keys(workload.object['status']).length > 0)) return;
    yield { messageId: 'bound', data: { node }, path: [...workload.specPath, 'nodeName'], nodes: [node] };
  },
});
