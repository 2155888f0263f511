import { InputError } from '../../errors.ts';
import type { CheckFacts } from '../../domain/check/facts.ts';
import { inNamespace } from '../../domain/check/facts-of-objects.ts';
import { podEvidenceOfObjects } from '../../domain/check/pod-evidence-of-objects.ts';
import type { WorkloadSubject } from '../../domain/check/rule.ts';
import { namespaceOf, type KubeObject } from '../../domain/kubernetes/object.ts';
import { controllerOf, ownerKey, ownKey, topOwnerOfPod } from '../../domain/workload/owner.ts';
import { podTemplatesOf } from '../../domain/workload/pod-template.ts';
import type { ManifestObject, ManifestSource, UnreadableDocument } from '../ports.ts';
import type { Judge } from './judge.ts';
import { Turns } from './turns.ts';

export interface FilesOptions {
  /** Namespace of objects that name none, as kubectl apply gives it; null leaves it open. */
  readonly namespace: string | null;
  readonly signal?: AbortSignal | undefined;
  /** Asks the server what the rules will want to know of an object. */
  readonly prepare?: (object: KubeObject) => Promise<void> | null;
}

/** Judges manifests. They come in any order, and a Service may stand before what it selects: all are read before the first is judged. */
export async function judgeFiles(
  manifests: ManifestSource, options: FilesOptions, judgeOf: (facts: CheckFacts) => Judge, factsOf: (objects: readonly KubeObject[]) => Promise<CheckFacts>,
): Promise<Judge> {
  const objects: ManifestObject[] = [];
  const unreadable: UnreadableDocument[] = [];
  for await (const entry of manifests.read(options.signal)) {
    if ('object' in entry) objects.push(placed(entry, options.namespace));
    else unreadable.push(entry);
  }
  const raw = objects.map(({ object }) => object);
  const facts = await factsOf(raw);
  const judge = judgeOf({ ...facts, pods: podEvidenceOfObjects(raw) });
  for (const document of unreadable) judge.unreadable(document);
  const judged = judgedOnes(objects);
  const turns = new Turns(options.signal);
  const subjects: (readonly WorkloadSubject[])[] = [];
  for (const { object } of judged) {
    await turns.next();
    subjects.push(judge.introduce(object));
  }
  for (const [index, manifest] of judged.entries()) {
    await turns.next();
    const preparing = options.prepare?.(manifest.object) ?? null;
    if (preparing !== null) await preparing;
    judge.judgeManifest(manifest, subjects[index] ?? []);
  }
  if (judged.length === 0 && unreadable.length === 0) throw new InputError({ file: manifests.description.location }, 'holds no Kubernetes objects', { suggestions: manifests.notes });
  return judge;
}

function placed(manifest: ManifestObject, namespace: string | null): ManifestObject {
  const object = namespace === null ? manifest.object : inNamespace(manifest.object, namespace);
  return object === manifest.object ? manifest : { ...manifest, object, asWritten: manifest.object };
}

/**
 * What a dump has of a workload is judged through its owner where that is there and has a pod template; else the first pod of
 * each owner stands for all.
 */
function judgedOnes(objects: readonly ManifestObject[]): readonly ManifestObject[] {
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
