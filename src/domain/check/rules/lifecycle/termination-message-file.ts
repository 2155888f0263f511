import { containersText } from '../../../workload/container-names.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** A termination message path of its own. */
export const terminationMessageFile = defineWorkloadRule({
  id: 'termination-message-file',
  facts: ['LIF-006'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'The path of the termination message needs containerd on the node',
  rationale: 'The kubelet mounts the file for the termination message into the container. Windows can mount a single file with containerd, not with Docker, where the message stays empty.',
  remediation: 'Run the Windows nodes with containerd, or remove terminationMessagePath.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers',
  asOf: '2026-11-30',
  messages: {
    needs: 'terminationMessagePath {path} of {containers} works with containerd only',
    docker: 'terminationMessagePath {path} of {containers} does not work on nodes with {runtime}',
  },
  samples: {
    bad: [{ path: 'spec.containers[0].terminationMessagePath', yaml: samplePod({ container: 'terminationMessagePath: C:\\shop\\last-words' }) }],
    good: [{ yaml: samplePod({ container: 'terminationMessagePath: /dev/termination-log' }) }],
  },
  * check({ workload, placement }, { areNodesAssumed }) {
    const custom = workload.containers.filter((container) => !['', '/dev/termination-log'].includes(stringAt(container.fields, 'terminationMessagePath') ?? ''));
    const [first] = custom;
    if (first === undefined) return;
    const candidates = areNodesAssumed === true ? [] : placement?.windowsCandidates ?? [];
    const others = candidates.filter(({ containerRuntime }) => containerRuntime !== null && containerRuntime.name !== 'containerd');
    if (candidates.length > 0 && candidates.every(({ containerRuntime }) => containerRuntime?.name === 'containerd')) return;
    const data = { path: stringAt(first.fields, 'terminationMessagePath') ?? '', containers: containersText(custom) };
    const found = {
      path: [...first.path, 'terminationMessagePath'], ...(custom.length === 1 ? { container: first.name } : {}),
      fix: { title: 'remove terminationMessagePath', edits: custom.map(({ path }) => ({ op: 'remove', path: [...path, 'terminationMessagePath'] } as const)), isSafe: false },
    };
    yield others.length === 0
      ? { ...found, messageId: 'needs', data }
      : { ...found, messageId: 'docker', data: { ...data, runtime: others[0]?.containerRuntime?.name ?? '' }, nodes: others.map(({ name }) => name) };
  },
});
