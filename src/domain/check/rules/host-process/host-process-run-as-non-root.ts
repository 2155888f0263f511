import { formatFieldPath, type FieldPath } from '../../../kubernetes/field-path.ts';
import { booleanAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

/** runAsNonRoot in a HostProcess pod. */
export const hostProcessRunAsNonRoot = defineWorkloadRule({
  id: 'host-process-run-as-non-root',
  facts: ['HPC-006'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'host-process',
  summary: '`runAsNonRoot` in a HostProcess pod',
  rationale: 'Kubernetes says that runAsNonRoot cannot be true for HostProcess containers, because they have privileged access to the host. The API server does not refuse it, and the kubelet compares the user with ContainerAdministrator alone, so the field promises what nobody keeps: the container runs as SYSTEM where that is its user.',
  remediation: 'Remove runAsNonRoot from the pod and its containers.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#hostprocess-pod-configuration-requirements',
  asOf: '2026-11-30',
  messages: { set: 'runAsNonRoot is true, which means nothing for HostProcess containers and is documented as not allowed' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ podSecurity: ['runAsNonRoot: true'] }), path: 'spec.securityContext.runAsNonRoot' }],
    good: [{ yaml: sampleHostProcessPod({ podSecurity: ['runAsNonRoot: false'] }) }],
  },
  * check({ workload }) {
    const paths: FieldPath[] = [];
    if (booleanAt(workload.spec, 'securityContext', 'runAsNonRoot') === true) paths.push([...workload.specPath, 'securityContext', 'runAsNonRoot']);
    for (const { fields, path } of workload.containers) {
      if (booleanAt(fields, 'securityContext', 'runAsNonRoot') === true) paths.push([...path, 'securityContext', 'runAsNonRoot']);
    }
    const [first] = paths;
    if (first === undefined) return;
    yield {
      messageId: 'set',
      path: first,
      evidence: paths.length > 1 ? [`Set at ${paths.map((path) => formatFieldPath(path)).join(', ')}.`] : [],
      fix: { title: 'remove runAsNonRoot', edits: paths.map((path) => ({ op: 'remove', path })), isSafe: true },
    };
  },
});
