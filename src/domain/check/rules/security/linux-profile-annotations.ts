import { isRecord } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isSurelyWindows, meansWindows } from './shared-linux-only-fields.ts';

const PREFIXES = ['seccomp.security.alpha.kubernetes.io/pod', 'container.seccomp.security.alpha.kubernetes.io/', 'container.apparmor.security.beta.kubernetes.io/'];

/** Annotations that asked for seccomp and AppArmor before there were fields. */
export const linuxProfileAnnotations = defineWorkloadRule({
  id: 'linux-profile-annotations',
  facts: ['SEC-024'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  summary: 'Seccomp or AppArmor annotation on a Windows pod',
  rationale: 'The annotations were the form of seccompProfile and appArmorProfile before they became fields. Windows has neither seccomp nor AppArmor; without spec.os.name the API server turns the AppArmor annotation into the field, which then stands in the way of setting spec.os.name.',
  remediation: 'Remove the annotations.',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#container-apparmor-security-beta-kubernetes-io',
  asOf: '2026-11-30',
  messages: { ignored: 'Windows ignores the {kind} annotation {annotation}' },
  samples: {
    bad: [{ yaml: samplePod({ metadata: ['annotations:', '  container.apparmor.security.beta.kubernetes.io/iis: runtime/default'] }), path: 'metadata.annotations[container.apparmor.security.beta.kubernetes.io/iis]' }],
    good: [{ yaml: samplePod({ metadata: ['annotations:', '  example.com/note: none'] }) }],
  },
  * check(subject) {
    if (!meansWindows(subject)) return;
    const { template } = subject.workload;
    const annotations = template.metadata['annotations'];
    if (!isRecord(annotations)) return;
    const found = Object.keys(annotations).filter((key) => annotations[key] !== null && PREFIXES.some((prefix) => key.startsWith(prefix)));
    const [first] = found;
    if (first === undefined) return;
    const paths = found.map((key) => [...template.path, 'metadata', 'annotations', key]);
    yield {
      messageId: 'ignored',
      data: { kind: first.includes('apparmor') ? 'AppArmor' : 'seccomp', annotation: first },
      path: paths[0] ?? [],
      evidence: found.length > 1 ? [`Also: ${found.slice(1).join(', ')}.`] : [],
      fix: { title: 'remove the annotations', edits: paths.map((path) => ({ op: 'remove', path })), isSafe: isSurelyWindows(subject) },
    };
  },
});
