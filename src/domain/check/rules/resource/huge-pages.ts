import { containerName } from '../../../workload/container-names.ts';
import { isRecord, valueAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, samplePod } from '../../samples.ts';
import { amountOf } from './shared-container-resources.ts';

/** A container that asks for huge pages. */
export const hugePages = defineWorkloadRule({
  id: 'huge-pages',
  facts: ['RES-001', 'C36'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'The container asks for huge pages, which Windows nodes do not have',
  rationale: 'Huge pages are not supported for Windows containers. No Windows node offers any, so the pod stays Pending with "Insufficient hugepages-…".',
  remediation: 'Remove the hugepages requests and limits.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers',
  asOf: '2026-11-30',
  messages: { asked: 'container {container} asks for {resource}, of which no Windows node has any: "Insufficient {resource}"' },
  samples: {
    bad: [{ path: 'spec.containers[0].resources.limits.hugepages-2Mi', yaml: samplePod({ resources: memoryOf('1Gi', 'hugepages-2Mi: 64Mi') }) }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const asked = (['limits', 'requests'] as const).flatMap((part) => {
        const amounts = valueAt(container.fields, 'resources', part);
        return Object.keys(isRecord(amounts) ? amounts : {}).filter((name) => name.startsWith('hugepages-') && (amountOf(container, part, name)?.value ?? 0) > 0)
          .map((resource) => ({ resource, path: [...container.path, 'resources', part, resource] }));
      });
      const [first] = asked;
      if (first === undefined) continue;
      yield {
        messageId: 'asked', data: { container: containerName(container), resource: first.resource }, container: container.name, path: first.path,
        fix: { title: `remove huge pages from container ${containerName(container)}`, edits: asked.map(({ path }) => ({ op: 'remove', path })), isSafe: false },
      };
    }
  },
});
