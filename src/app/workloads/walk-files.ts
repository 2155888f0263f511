import { InputError } from '../../errors.ts';
import type { CheckFacts } from '../../domain/check/facts.ts';
import { inNamespace } from '../../domain/check/facts-of-objects.ts';
import { podEvidenceOfObjects } from '../../domain/check/pod-evidence-of-objects.ts';
import type { WorkloadSubject } from '../../domain/check/rule.ts';
import { namespaceOf, type KubeObject } from '../../domain/kubernetes/object.ts';
import { controllerOf, ownerKey, ownKey, topOwnerOfPod } from '../../domain/workload/owner.ts';
import { podTemplatesOf } from '../../domain/workload/pod-template.ts';
import type { ManifestObject, ManifestSource, UnreadableDocument } from '../ports.ts';
import type { WorkloadVisitor } from './workload-visitor.ts';
import { Turns } from './turns.ts';

export interface FilesOptions {
  /** Namespace of objects that name none, as kubectl apply gives it; null leaves it open. */
  readonly namespace: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Visits manifests. They come in any order, and a Service may stand before what it selects: all are read before the first is visited. */
export async function walkFiles<Visitor extends WorkloadVisitor>(
  manifests: ManifestSource, options: FilesOptions, visitorOf: (facts: CheckFacts) => Visitor, factsOf: (objects: readonly KubeObject[]) => Promise<CheckFacts>,
): Promise<Visitor> {
  const objects: ManifestObject[] = [];
  const unreadable: UnreadableDocument[] = [];
  for await (const entry of manifests.read(options.signal)) {
    if ('object' in entry) objects.push(placed(entry, options.namespace));
    else unreadable.push(entry);
  }
  const raw = objects.map(({ object }) => object);
  const facts = await factsOf(raw);
  const visitor = visitorOf({ ...facts, pods: podEvidenceOfObjects(raw) });
  for (const document of unreadable) visitor.unreadable(document);
  const visited = visitedOnes(objects);
  const turns = new Turns(options.signal);
  const subjects: (readonly WorkloadSubject[])[] = [];
  for (const { object } of visited) {
    await turns.next();
    subjects.push(visitor.introduce(object));
  }
  const preparing = visitor.prepare(visited.map(({ object }) => object), subjects);
  if (preparing !== null) await preparing;
  for (const [index, manifest] of visited.entries()) {
    await turns.next();
    visitor.visitManifest(manifest, subjects[index] ?? []);
  }
  if (visited.length === 0 && unreadable.length === 0) throw new InputError({ file: manifests.description.location }, 'holds no Kubernetes objects', { suggestions: manifests.notes });
  return visitor;
}

function placed(manifest: ManifestObject, namespace: string | null): ManifestObject {
  const object = namespace === null ? manifest.object : inNamespace(manifest.object, namespace);
  return object === manifest.object ? manifest : { ...manifest, object, asWritten: manifest.object };
}

/**
 * What a dump has of a workload is visited through its owner where that is there and has a pod template; else the first pod of
 * each owner stands for all.
 */
function visitedOnes(objects: readonly ManifestObject[]): readonly ManifestObject[] {
  if (objects.every(({ object }) => controllerOf(object) === null)) return objects;
  const keys = new Set(objects.filter(({ object }) => object.kind !== 'Pod' && podTemplatesOf(object).length > 0).map(({ object }) => ownKey(object)));
  return objects.filter(({ object }) => {
    const namespace = namespaceOf(object);
    const controller = controllerOf(object);
    if (object.kind !== 'Pod') return controller === null || !keys.has(ownerKey(controller.kind, namespace, controller.name)) || podTemplatesOf(object).length === 0;
    const owner = topOwnerOfPod(object);
    if (owner === null || controller === null) return true;
    const key = ownerKey(owner.kind, namespace, owner.name);
    if (keys.has(key) || keys.has(ownerKey(controller.kind, namespace, controller.name))) return false;
    keys.add(key);
    return true;
  });
}
