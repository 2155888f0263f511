/** How far a pod of a run has come, by its status alone. */
import { arrayAt, isRecord, nameOf, numberAt, recordAt, stringAt, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { addedFailure, AFTER_PULL, NEVER_STARTED, podFailure, PULL_FAILED, pullFailure, schedulerMessage, type PodFailure } from '../pods/pod-failure.ts';
import { isMereBackOff, type PullFailureReason } from '../pods/pull-reasons.ts';
import type { ExecError, ExecErrorReason } from './outcome.ts';
import { EXEC_CONTAINER } from './run-objects.ts';

export type StartState =
  /** No kubelet has taken it up; `message` is the scheduler's. */
  | { readonly state: 'pending'; readonly message: string | null }
  | { readonly state: 'pulling' }
  /** The image is there. */
  | { readonly state: 'starting' }
  | { readonly state: 'running'; readonly pod: string }
  /** Its main process has run, and is over. */
  | { readonly state: 'ended'; readonly exitCode: number | null }
  | StartFailed;

export interface StartFailed {
  readonly state: 'failed';
  readonly reason: ExecErrorReason;
  /** What happened, in a clause or two without a full stop. */
  readonly message: string;
  /** What to do, imperative, with a full stop; null where nothing fits. */
  readonly remedy?: string | null;
  /** Whether the kubelet tries again by itself: as a registry that does not answer. */
  readonly isPassing?: boolean;
  /** The kubelet does not say what came before its back-off: its events do. */
  readonly isUntold?: boolean;
}

export function startStateOf(pod: KubeObject): StartState {
  const statuses = arrayAt(pod, 'status', 'containerStatuses');
  // The kubelet sorts them by name, and injectors add containers of their own.
  const status = statuses.find((one) => stringAt(one, 'name') === EXEC_CONTAINER);
  const terminated = valueAt(status, 'state', 'terminated');
  if (isRecord(terminated)) {
    const reason = stringAt(terminated, 'reason') ?? '';
    if (NEVER_STARTED.has(reason)) return startFailure(reason, stringAt(terminated, 'message') ?? '');
  }
  if (stringAt(pod, 'metadata', 'deletionTimestamp') !== undefined) return { state: 'failed', reason: 'Deleted', message: 'the pod is being deleted', remedy: WHO_DELETES };
  const podReason = stringAt(pod, 'status', 'reason') ?? '';
  // The kubelet's own word goes before the exit code of what it has killed.
  if (stringAt(pod, 'status', 'phase') === 'Failed' && podReason !== '') return failedPod(podFailure(podReason, stringAt(pod, 'status', 'message') ?? ''));
  if (isRecord(terminated)) return { state: 'ended', exitCode: numberAt(terminated, 'exitCode') ?? null };
  if (isRecord(valueAt(status, 'state', 'running'))) return { state: 'running', pod: nameOf(pod) };
  const reason = stringAt(status, 'state', 'waiting', 'reason') ?? '';
  const message = stringAt(status, 'state', 'waiting', 'message') ?? '';
  if (PULL_FAILED.has(reason)) return fromPull(reason, message);
  if (AFTER_PULL.has(reason)) return startFailure(reason, message);
  if (stringAt(pod, 'status', 'phase') === 'Failed') return failedPod(podFailure('', stringAt(pod, 'status', 'message') ?? ''));
  const added = addedFailure([...arrayAt(pod, 'status', 'initContainerStatuses'), ...statuses.filter((one) => one !== status)]);
  if (added !== null) return fromPod(added);
  if (Object.keys(recordAt(status)).length === 0) return { state: 'pending', message: schedulerMessage(pod) };
  return (stringAt(status, 'imageID') ?? '') === '' ? { state: 'pulling' } : { state: 'starting' };
}

/** Why a pod that ran is no more, or will not be; null where it runs, or that is not known. `pod` null: it is gone. */
export function lossOf(pod: KubeObject | null): ExecError | null {
  if (pod === null) return { reason: 'Deleted', message: 'its pod was deleted', remedy: WHO_DELETES };
  if (stringAt(pod, 'metadata', 'deletionTimestamp') !== undefined) return { reason: 'Deleted', message: 'its pod is being deleted', remedy: WHO_DELETES };
  const state = startStateOf(pod);
  if (state.state === 'ended') return { reason: 'EndNotSeen', message: `the main process of its pod has ended${state.exitCode === null ? '' : ` with exit code ${state.exitCode}`}` };
  return state.state === 'failed' ? { reason: state.reason, message: state.message, remedy: state.remedy ?? null } : null;
}

const WHO_DELETES = 'Find out who deletes pods there, or use another namespace (-n).';

/** As of a container that waits; `message` may be of an event. */
export function fromPull(reason: string, message: string): StartFailed {
  const failure = pullFailure(reason, message);
  const failed: StartFailed = { state: 'failed', reason: 'PullFailed', message: failure.message, remedy: REMEDIES_OF_PULLS[failure.reason as PullFailureReason] ?? null, isPassing: failure.isPassing };
  return isMereBackOff(reason, message) ? { ...failed, isUntold: true } : failed;
}

const MIRROR = 'Name an image that the nodes can pull (--image, or hostProcess.image of the configuration), with secrets where it wants some (--pull-secret).';

const REMEDIES_OF_PULLS: Partial<Readonly<Record<PullFailureReason, string>>> = {
  NoMatchForPlatform: 'Name an image that is no index, or whose entry names no build (--image): the base image for HostProcess containers is one, and wants containerd 1.6.18.',
  OsMismatch: 'Name an image that is no index, or whose entry names no build (--image).',
  Unauthorized: MIRROR, NotFound: MIRROR, RegistryUnreachable: MIRROR, UntrustedCertificate: 'Put the certificate authority of the registry on the nodes, or name another image (--image).', InvalidImageName: 'Correct the name (--image).',
  TooManyRequests: 'Reach fewer nodes at a time (--parallel), or name an image of a mirror (--image).', DiskFull: 'Free space on the node. The base image for HostProcess containers takes next to none; an image of Windows (--image) takes gigabytes.',
  NodeBusy: 'Raise registryPullQPS of the kubelet, or wait.', Canceled: 'See what keeps the node from its registry.', Timeout: 'Give it more time (--start-timeout).',
  NeverPull: 'See which policy changes pods on the way (a mutating webhook).', UntrustedSignature: 'Sign the image, or change the policy of the nodes.',
};

interface StartFailureKind {
  readonly matches: RegExp;
  readonly happened: string;
  readonly remedy: string;
}

/**
 * Why HostProcess containers do not start. Texts of hcsshim (internal/jobcontainers/logon.go and mounts.go, https://github.com/microsoft/hcsshim/tree/7c9ff7f),
 * of containerd (internal/cri/server/container_create.go and internal/cri/opts/spec_windows_opts.go, https://github.com/containerd/containerd/tree/301026e), and of the
 * kubelet (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kuberuntime/security_context_windows.go). Read 2026-11-30.
 */
const START_FAILURES: readonly StartFailureKind[] = [
  { matches: /failed to log ?on user.{0,200}access is denied/is, happened: 'containerd may not log other users on, for it does not run as LocalSystem', remedy: 'Let the service containerd of the node run as LocalSystem.' },
  { matches: /failed to log ?on user|logon failure|user name or password is incorrect|failed to create user process token|empty username or group name/i, happened: 'the node knows no such account', remedy: 'Name an account that the node has (--run-as system, local-service, network-service, or a local group, which wants containerd 1.7).' },
  { matches: /previous to RS5|job containers? (?:are )?not supported|HostProcess (?:containers? )?(?:is|are) not supported|must have the HostProcess field set/i, happened: 'the node cannot run HostProcess containers', remedy: 'Bring the node to Windows Server 2019 and containerd 1.6 or later; until then use its console.' },
  { matches: /0xc0370101|operating system (?:of the container )?does not match/i, happened: 'the node starts the pod as a container of Windows and not as HostProcess', remedy: 'See what takes windowsOptions.hostProcess from pods (a mutating webhook), and which containerd the node has (1.6 or later).' },
  { matches: /cannot find the (?:file|path) specified|executable file not found|file does not exist/i, happened: 'the node does not find the program of the pod', remedy: 'See whether C:\\Windows\\System32 is in the PATH of the node.' },
  { matches: /no space left on device|not enough space on the disk|0x80070070/i, happened: 'the disk of the node is full', remedy: 'Free space on the node.' },
  { matches: /console emulation not supported/i, happened: 'the node gives HostProcess containers no terminal', remedy: 'Leave -t out, or bring containerd of the node to 1.6 or later.' },
  { matches: /secret ".*" not found|couldn't find key/i, happened: 'what the pod refers to is not there', remedy: 'Create the secret in the namespace (--pull-secret).' },
];

function startFailure(reason: string, message: string): StartFailed {
  const kind = START_FAILURES.find(({ matches }) => matches.test(message.slice(0, LONGEST_TEXT)));
  const said = message === '' ? reason : message;
  return { state: 'failed', reason: 'StartFailed', message: kind === undefined ? `the container does not start: ${said}` : `${kind.happened}: ${said}`, remedy: kind?.remedy ?? null };
}

/** A hostile text of megabytes is no better told by its end. */
const LONGEST_TEXT = 4_000;

const REMEDIES_OF_PODS: Partial<Readonly<Record<PodFailure['reason'], string>>> = {
  NodeFull: 'Make room for one more pod on the node: it takes no more, and a pod that is bound to it cannot push others out.',
  NodeLost: 'Look at the node (kubectl describe node).', Evicted: 'See what the node lacks, and give it more of that.', DiskFull: 'Free space on the node.',
  Timeout: 'Give it more time (--timeout, --start-timeout).',
};

function fromPod({ reason, message, isPassing }: PodFailure): StartFailed {
  return { state: 'failed', reason: REASONS_OF_PODS[reason] ?? 'Refused', message, remedy: REMEDIES_OF_PODS[reason] ?? null, isPassing };
}

/** No kubelet takes up a pod again that has failed, and its Job makes no second one. */
function failedPod(failure: PodFailure): StartFailed {
  return fromPod({ ...failure, isPassing: false });
}

const REASONS_OF_PODS: Partial<Readonly<Record<PodFailure['reason'], ExecErrorReason>>> = { NodeLost: 'NodeLost', NodeFull: 'NodeFull', Timeout: 'Timeout', Deleted: 'Deleted', Evicted: 'Refused', DiskFull: 'Refused', Refused: 'Refused', Unschedulable: 'Refused' };
