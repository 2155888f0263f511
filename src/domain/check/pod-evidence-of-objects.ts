import { arrayAt, isRecord, nameOf, namespaceOf, stringAt, type KubeObject } from '../kubernetes/object.ts';
import { controllerOf, ownKey, ownerKey, topOwnerOfPod } from '../workload/owner.ts';
import { podTemplatesOf } from '../workload/pod-template.ts';
import { CONTAINER_LISTS } from '../workload/workload.ts';
import { collectPodEvidence, type PodOwner } from './pod-evidence-collector.ts';
import type { PodEvidenceSource } from '../workload/pod-evidence.ts';

/** Evidence of the pods and events among objects that are in memory; null where no pod among them has a status. */
export function podEvidenceOfObjects(objects: readonly KubeObject[]): PodEvidenceSource | null {
  const pods = objects.filter((object) => object.kind === 'Pod' && isRecord(object['status']));
  if (pods.length === 0) return null;
  const byKey = new Map(objects.map((object) => [ownKey(object), object]));
  const collector = collectPodEvidence({ ownerOf: (pod) => (isRecord(pod) ? ownerAmong(pod, byKey) : null) });
  collector.addPods(pods);
  collector.addEvents(objects.filter(({ kind }) => kind === 'Event'));
  return collector;
}

/** Longest chain of controllers that is followed; objects that control each other must not hold us up. */
const CHAIN_LIMIT = 5;

/** The owner that the pod itself tells, and from there upwards as far as controllers are among the objects. */
function ownerAmong(pod: KubeObject, byKey: ReadonlyMap<string, KubeObject>): PodOwner {
  const namespace = namespaceOf(pod);
  let owner = topOwnerOfPod(pod);
  if (owner === null) return { kind: 'Pod', namespace, name: nameOf(pod), templateContainers: null };
  for (let step = 0; step < CHAIN_LIMIT; step += 1) {
    const object = byKey.get(ownerKey(owner.kind, namespace, owner.name));
    const controller = object === undefined ? null : controllerOf(object);
    if (controller === null) break;
    owner = controller;
  }
  return { kind: owner.kind, namespace, name: owner.name, templateContainers: templateContainersOf(byKey.get(ownerKey(owner.kind, namespace, owner.name))) };
}

/** Names of the containers of an object's pod template; null for an object that is not known, or has several templates. */
function templateContainersOf(owner: KubeObject | undefined): ReadonlySet<string> | null {
  const [template, other] = owner === undefined ? [] : podTemplatesOf(owner);
  if (template === undefined || other !== undefined) return null;
  const containers = CONTAINER_LISTS.flatMap((list) => arrayAt(template.spec, list));
  return new Set(containers.flatMap((container) => stringAt(container, 'name') ?? []));
}
