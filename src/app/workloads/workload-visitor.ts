import type { WorkloadSubject } from '../../domain/check/rule.ts';
import type { CheckFacts } from '../../domain/check/facts.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import type { ManifestObject, UnreadableDocument } from '../ports.ts';

/** Takes the objects of a cluster or of files, each once, workloads through their top owner. */
export interface WorkloadVisitor {
  /** What pods tell of their workloads, before the first object; null where they may not be read. */
  setPods(pods: CheckFacts['pods']): void;
  /** Called with each object before it is visited, and before those beside it are: gives its pod templates. */
  introduce(object: KubeObject): readonly WorkloadSubject[];
  /** Asks outside for what visiting some objects will need; null where that is nothing. */
  prepare(objects: readonly KubeObject[], subjects: readonly (readonly WorkloadSubject[])[]): Promise<void> | null;
  visit(object: KubeObject, subjects: readonly WorkloadSubject[]): void;
  visitManifest(manifest: ManifestObject, subjects: readonly WorkloadSubject[]): void;
  unreadable(document: UnreadableDocument): void;
  /** All of a cluster was visited. */
  visitCluster(): void;
}
