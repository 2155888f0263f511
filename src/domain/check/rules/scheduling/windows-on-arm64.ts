import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';

const ARCH_LABELS: readonly string[] = ['kubernetes.io/arch', 'beta.kubernetes.io/arch'];
const withArch = (value: string): string => `    kubernetes.io/os: windows\n    node.kubernetes.io/windows-build: 10.0.20348\n    kubernetes.io/arch: ${value}`;

/** A Windows pod asks for nodes of an architecture that Kubernetes has no Windows nodes of. */
export const windowsOnArm64 = defineWorkloadRule({
  id: 'windows-on-arm64',
  facts: ['SCH-010'],
  severity: 'warning',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Windows pod selected onto another architecture than amd64',
  rationale: 'Kubernetes publishes node binaries for Windows on amd64 only, and the base images of Windows Server are amd64 images. A pod that asks for Windows and for another architecture stays Pending.',
  remediation: 'Select kubernetes.io/arch amd64, or no architecture.',
  reference: 'https://kubernetes.io/releases/download/',
  asOf: '2026-11-30',
  messages: { other: 'the pod is for Windows and selects {key}={value}, but Windows nodes are amd64' },
  samples: {
    bad: [{ path: 'spec.nodeSelector[kubernetes.io/arch]', yaml: samplePod({ nodeSelector: withArch('arm64') }) }],
    good: [{ yaml: samplePod({ nodeSelector: withArch('amd64') }) }],
  },
  * check({ workload, os }, facts) {
    if (os.os !== 'windows') return;
    const { nodeSelector, affinity, specPath } = podConstraintsOf(workload, facts.runtimeClasses);
    for (const [key, value] of nodeSelector) {
      if (!ARCH_LABELS.includes(key) || value === 'amd64') continue;
      const path = [...specPath, 'nodeSelector', key];
      yield { messageId: 'other', data: { key, value }, path, fix: { title: `set ${key} to amd64`, edits: [{ op: 'set', path, value: 'amd64' }], isSafe: false } };
    }
    const terms = affinity?.terms ?? [];
    const excluding = terms.map(({ requirements }) => requirements.find(({ of, key, operator, values }) => of === 'label' && ARCH_LABELS.includes(key) && operator === 'In' && values.length > 0 && !values.includes('amd64')));
    const [first] = excluding;
    // another term may lead to amd64
    if (first === undefined || excluding.includes(undefined)) return;
    yield { messageId: 'other', data: { key: first.key, value: first.values.join(' or ') }, path: first.path };
  },
});
