import { arrayAt, stringAt, type KubeObject } from '../kubernetes/object.ts';

/**
 * Reasons of the condition DisruptionTarget (https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions,
 * read 2026-11-30). TerminationByKubelet is not among them: such a pod has a reason of its own.
 */
const DISRUPTIONS: Readonly<Record<string, { readonly reason: 'Evicted' | 'NodeLost'; readonly message: string }>> = {
  EvictionByEvictionAPI: { reason: 'Evicted', message: 'its pod was evicted, as kubectl drain does' },
  PreemptionByScheduler: { reason: 'Evicted', message: 'its pod made room for one of a higher priority' },
  DeletionByTaintManager: { reason: 'Evicted', message: 'its pod was evicted for a taint of the node' },
  DeletionByPodGC: { reason: 'NodeLost', message: 'its pod was removed: the node is gone' },
};

/** Why the cluster removes a pod that has not ended; null where its conditions do not say. */
export function disruptionOf(pod: KubeObject): { readonly reason: 'Evicted' | 'NodeLost'; readonly message: string } | null {
  const condition = arrayAt(pod, 'status', 'conditions').find((one) => stringAt(one, 'type') === 'DisruptionTarget' && stringAt(one, 'status') === 'True');
  const reason = stringAt(condition, 'reason') ?? '';
  return Object.hasOwn(DISRUPTIONS, reason) ? DISRUPTIONS[reason] ?? null : null;
}
