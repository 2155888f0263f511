import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';

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
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  os:
    name: windows
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348
  ephemeralContainers:
  - name: debug
    image: mcr.microsoft.com/windows/servercore:ltsc2022
    targetContainerName: iis
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
    }],
    good: [{
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  os:
    name: windows
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348

  ephemeralContainers:
  - name: debug
    image: mcr.microsoft.com/windows/servercore:ltsc2022
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
    }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      if (container.list !== 'ephemeralContainers') continue;
      const target = stringAt(container.fields, 'targetContainerName') ?? '';
      if (target === '') continue;
      const path = [...container.path, 'targetContainerName'];
      yield {
        messageId: 'target', data: { container: container.name, target }, container: container.name, path,
        fix: { title: 'remove targetContainerName', edits: [{ op: 'remove', path }], isSafe: true },
      };
    }
  },
});
