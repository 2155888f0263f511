import { defineWorkloadRule } from '../../rule.ts';
import { isServerCore } from './shared-image-bases.ts';
import { amountOf, lastingContainers } from './shared-container-resources.ts';

/** Bytes that a container of Server Core takes for itself, about: its services, before the application. */
const SERVER_CORE_BYTES = 300 * 2 ** 20;

/** A request for less memory than Server Core takes. */
export const memoryRequestBelowBase = defineWorkloadRule({
  id: 'memory-request-below-base',
  facts: ['RES-007', 'C37'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'The memory request is below what Server Core takes',
  rationale: 'A Windows container runs system services beside the application; with Server Core they take some 300 MiB before IIS or .NET have started. A smaller request, taken over from a Linux workload, puts more pods on a node than it can hold, and a smaller limit keeps the container from starting.',
  remediation: 'Raise requests.memory and limits.memory to what the container really uses, 300Mi at least.',
  reference: 'https://kubernetes.io/docs/concepts/configuration/windows-resource-management/',
  asOf: '2026-11-30',
  messages: { low: 'container {container} reserves {amount} of memory; Server Core alone takes about 300Mi' },
  samples: {
    bad: [{
      path: 'spec.containers[0].resources.requests.memory',
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
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 128Mi
      limits:
        memory: 128Mi
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
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 512Mi
      limits:
        memory: 512Mi
`,
    }],
  },
  * check({ workload }) {
    for (const container of lastingContainers(workload)) {
      const request = amountOf(container, 'requests', 'memory');
      const limit = amountOf(container, 'limits', 'memory');
      const reserved = request ?? limit; // the API server fills a missing request from the limit
      if (reserved === null || reserved.value === null || reserved.value >= SERVER_CORE_BYTES || !isServerCore(container.image)) continue;
      const parts = ([['requests', request], ['limits', limit]] as const).filter(([, amount]) => amount !== null && amount.value !== null && amount.value < SERVER_CORE_BYTES);
      yield {
        messageId: 'low', data: { container: container.name, amount: reserved.text }, container: container.name, confidence: 'tag',
        path: [...container.path, 'resources', request === null ? 'limits' : 'requests', 'memory'],
        fix: { title: `raise the memory of container ${container.name} to 300Mi`, edits: parts.map(([part]) => ({ op: 'set', path: [...container.path, 'resources', part, 'memory'], value: '300Mi' })), isSafe: false },
      };
    }
  },
});
