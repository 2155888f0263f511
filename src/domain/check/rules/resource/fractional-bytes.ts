import { containerName } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, samplePod } from '../../samples.ts';
import { amountOf, isFractionOfByte } from './shared-container-resources.ts';

/** Memory in thousandths of a byte, nearly always m for Mi. */
export const fractionalBytes = defineWorkloadRule({
  id: 'fractional-bytes',
  facts: ['RES-008'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Memory or storage in fractions of a byte',
  rationale: 'The suffix m is a thousandth: 800m of memory is less than one byte, and what was meant is 800M or 800Mi. The API server takes it with a warning, "fractional byte value … is invalid, must be an integer", and rounds up to one byte.',
  remediation: 'Write the quantity with M or Mi.',
  reference: 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#meaning-of-memory',
  asOf: '2026-11-30',
  messages: { fraction: 'resources.{part}[{resource}] of container {container}: fractional byte value "{value}" is invalid, must be an integer' },
  samples: {
    bad: [{
      path: 'spec.containers[0].resources.limits.memory',
      yaml: samplePod({ image: 'registry.example.com/shop/web:windows-ltsc2022', resources: memoryOf('800m') }),
    }],
    good: [{ yaml: samplePod({ resources: memoryOf('1.5Gi') }) }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const fractions = (['limits', 'requests'] as const).flatMap((part) => ['memory', 'ephemeral-storage'].flatMap((resource) => {
        const amount = amountOf(container, part, resource);
        return amount === null || !isFractionOfByte(amount) ? [] : [{ part, resource, value: amount.text, path: [...container.path, 'resources', part, resource] }];
      }));
      const [first] = fractions;
      if (first === undefined) continue;
      const edits = fractions.filter(({ value }) => value.endsWith('m')).map(({ value, path }) => ({ op: 'set', path, value: value.replace(/m$/, 'Mi') } as const));
      yield {
        messageId: 'fraction', data: { part: first.part, resource: first.resource, container: containerName(container), value: first.value }, container: container.name, path: first.path,
        ...(edits.length === 0 ? {} : { fix: { title: `write ${edits.map(({ value }) => value).join(' and ')}`, edits, isSafe: false } }),
      };
    }
  },
});
