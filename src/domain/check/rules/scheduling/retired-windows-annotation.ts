import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isRecord } from '../../../kubernetes/object.ts';

/** What once was set by annotation, and what is set now. */
const RETIRED: readonly { readonly matches: (key: string) => boolean; readonly instead: string; readonly reference: string }[] = [
  {
    matches: (key) => key === 'experimental.windows.kubernetes.io/isolation-type',
    instead: 'Remove the annotation: Kubernetes supports process isolation and HostProcess containers only.',
    reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#experimental-windows-kubernetes-io-isolation-type',
  },
  {
    // <container>.container.alpha… for one container (https://github.com/kubernetes/enhancements/tree/master/keps/sig-windows/689-windows-gmsa, read 2026-11-30)
    matches: (key) => /^(pod|.+\.container)\.alpha\.windows\.kubernetes\.io\/gmsa-credential-spec(-name)?$/.test(key),
    instead: 'Set securityContext.windowsOptions.gmsaCredentialSpecName in place of the annotation.',
    reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/#configure-gmsa-credential-spec-reference-in-pod-spec',
  },
];

/** Annotations for Windows that nothing reads any more. */
export const retiredWindowsAnnotation = defineWorkloadRule({
  id: 'retired-windows-annotation',
  facts: ['SCH-013'],
  severity: 'warning',
  effect: 'ignored',
  os: 'any',
  summary: 'Annotation for Windows that Kubernetes no longer reads',
  rationale: 'The annotation for Hyper-V isolation went with the dockershim code that read it (removed in 1.21), those for group managed service accounts with the alpha of the feature (fields since 1.16). They are kept and mean nothing: the container runs without the isolation or the account that they ask for.',
  remediation: 'Remove the annotation.',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#experimental-windows-kubernetes-io-isolation-type',
  asOf: '2026-11-30',
  since: '1.21',
  messages: { retired: 'the annotation {key} is not read any more' },
  samples: {
    bad: [
      { path: 'metadata.annotations[experimental.windows.kubernetes.io/isolation-type]', yaml: samplePod({ metadata: 'annotations:\n  experimental.windows.kubernetes.io/isolation-type: hyperv' }) },
      { path: 'metadata.annotations[pod.alpha.windows.kubernetes.io/gmsa-credential-spec-name]', yaml: samplePod({ metadata: 'annotations:\n  pod.alpha.windows.kubernetes.io/gmsa-credential-spec-name: webapp' }) },
    ],
    good: [{ yaml: samplePod({ metadata: 'annotations:\n  example.com/team: shop' }) }],
  },
  * check({ workload }) {
    const annotations = workload.template.metadata['annotations'];
    if (!isRecord(annotations)) return;
    for (const key of Object.keys(annotations)) {
      const retired = RETIRED.find(({ matches }) => matches(key));
      if (retired === undefined) continue;
      const path = [...workload.template.path, 'metadata', 'annotations', key];
      yield { messageId: 'retired', data: { key }, path, remediation: retired.instead, reference: retired.reference, fix: { title: `remove the annotation ${key}`, edits: [{ op: 'remove', path }], isSafe: true } };
    }
  },
});
