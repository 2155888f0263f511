/** How far the pull of a pod has come, by its status alone. */
import { arrayAt, isRecord, numberAt, stringAt, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { addedFailure, AFTER_PULL, NEVER_STARTED, podFailure, PULL_FAILED, pullFailure, schedulerMessage, type PodFailure } from '../pods/pod-failure.ts';
import { isMereBackOff, isOtherBuild } from '../pods/pull-reasons.ts';
import { ISOLATION_ANNOTATION, PULL_CONTAINER } from './run-objects.ts';

export type PullState =
  /** No node has it yet; `message` is the scheduler's, null where it has said nothing. */
  | { readonly state: 'pending'; readonly message: string | null }
  | { readonly state: 'pulling' }
  /** The image is on the node. `digest`: under which the node has it (pulled-content.ts); null where the container was never made. */
  | { readonly state: 'pulled'; readonly digest: string | null; readonly isRunning: boolean }
  | PullFailed;

export interface PullFailed extends PodFailure {
  readonly state: 'failed';
  /** The kubelet does not say what came before its back-off: its events do. */
  readonly isUntold?: boolean;
}

/** `container`: whose image is meant; `own`: the names of all that pull. */
export function pullStateOf(pod: KubeObject, container: string = PULL_CONTAINER, own: ReadonlySet<string> = new Set([container])): PullState {
  const statuses = arrayAt(pod, 'status', 'containerStatuses');
  // The kubelet sorts them by name, and injectors add containers of their own.
  const status = statuses.find((one) => stringAt(one, 'name') === container);
  // Empty before the container is made. `sha256:…` alone is the id of a configuration, which no index names.
  const imageId = stringAt(status, 'imageID') ?? '';
  const digest = /@(sha\d+:[0-9a-f]{64,})$/.exec(imageId)?.[1] ?? null;
  const isRunning = isRecord(valueAt(status, 'state', 'running'));
  const refusal = refusalToStart(status);
  // The one failure after the pull that every container of the image has there: HostProcess containers alone start whatever build they are of.
  if (refusal !== null && stringAt(pod, 'metadata', 'annotations', ISOLATION_ANNOTATION) !== 'host-process') return { state: 'failed', reason: 'OsMismatch', message: `it is on the node and does not start there: ${refusal}`, isPassing: false };
  if (isRunning || imageId !== '') return { state: 'pulled', digest, isRunning };
  const terminated = valueAt(status, 'state', 'terminated');
  // A container that the kubelet reports for a pod that never got that far has no id of its own.
  if (isRecord(terminated) && (numberAt(terminated, 'exitCode') === 0 || (stringAt(terminated, 'containerID') ?? '') !== '' || stringAt(terminated, 'reason') === 'StartError')) return { state: 'pulled', digest, isRunning: false };
  const reason = stringAt(status, 'state', 'waiting', 'reason') ?? '';
  const message = stringAt(status, 'state', 'waiting', 'message') ?? '';
  if (AFTER_PULL.has(reason)) return { state: 'pulled', digest, isRunning: false };
  if (PULL_FAILED.has(reason)) {
    const failed = failedBy(pullFailure(reason, message));
    return isMereBackOff(reason, message) ? { ...failed, isUntold: true } : failed;
  }
  if (stringAt(pod, 'status', 'phase') === 'Failed') return podFailed(stringAt(pod, 'status', 'reason') ?? '', stringAt(pod, 'status', 'message') ?? '');
  if ((stringAt(pod, 'spec', 'nodeName') ?? '') === '') return { state: 'pending', message: schedulerMessage(pod) };
  const added = addedFailure([...arrayAt(pod, 'status', 'initContainerStatuses'), ...statuses.filter((one) => !own.has(stringAt(one, 'name') ?? ''))]);
  return added === null ? { state: 'pulling' } : failedBy(added);
}

/** A deadline of the pod is that of the pull. */
function podFailed(reason: string, message: string): PullFailed {
  const failure = podFailure(reason, message);
  return failedBy(failure.reason === 'Timeout' ? { ...failure, message: 'the pull took longer than --timeout' } : failure);
}

export function failedBy(failure: PodFailure): PullFailed {
  return { state: 'failed', ...failure };
}

/** What the node says where it refuses the build of the image; null where it does not. */
function refusalToStart(status: unknown): string | null {
  const waiting = AFTER_PULL.has(stringAt(status, 'state', 'waiting', 'reason') ?? '') ? stringAt(status, 'state', 'waiting', 'message') ?? '' : '';
  const terminated = NEVER_STARTED.has(stringAt(status, 'state', 'terminated', 'reason') ?? '') ? stringAt(status, 'state', 'terminated', 'message') ?? '' : '';
  return [waiting, terminated].find(isOtherBuild) ?? null;
}

export interface PulledEvent {
  /** false when the image was there. */
  readonly wasPulled: boolean;
  readonly seconds: number | null;
  readonly sizeBytes: number | null;
}

/**
 * The kubelet's event Pulled: `Successfully pulled image "X" in 3.2s (3.5s including waiting). Image size: 123 bytes.` and
 * `Container image "X" already present on machine` (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/image_manager.go, read
 * 2026-11-30). null for other texts.
 */
export function readPulledEvent(message: string): PulledEvent | null {
  if (/already present on machine/i.test(message)) return { wasPulled: false, seconds: null, sizeBytes: null };
  if (!/Successfully pulled image/i.test(message)) return null;
  const size = /Image size: (\d+) bytes/.exec(message)?.[1];
  const time = / in ([0-9hmsµun.]+)(?:\s|$)/.exec(message)?.[1];
  return { wasPulled: true, seconds: time === undefined ? null : goSeconds(time), sizeBytes: size === undefined ? null : Number(size) };
}

/** `1m3.25s`, `812ms`; null for what is no duration of Go. */
function goSeconds(text: string): number | null {
  const units: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, 'µs': 1e-6, ns: 1e-9 };
  let seconds = 0;
  let rest = text;
  while (rest !== '') {
    const match = /^(\d+(?:\.\d+)?)(ms|µs|us|ns|h|m|s)/.exec(rest);
    if (match === null) return null;
    seconds += Number(match[1]) * (units[match[2] ?? ''] ?? 0);
    rest = rest.slice(match[0].length);
  }
  return seconds;
}
