import { stringMapAt } from '../kubernetes/object.ts';
import type { SelectableWorkload } from './facts.ts';
import type { WorkloadSubject } from './rule.ts';

/** As much of a workload as the selectors of Services and NetworkPolicies, and the rules on the whole cluster, need. */
export function selectableWorkloadOf({ workload, os, placement }: WorkloadSubject): SelectableWorkload {
  const { ref } = workload;
  return {
    namespace: ref.namespace, kind: ref.kind ?? '', name: ref.name,
    labels: stringMapAt(workload.template.metadata, 'labels'),
    os: os.os, pinned: os.pinned, isHostProcess: workload.isHostProcess,
    windowsNodes: placement === null ? null : placement.windowsCandidates.map(({ name }) => name),
    replicas: workload.replicas,
  };
}
