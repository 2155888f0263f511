import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import { evidenceOf } from '../../../workload/pod-evidence.ts';

/** Never, and no pull secret that the kubelet could check. */
export const imagePullPolicyNever = defineWorkloadRule({
  id: 'image-pull-policy-never',
  facts: ['PUL-002'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Image pull policy Never without the pull secret of the image',
  rationale: 'Since Kubernetes 1.35 (KubeletEnsureSecretPulledImages, on by default) an image that the kubelet pulled with a secret is given only to pods with the same credentials: with Never the pod fails with ErrImageNeverPull though the image is on the node. Images that were loaded by other means are exempt.',
  remediation: 'Give the pod the imagePullSecrets with which the image is pulled, set IfNotPresent, or preload the image on the nodes without the kubelet.',
  reference: 'https://kubernetes.io/docs/concepts/containers/images/#ensureimagepullcredentialverification',
  asOf: '2026-11-30',
  since: '1.35',
  messages: {
    never: 'imagePullPolicy is Never and the pod has no pull secret: an image that the kubelet pulled with one is not given to it',
    failing: 'imagePullPolicy is Never, and pods fail with ErrImageNeverPull on {nodes}',
  },
  samples: {
    bad: [{ path: 'spec.containers[0].imagePullPolicy', kubernetesVersion: '1.36', yaml: samplePod({ container: 'imagePullPolicy: Never' }) }],
    good: [{ kubernetesVersion: '1.34', yaml: samplePod({ container: 'imagePullPolicy: Never' }) }, { kubernetesVersion: '1.36', yaml: samplePod({ spec: 'imagePullSecrets: [{name: registry}]', container: 'imagePullPolicy: Never' }) }],
  },
  * check({ workload }, { pods }) {
    const first = workload.containers.find(({ fields }) => stringAt(fields, 'imagePullPolicy') === 'Never');
    if (first === undefined) return;
    const path = [...first.path, 'imagePullPolicy'];
    const seen = evidenceOf(workload.ref, pods)?.symptoms.find(({ reason }) => reason === 'ErrImageNeverPull');
    const fix = { title: 'set imagePullPolicy to IfNotPresent', edits: [{ op: 'set', path, value: 'IfNotPresent' }], isSafe: false } as const;
    if (seen !== undefined) yield { messageId: 'failing', severity: 'warning', effect: 'cannot-run', confidence: 'observed', data: { nodes: seen.nodes.join(', ') }, nodes: seen.nodes, path, container: first.name, fix };
    else if (arrayAt(workload.spec, 'imagePullSecrets').length === 0) yield { messageId: 'never', confidence: 'unknown', path, container: first.name, fix };
  },
});
