import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** spec.os.name says one OS, the constraints on nodes another. */
export const osNameContradictsPlacement = defineWorkloadRule({
  id: 'os-name-contradicts-placement',
  facts: ['OS-003'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'any',
  summary: '`spec.os.name` contradicts the nodes that the pod selects',
  rationale: 'The scheduler does not look at spec.os.name. The kubelet does, and refuses a pod for another OS: PodOSNotSupported, "Failed to admit pod as the OS field doesn\'t match node OS". The pod is then Failed, and its controller makes the next one.',
  remediation: 'Make spec.os.name and the node selector or affinity say the same OS.',
  reference: 'https://kubernetes.io/docs/concepts/workloads/pods/#pod-os',
  asOf: '2026-11-30',
  since: '1.24',
  messages: { contradiction: 'os.name is {name}, but the pod is pinned to {pinned} nodes ({evidence}), where the kubelet refuses it: PodOSNotSupported' },
  samples: {
    bad: [{ path: 'spec.nodeSelector[kubernetes.io/os]', yaml: samplePod({ nodeSelector: 'kubernetes.io/os: linux' }) }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload, os }) {
    const name = workload.osName;
    if ((name !== 'windows' && name !== 'linux') || os.pinned === null || os.pinned === name) return;
    const pins = os.evidence.filter((one) => one.strength === 'pins' && one.os === os.pinned);
    const selector = pins.find((one) => one.source === 'node-selector' && one.path?.at(-1) === 'kubernetes.io/os');
    yield {
      messageId: 'contradiction',
      data: { name, pinned: os.pinned, evidence: pins.map(({ text }) => text).join(', ') },
      path: pins.find(({ path }) => path !== null)?.path ?? [...workload.specPath, 'os', 'name'],
      // Which of the two is meant nobody can tell; selecting the nodes of os.name is what a person would try first.
      ...(selector?.path !== undefined && selector.path !== null && pins.length === 1
        ? { fix: { title: `select ${name} nodes`, edits: [{ op: 'set', path: selector.path, value: name }], isSafe: false } as const }
        : {}),
    };
  },
});
