import { stringAt, isRecord } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** The pod carries the label kubernetes.io/os with another OS than that of its nodes. */
export const podOsLabelMismatch = defineWorkloadRule({
  id: 'pod-os-label-mismatch',
  facts: ['OS-005'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'any',
  summary: 'Pod label `kubernetes.io/os` that differs from the OS of its nodes',
  rationale: 'The kubelet compares the label kubernetes.io/os of the pod itself, where it has one, with its own OS and refuses the pod when they differ: PodOSSelectorNodeLabelDoesNotMatch, "Failed to admit pod as the `kubernetes.io/os` label doesn\'t match node label". The label was probably meant as a node selector.',
  remediation: 'Remove the label from the pod template, and select nodes with spec.nodeSelector.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/lifecycle/predicate.go',
  asOf: '2026-11-30',
  messages: { mismatch: 'the pod has the label kubernetes.io/os={label}, so the kubelet of a {os} node refuses it: PodOSSelectorNodeLabelDoesNotMatch' },
  samples: {
    bad: [{ yaml: samplePod({ metadata: ['labels:', '  kubernetes.io/os: Windows'] }), path: 'metadata.labels[kubernetes.io/os]' }],
    good: [{ yaml: samplePod({ metadata: ['labels:', '  kubernetes.io/os: windows'] }) }],
  },
  * check({ workload, os }) {
    const { template } = workload;
    const labels = template.metadata['labels'];
    const label = isRecord(labels) ? stringAt(labels, 'kubernetes.io/os') : undefined;
    const runsOn = os.pinned ?? (os.os === 'windows' || os.os === 'linux' ? os.os : null);
    if (label === undefined || runsOn === null || label === runsOn) return;
    const path = [...template.path, 'metadata', 'labels', 'kubernetes.io/os'];
    yield { messageId: 'mismatch', data: { label: label === '' ? '""' : label, os: runsOn === 'windows' ? 'Windows' : 'Linux' }, path, fix: { title: 'remove the label', edits: [{ op: 'remove', path }], isSafe: false } };
  },
});
