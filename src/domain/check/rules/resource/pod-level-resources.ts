import { containerName } from '../../../workload/container-names.ts';
import { isRecord, valueAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** Resources of the pod as a whole, which Windows does not know. */
export const podLevelResources = defineWorkloadRule({
  id: 'pod-level-resources',
  facts: ['RES-002', 'C36'],
  severity: 'error',
  effect: 'rejected',
  os: 'windows',
  summary: 'Resources of the pod as a whole, which Windows does not have',
  rationale: 'With spec.os.name windows the API server refuses spec.resources, even an empty one: "may not be set for a windows pod". Without it the kubelet refuses the pod with PodLevelResourcesNotSupported, "pod-level resources are not supported on Windows". Servers before 1.34 drop the field unless the feature gate PodLevelResources is on.',
  remediation: 'Set requests and limits on each container instead.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go',
  asOf: '2026-11-30',
  since: '1.34',
  messages: {
    rejected: 'spec.resources: Forbidden: may not be set for a windows pod',
    refused: 'the kubelet of a Windows node refuses the pod: PodLevelResourcesNotSupported, "pod-level resources are not supported on Windows"',
  },
  samples: {
    bad: [{
      path: 'spec.resources',
      severity: 'error',
      yaml: samplePod({
        spec: `
          resources:
            limits:
              memory: 2Gi`,
      }),
    }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload }) {
    const resources = workload.spec['resources'];
    if (!isRecord(resources)) return;
    const path = [...workload.specPath, 'resources'];
    const isRejected = workload.osName === 'windows';
    if (!isRejected && !(['requests', 'limits'] as const).some((part) => Object.keys(amountsAt(resources, part)).some((name) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')))) return;
    const [only, ...others] = workload.containers;
    // what is meant for the pod is meant for its only container
    const isMoved = only !== undefined && others.length === 0 && only.fields['resources'] === undefined && Object.keys(resources).length > 0;
    const fix = {
      title: isMoved ? `move spec.resources to container ${containerName(only)}` : 'remove spec.resources',
      edits: [...(isMoved ? [{ op: 'set', path: [...only.path, 'resources'], value: resources } as const] : []), { op: 'remove', path } as const],
      // The server takes the pod without them, but then with containers that nothing limits.
      isSafe: isRejected && (isMoved || workload.containers.every(({ fields }) => isRecord(fields['resources'])) || !(['requests', 'limits'] as const).some((part) => Object.keys(amountsAt(resources, part)).length > 0)),
    };
    yield isRejected ? { messageId: 'rejected', path, fix } : { messageId: 'refused', path, fix, effect: 'cannot-run' };
  },
});

function amountsAt(resources: unknown, part: string): Readonly<Record<string, unknown>> {
  const amounts = valueAt(resources, part);
  return isRecord(amounts) ? amounts : {};
}
