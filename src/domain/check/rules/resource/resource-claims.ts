import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, samplePod } from '../../samples.ts';

/** Devices by dynamic resource allocation, which Windows does not have. */
export const resourceClaims = defineWorkloadRule({
  id: 'resource-claims',
  facts: ['RES-006'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Dynamic resource allocation does not exist on Windows nodes',
  rationale: 'The kubelet on Windows has no manager for ResourceClaims ("DRA is not supported on Windows, only device plugin is supported" in its source): no driver offers devices there, so the pod stays Pending.',
  remediation: 'Use a device plugin: an extended resource such as microsoft.com/directx in limits.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/cm/container_manager_windows.go',
  asOf: '2026-11-30',
  since: '1.26',
  messages: { claims: 'resource claims {claims} cannot be prepared on a Windows node: the kubelet supports device plugins only' },
  samples: {
    bad: [{
      path: 'spec.resourceClaims',
      yaml: samplePod({
        spec: `
          resourceClaims:
          - name: gpu
            resourceClaimTemplateName: gpu`,
      }),
    }],
    good: [{ yaml: samplePod({ resources: memoryOf('1Gi', 'microsoft.com/directx: "1"') }) }],
  },
  * check({ workload }) {
    const claims = arrayAt(workload.spec, 'resourceClaims');
    if (claims.length === 0) return;
    const path = [...workload.specPath, 'resourceClaims'];
    const users = workload.containers.filter((container) => arrayAt(container.fields, 'resources', 'claims').length > 0);
    yield {
      messageId: 'claims', data: { claims: claims.map((claim) => stringAt(claim, 'name') ?? '').join(', ') }, path,
      fix: { title: 'remove resourceClaims', edits: [...users.map((container) => ({ op: 'remove', path: [...container.path, 'resources', 'claims'] } as const)), { op: 'remove', path }], isSafe: false },
    };
  },
});
