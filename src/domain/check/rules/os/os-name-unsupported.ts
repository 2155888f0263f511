import { isRecord } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** spec.os.name is neither linux nor windows. */
export const osNameUnsupported = defineWorkloadRule({
  id: 'os-name-unsupported',
  facts: ['OS-002'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  summary: '`spec.os.name` is neither linux nor windows',
  rationale: 'The API server takes linux and windows, in lower case: `Unsupported value: "Windows": supported values: "linux", "windows"`. An empty name is refused as `Required value`.',
  remediation: 'Set spec.os.name to windows or linux.',
  reference: 'https://kubernetes.io/docs/concepts/workloads/pods/#pod-os',
  asOf: '2026-11-30',
  since: '1.24',
  messages: {
    unsupported: 'the API server refuses os.name {name}: supported values are linux and windows',
    missing: 'the API server refuses spec.os without a name: "Required value"',
  },
  samples: {
    bad: [{ yaml: samplePod({ osName: 'Windows' }), path: 'spec.os' }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload }) {
    const { os } = workload.spec;
    if (!isRecord(os)) return;
    const name = os['name'] ?? '';
    if (name === 'linux' || name === 'windows') return;
    const path = [...workload.specPath, 'os'];
    if (name === '') {
      yield { messageId: 'missing', path: [...path, 'name'], fix: { title: 'remove the empty spec.os', edits: [{ op: 'remove', path }], isSafe: true } };
      return;
    }
    const lower = typeof name === 'string' ? name.trim().toLowerCase() : '';
    yield {
      messageId: 'unsupported',
      data: { name: JSON.stringify(name) },
      path,
      ...(lower === 'linux' || lower === 'windows' ? { fix: { title: `set spec.os.name to ${lower}`, edits: [{ op: 'set', path: [...path, 'name'], value: lower }], isSafe: true } as const } : {}),
    };
  },
});
