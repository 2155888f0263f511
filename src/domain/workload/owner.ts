/** Through which object a pod is judged: the top of its chain of controllers. */
import { arrayAt, booleanAt, nameOf, namespaceOf, stringAt, stringMapAt, type KubeObject } from '../kubernetes/object.ts';

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The controller in metadata.ownerReferences; null for an object that nothing controls. */
export function controllerOf(object: KubeObject): Owner | null {
  for (const reference of arrayAt(object, 'metadata', 'ownerReferences')) {
    if (booleanAt(reference, 'controller') !== true) continue;
    const kind = stringAt(reference, 'kind');
    const name = stringAt(reference, 'name');
    if (kind !== undefined && name !== undefined) return { apiVersion: stringAt(reference, 'apiVersion') ?? '', kind, name };
  }
  return null;
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label, and Argo Rollouts' own label, read 2026-11-30 */
const HASH_LABELS: Readonly<Record<string, Owner>> = {
  'pod-template-hash': { apiVersion: 'apps/v1', kind: 'Deployment', name: '' },
  'rollouts-pod-template-hash': { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: '' },
};

/** A CronJob names its Jobs by the minute they are due: 8 digits, 10 before Kubernetes 1.21. https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/, read 2026-11-30 */
const CRON_JOB_SUFFIX = /^(.+)-\d{8}(?:\d\d)?$/;

/**
 * The top owner of a pod as far as the pod itself tells: ReplicaSets of a Deployment and Jobs of a CronJob are known by
 * their names, so that no ReplicaSet has to be read. null for a bare pod. A mirror pod, which its node owns, counts as bare.
 */
export function topOwnerOfPod(pod: KubeObject): Owner | null {
  const controller = controllerOf(pod);
  if (controller === null || controller.kind === 'Node') return null;
  if (controller.kind === 'ReplicaSet') {
    const labels = stringMapAt(pod, 'metadata', 'labels');
    for (const [label, owner] of Object.entries(HASH_LABELS)) {
      const hash = labels[label];
      if (hash !== undefined && controller.name.endsWith(`-${hash}`)) return { ...owner, name: controller.name.slice(0, -hash.length - 1) };
    }
  }
  if (controller.kind === 'Job') {
    const cronJob = CRON_JOB_SUFFIX.exec(controller.name)?.[1];
    if (cronJob !== undefined) return { apiVersion: 'batch/v1', kind: 'CronJob', name: cronJob };
  }
  return controller;
}

/** `Deployment/shop/web`: one key per owner, whatever the version of its API. */
export function ownerKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** Key of an object as an owner. */
export function ownKey(object: KubeObject): string {
  return ownerKey(stringAt(object, 'kind') ?? '', namespaceOf(object), nameOf(object));
}
