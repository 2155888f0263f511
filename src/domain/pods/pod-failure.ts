/** Why a pod fails, is not scheduled, or is held up by a container that was added to it: in the words of the kubelet and the scheduler. */
import { arrayAt, stringAt, type KubeObject } from '../kubernetes/object.ts';
import { explainPullFailure, type PullFailureReason } from './pull-reasons.ts';

/** Failures of the pod, and not of the pull of an image. */
export type PodFailureReason = 'NodeLost' | 'NodeFull' | 'Unschedulable' | 'Evicted' | 'Refused' | 'Timeout' | 'Deleted';

export interface PodFailure {
  readonly reason: PullFailureReason | PodFailureReason;
  readonly message: string;
  /** Whether another attempt may go better. */
  readonly isPassing: boolean;
}

/** Waiting reasons that come after the pull: the kubelet pulls, then makes, then starts (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kuberuntime/kuberuntime_container.go, startContainer, read 2026-11-30). */
export const AFTER_PULL: ReadonlySet<string> = new Set(['CreateContainerConfigError', 'CreateContainerError', 'PreCreateHookError', 'PreStartHookError', 'PostStartHookError', 'RunContainerError', 'CrashLoopBackOff']);
export const PULL_FAILED: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError', 'RegistryUnavailable', 'SignatureValidationFailed']);
/** Reasons of a container that has ended and never run: of CRI and of Docker (https://github.com/kubernetes/kubernetes/blob/v1.23.17/pkg/kubelet/dockershim/docker_container.go, read 2026-11-30). */
export const NEVER_STARTED: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

/** Of a waiting container, one of PULL_FAILED; `message` may be of an event. */
export function pullFailure(reason: string, message: string): PodFailure {
  const failure = explainPullFailure(reason, message);
  return { reason: failure.reason, message: `${failure.happened}: ${message === '' ? reason : message}`, isPassing: failure.isPassing };
}

/** `statuses`: of containers that were added. One that cannot be pulled keeps ours from its turn, for init containers come first. */
export function addedFailure(statuses: readonly unknown[]): PodFailure | null {
  for (const status of statuses) {
    const reason = stringAt(status, 'state', 'waiting', 'reason') ?? '';
    if (!PULL_FAILED.has(reason)) continue;
    const failure = pullFailure(reason, stringAt(status, 'state', 'waiting', 'message') ?? '');
    return { ...failure, reason: 'Refused', message: `the container ${stringAt(status, 'name') ?? ''}, which the cluster adds to the pods, does not start: ${failure.message}` };
  }
  return null;
}

/**
 * Of a pod in the phase Failed. Reasons that the kubelet gives pods: https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/lifecycle/predicate.go (OutOfpods and the like),
 * pkg/kubelet/eviction/eviction_manager.go (Evicted), pkg/kubelet/nodeshutdown (Terminated, NodeShutdown), pkg/kubelet/active_deadline.go (DeadlineExceeded). Read 2026-11-30.
 */
export function podFailure(reason: string, message: string): PodFailure {
  const text = [reason, message].filter((part) => part !== '').join(': ');
  if (reason === 'Evicted') return { reason: /DiskPressure|ephemeral-storage|nodefs|imagefs/i.test(message) ? 'DiskFull' : 'Evicted', message: text, isPassing: true };
  if (reason === 'NodeLost' || reason === 'NodeShutdown' || reason === 'Terminated') return { reason: 'NodeLost', message: text, isPassing: true };
  if (/^OutOf/i.test(reason)) return { reason: 'NodeFull', message: text, isPassing: true };
  if (reason === 'DeadlineExceeded') return { reason: 'Timeout', message: text, isPassing: false };
  return { reason: 'Refused', message: text === '' ? 'the pod failed and said nothing' : text, isPassing: false };
}

/** What the scheduler says of a pod without a node; null where it has said nothing. */
export function schedulerMessage(pod: KubeObject): string | null {
  const condition = arrayAt(pod, 'status', 'conditions').find((one) => stringAt(one, 'type') === 'PodScheduled' && stringAt(one, 'status') === 'False');
  return condition === undefined ? null : stringAt(condition, 'message') ?? stringAt(condition, 'reason') ?? null;
}
