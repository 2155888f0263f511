/** What live pods tell of their workload: statuses, events, containers that a webhook put in. */
import type { ObjectRef } from '../kubernetes/object-ref.ts';

/** One kind of trouble seen on pods of a workload. */
export interface PodSymptom {
  /** `waiting.reason`, event reason or status reason: `ErrImagePull`, `FailedCreatePodSandBox`, `PodOSNotSupported`. */
  readonly reason: string;
  /** Text of the kubelet or runtime, as it came. */
  readonly message: string;
  readonly container: string | null;
  readonly image: string | null;
  /** Node names, at most ten. */
  readonly nodes: readonly string[];
  /** Number of pods that have it. */
  readonly pods: number;
}

/** A container that an admission webhook put into pods. */
export interface InjectedContainer {
  readonly name: string;
  readonly image: string;
  readonly list: 'initContainers' | 'containers';
  /** Whether it was seen ready, or ended well, in any pod. */
  readonly hasRun: boolean;
}

export interface PodEvidence {
  /** Pods of the workload that were seen. */
  readonly pods: number;
  readonly symptoms: readonly PodSymptom[];
  /** Containers of its pods that the template does not have: what an admission webhook injected. */
  readonly injected: readonly InjectedContainer[];
  /** Names of nodes that its pods are bound to, at most ten. */
  readonly nodes: readonly string[];
}

export interface PodEvidenceSource {
  /** Of the workload with this kind, namespace and name; null when no pod of it was seen. */
  evidenceOf(kind: string, namespace: string, name: string): PodEvidence | null;
}

/** What is known of the pods of a workload; null where nothing is. */
export function evidenceOf(workload: ObjectRef, pods: PodEvidenceSource | null): PodEvidence | null {
  return pods?.evidenceOf(workload.kind ?? '', workload.namespace ?? 'default', workload.name) ?? null;
}
