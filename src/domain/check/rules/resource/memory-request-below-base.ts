import { containerName } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, samplePod } from '../../samples.ts';
import { isServerCore } from './shared-image-bases.ts';
import { amountOf, isFractionOfByte, lastingContainers } from './shared-container-resources.ts';

/** Bytes below which IIS or .NET on Server Core hardly run: advice from experience, Microsoft names no figure. */
const SERVER_CORE_BYTES = 300 * 2 ** 20;

/** A request for less memory than an application on Server Core takes. */
export const memoryRequestBelowBase = defineWorkloadRule({
  id: 'memory-request-below-base',
  facts: ['RES-007', 'C37'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'The memory request is below what IIS or .NET on Server Core take',
  rationale: 'Every Windows container runs system processes beside the application, and its memory has to hold both: with IIS or .NET on Server Core commonly more than 300 MiB. A smaller request, taken over from a Linux workload, puts more pods on a node than it can hold; with a smaller limit allocations fail.',
  remediation: 'Raise requests.memory and limits.memory to what the container really uses, 300Mi at least.',
  reference: 'https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/resource-controls',
  asOf: '2026-11-30',
  messages: { low: 'container {container} reserves {amount} of memory; with an application on Server Core it commonly uses more than 300Mi' },
  samples: {
    bad: [{ path: 'spec.containers[0].resources.requests.memory', yaml: samplePod({ resources: memoryOf('128Mi') }) }],
    good: [{ yaml: samplePod({ resources: memoryOf('512Mi') }) }],
  },
  * check({ workload }) {
    for (const container of lastingContainers(workload)) {
      const request = amountOf(container, 'requests', 'memory');
      const limit = amountOf(container, 'limits', 'memory');
      const reserved = request ?? limit; // the API server fills a missing request from the limit
      if (reserved === null || reserved.value === null || reserved.value >= SERVER_CORE_BYTES || !isServerCore(container.image)) continue;
      const parts = ([['requests', request], ['limits', limit]] as const).filter(([, amount]) => amount !== null && amount.value !== null && amount.value < SERVER_CORE_BYTES);
      const found = { data: { container: containerName(container), amount: reserved.text }, container: container.name, confidence: 'tag', path: [...container.path, 'resources', request === null ? 'limits' : 'requests', 'memory'] } as const;
      if (parts.some(([, amount]) => amount !== null && isFractionOfByte(amount))) {
        yield { ...found, messageId: 'low' }; // the slip of the pen has a fix of its own
        continue;
      }
      yield {
        ...found, messageId: 'low',
        fix: { title: `raise the memory of container ${containerName(container)} to 300Mi`, edits: parts.map(([part]) => ({ op: 'set', path: [...container.path, 'resources', part, 'memory'], value: '300Mi' })), isSafe: false },
      };
    }
  },
});
