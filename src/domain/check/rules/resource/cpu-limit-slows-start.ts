import { containerName } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, samplePod } from '../../samples.ts';
import { isDotnetOrIis, isNanoServer } from './shared-image-bases.ts';
import { amountOf } from './shared-container-resources.ts';

/** Less than one core for IIS or .NET. */
export const cpuLimitSlowsStart = defineWorkloadRule({
  id: 'cpu-limit-slows-start',
  facts: ['RES-004', 'C37'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The CPU limit of IIS or .NET is below one core',
  rationale: 'On Windows a CPU limit is a hard cap of the job object, also while the container starts: services, IIS and the .NET runtime come up many times slower, and probes kill the container before it is ready.',
  remediation: 'Set resources.limits.cpu to 1 or more, or leave it out.',
  reference: 'https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/resource-controls',
  asOf: '2026-11-30',
  messages: { low: 'container {container} with IIS or .NET is limited to {limit} of a core, from its start on' },
  samples: {
    bad: [{ path: 'spec.containers[0].resources.limits.cpu', yaml: samplePod({ resources: memoryOf('1Gi', 'cpu: 250m') }) }],
    good: [{ yaml: samplePod({ resources: memoryOf('1Gi', 'cpu: "1"') }) }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const limit = amountOf(container, 'limits', 'cpu');
      if (limit === null || limit.value === null || limit.value <= 0 || limit.value >= 1 || !isDotnetOrIis(container.image)) continue;
      const path = [...container.path, 'resources', 'limits', 'cpu'];
      yield {
        messageId: 'low', data: { container: containerName(container), limit: limit.text }, container: container.name, path, confidence: 'tag',
        // Nano Server has no services to start, and half a core does for .NET
        ...(limit.value >= 0.5 && isNanoServer(container.image) ? { severity: 'info', effect: 'advice' } : {}),
        fix: { title: `set the CPU limit of container ${containerName(container)} to 1`, edits: [{ op: 'set', path, value: '1' }], isSafe: false },
      };
    }
  },
});
