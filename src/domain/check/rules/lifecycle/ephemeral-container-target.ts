import { containerName } from '../../../workload/container-names.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** A debug container that is to share the processes of another. */
export const ephemeralContainerTarget = defineWorkloadRule({
  id: 'ephemeral-container-target',
  facts: ['LIF-007'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'process',
  summary: 'The debug container cannot share the processes of its target',
  rationale: 'targetContainerName puts an ephemeral container into the process namespace of another. Windows containers have none to share: the debug container sees its own processes only.',
  remediation: 'Start a shell in the container itself with kubectl exec.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod',
  asOf: '2026-11-30',
  messages: { target: 'ephemeral container {container} cannot see the processes of container {target} on Windows' },
  samples: {
    bad: [{
      path: 'spec.ephemeralContainers[0].targetContainerName',
      yaml: samplePod({
        spec: `
          ephemeralContainers:
          - name: debug
            image: mcr.microsoft.com/windows/servercore:ltsc2022
            targetContainerName: iis`,
      }),
    }],
    good: [{
      yaml: samplePod({
        spec: `
          ephemeralContainers:
          - name: debug
            image: mcr.microsoft.com/windows/servercore:ltsc2022`,
      }),
    }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      if (container.list !== 'ephemeralContainers') continue;
      const target = stringAt(container.fields, 'targetContainerName') ?? '';
      if (target === '') continue;
      const path = [...container.path, 'targetContainerName'];
      yield {
        messageId: 'target', data: { container: containerName(container), target }, container: container.name, path,
        fix: { title: 'remove targetContainerName', edits: [{ op: 'remove', path }], isSafe: true },
      };
    }
  },
});
