import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { preferredOsOf } from './shared-preferred-os.ts';

const PREFERRING = `affinity:
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      preference:
        matchExpressions:
        - {key: kubernetes.io/os, operator: In, values: [windows]}`;

/** The OS of the nodes is a preference, which the scheduler may pass by. */
export const preferredOsAffinity = defineWorkloadRule({
  id: 'preferred-os-affinity',
  facts: ['SCH-009'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Windows pod that merely prefers Windows nodes',
  rationale: 'preferredDuringSchedulingIgnoredDuringExecution only raises the score of nodes. When the Windows nodes are full, tainted or away, the scheduler places the pod on a Linux node, where it cannot start.',
  remediation: 'Set nodeSelector kubernetes.io/os to windows.',
  reference: 'https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity',
  asOf: '2026-11-30',
  messages: { preferred: 'the pod is for Windows, but its only word on the OS of the node is a preference' },
  samples: {
    bad: [{
      path: 'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0]',
      yaml: samplePod({ nodeSelector: null, spec: PREFERRING }),
    }],
    good: [{ yaml: samplePod({ spec: PREFERRING }) }],
  },
  * check({ workload, os }) {
    if (os.os !== 'windows' || os.pinned !== null) return;
    const path = preferredOsOf(workload);
    if (path === null) return;
    yield {
      messageId: 'preferred', path,
      fix: { title: 'set nodeSelector kubernetes.io/os to windows', edits: [{ op: 'set', path: [...workload.specPath, 'nodeSelector', 'kubernetes.io/os'], value: 'windows' }], isSafe: false },
    };
  },
});
