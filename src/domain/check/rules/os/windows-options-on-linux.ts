import { formatFieldPath } from '../../../kubernetes/field-path.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleLinuxPod } from '../../samples.ts';
import { windowsOptionsOf } from '../security/shared-windows-options.ts';

/** Windows options in a pod with os.name linux. */
export const windowsOptionsOnLinux = defineWorkloadRule({
  id: 'windows-options-on-linux',
  facts: ['OS-004', 'C24'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  summary: 'Windows options in a pod whose `spec.os.name` is linux',
  rationale: 'The API server refuses windowsOptions, even empty ones, of the pod and of any container where spec.os.name is linux: "Forbidden: windows options cannot be set for a linux pod".',
  remediation: 'Remove windowsOptions, or set spec.os.name to windows if the pod is for Windows.',
  reference: 'https://kubernetes.io/docs/concepts/workloads/pods/#pod-os',
  asOf: '2026-11-30',
  since: '1.24',
  messages: { forbidden: 'the API server refuses {path}: "Forbidden: windows options cannot be set for a linux pod"' },
  samples: {
    bad: [{
      path: 'spec.securityContext.windowsOptions',
      yaml: sampleLinuxPod({ podSecurity: ['windowsOptions:', '  runAsUserName: ContainerUser'] }),
    }],
    good: [{ yaml: sampleLinuxPod({ podSecurity: 'windowsOptions: null' }) }],
  },
  * check({ workload }) {
    if (workload.osName !== 'linux') return;
    const places = windowsOptionsOf(workload);
    const [first] = places;
    if (first === undefined) return;
    yield {
      messageId: 'forbidden',
      data: { path: formatFieldPath(first.path) },
      path: first.path,
      ...(places.length === 1 && first.container !== null ? { container: first.container.name } : {}),
      evidence: places.length > 1 ? [`Set at ${places.map(({ path }) => formatFieldPath(path)).join(', ')}.`] : [],
      fix: { title: 'remove windowsOptions', edits: places.map(({ path }) => ({ op: 'remove', path })), isSafe: true },
    };
  },
});
