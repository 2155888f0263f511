import { stringMapAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleNamespace, sampleHostProcessPod } from '../../samples.ts';
import { windowsOptionsOf } from '../security/shared-windows-options.ts';

const LABEL = 'pod-security.kubernetes.io/enforce';
const namespaceOf = (level: string): string => sampleNamespace('agents', `${LABEL}: ${level}`);

/** The namespace's Pod Security level forbids HostProcess. */
export const hostProcessInRestrictedNamespace = defineWorkloadRule({
  id: 'host-process-in-restricted-namespace',
  facts: ['HPC-003', 'C28'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  isolation: 'host-process',
  summary: 'HostProcess pod in a namespace that enforces baseline or restricted',
  rationale: 'The Pod Security levels baseline and restricted forbid hostProcess in every version of theirs: `violates PodSecurity "baseline:latest": … hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)`. A Pod is refused at once; of a Deployment or DaemonSet the controller\'s pods are, and none appears.',
  remediation: 'Run the pod in a namespace that enforces privileged.',
  reference: 'https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline',
  asOf: '2026-11-30',
  since: '1.23',
  messages: {
    pod: 'namespace {namespace} enforces the Pod Security level {level}, which refuses HostProcess pods',
    template: 'namespace {namespace} enforces the Pod Security level {level}, so the pods of this workload are refused',
  },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ metadata: ['namespace: agents'] }), cluster: namespaceOf('baseline'), path: 'spec.securityContext.windowsOptions.hostProcess' }],
    good: [{ yaml: sampleHostProcessPod({ metadata: ['namespace: agents'] }), cluster: namespaceOf('privileged') }],
  },
  * check({ workload }, { namespaces }) {
    const { namespace } = workload.ref;
    // A file without a namespace may be applied to any.
    const name = namespace ?? (namespaces?.isComplete === true ? 'default' : null);
    const found = name === null ? undefined : namespaces?.get(name);
    if (name === null || found === undefined) {
      if (namespaces?.isComplete !== true) yield { notEvaluated: 'namespaces', about: `whether the Pod Security level of namespace ${name ?? '(none given)'} takes HostProcess pods` };
      return;
    }
    const level = stringMapAt(found, 'metadata', 'labels')[LABEL];
    if (level !== 'baseline' && level !== 'restricted') return;
    const place = windowsOptionsOf(workload).find(({ fields }) => fields['hostProcess'] === true);
    const isPod = workload.template.path.length === 0;
    yield {
      messageId: isPod ? 'pod' : 'template',
      data: { namespace: name, level },
      path: [...(place?.path ?? workload.specPath), 'hostProcess'],
      ...(isPod ? {} : { effect: 'cannot-run' } as const),
    };
  },
});
