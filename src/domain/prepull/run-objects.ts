/**
 * What a run creates. One Job stands for the run: it makes no pod (parallelism 0), has the deadline after which nothing is left, keeps
 * the record of what is done in an annotation, and owns all else, so that whoever deletes it deletes everything. The pull of one image
 * on one node is a Job of its own, whose pod the scheduler places.
 *
 * A Job without parallelism fails at its activeDeadlineSeconds like any other and is removed by the TTL controller
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup; asked of kube-controller-manager v1.37.2), 2026-11-30.
 */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../kubernetes/object.ts';
import { resourcesOf } from '../runs/resources-of.ts';
import { DEADLINE_ANNOTATION, managedBy, NODE_ANNOTATION, ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../runs/run-labels.ts';
import { sleepCommand } from '../runs/sleep-command.ts';

export const MANAGED_BY = managedBy('prepull');
export const IMAGE_ANNOTATION = 'kubectl-win/image';
/** `host-process` of a pull for HostProcess containers, whose image need not start in the pod that pulls it; absent: process isolation. */
export const ISOLATION_ANNOTATION = 'kubectl-win/isolation';
export const RECORD_ANNOTATION = 'kubectl-win/record';
/** Of the Job of a run that was begun all at once: no program follows it, and none has ended. */
export const DETACHED_ANNOTATION = 'kubectl-win/detached';

/** Of a pull whose container sleeps so many seconds once the image is there. */
export const HOLD_ANNOTATION = 'kubectl-win/hold-seconds';

/** Name of the container that pulls; others may be added on the way. */
export const PULL_CONTAINER = 'pull';

/** What runs in the container where it can; images without a shell end otherwise, after the pull all the same. */
const END_AT_ONCE = ['cmd.exe', '/c', 'exit', '0'] as const;

/** As whom a pod pulls. */
export interface PullIdentity {
  /** null for the namespace's default. */
  readonly serviceAccount: string | null;
  /** Names in the run's namespace. */
  readonly pullSecrets: readonly string[];
}

export interface RunOptions extends PullIdentity {
  /** Lower-case letters and digits. */
  readonly run: string;
  readonly namespace: string;
  /** `kubectl win 0.1.0 prepull`. */
  readonly origin: string;
  /** Of one pull. */
  readonly timeoutSeconds: number;
  /** Images that are pulled as somebody else. */
  readonly identities?: ReadonlyMap<string, PullIdentity>;
  /** Images for HostProcess containers alone. */
  readonly hostProcessImages?: ReadonlySet<string>;
  /** Pods stay for so long after the pull, so that the image is in use; absent: they end at once. */
  readonly holdSeconds?: number;
  /** No program follows it. */
  readonly isDetached?: boolean;
  /** In place of DEADLINE_MARGIN_SECONDS and RECORD_TTL_SECONDS. */
  readonly marginSeconds?: number;
  readonly recordTtlSeconds?: number;
}

export interface RunOwner {
  readonly name: string;
  readonly uid: string;
}

export function runJobName(run: string): string {
  return `kubectl-win-prepull-${run}`;
}

export function pullJobName(run: string, index: number, attempt: number): string {
  return `${runJobName(run)}-${index}${attempt === 1 ? '' : `-${attempt}`}`;
}

/** Whether a Job with the labels of a pull is one of that run: of its own, or applied from a dry run, which knows no owner. Labels are copied with a manifest. */
export function isPullJobOf(run: string, job: KubeObject): boolean {
  const name = nameOf(job);
  const owners = arrayAt(job, 'metadata', 'ownerReferences');
  return name.startsWith(`${runJobName(run)}-`) && /^\d+(?:-\d+)?$/.test(name.slice(runJobName(run).length + 1))
    && (owners.length === 0 || owners.some((owner) => stringAt(owner, 'kind') === 'Job' && stringAt(owner, 'name') === runJobName(run)));
}

/** Seconds that are left of the record after the deadline, for `status` and for a run that takes up the rest. */
export const RECORD_TTL_SECONDS = 300;
/** Of a run that nobody follows, whose report is that record. */
export const DETACHED_RECORD_TTL_SECONDS = 86_400;
/** Beyond the pull that is started last. */
export const DEADLINE_MARGIN_SECONDS = 120;

/** Seconds after which the run's Job fails, and with it all that is left, unless the deadline is moved: that is done as long as the program lives. */
export function deadlineSeconds({ timeoutSeconds, holdSeconds = 0, marginSeconds = DEADLINE_MARGIN_SECONDS }: Pick<RunOptions, 'timeoutSeconds' | 'holdSeconds' | 'marginSeconds'>): number {
  return timeoutSeconds + holdSeconds + marginSeconds;
}

export function recordTtlSecondsOf({ recordTtlSeconds, isDetached }: Pick<RunOptions, 'recordTtlSeconds' | 'isDetached'>): number {
  return recordTtlSeconds ?? (isDetached === true ? DETACHED_RECORD_TTL_SECONDS : RECORD_TTL_SECONDS);
}

export function runJob(options: RunOptions, record: string): KubeObject {
  const { run, namespace, origin } = options;
  const followed = options.isDetached === true ? { [DETACHED_ANNOTATION]: 'true' } : { [DEADLINE_ANNOTATION]: String(deadlineSeconds(options)) };
  return {
    apiVersion: 'batch/v1', kind: 'Job',
    metadata: { name: runJobName(run), namespace, labels: labels(run, 'run'), annotations: { [ORIGIN_ANNOTATION]: origin, ...followed, [RECORD_ANNOTATION]: record } },
    spec: {
      parallelism: 0, completions: 1, backoffLimit: 0, activeDeadlineSeconds: deadlineSeconds(options), ttlSecondsAfterFinished: recordTtlSecondsOf(options),
      // Never made, and asked for by the API server.
      template: { metadata: { labels: labels(run, 'run') }, spec: { restartPolicy: 'Never', automountServiceAccountToken: false, containers: [{ name: 'none', image: 'none' }] } },
    },
  };
}

/** Of what goes with the Job of a run. Blocking its deletion may take a right of its own (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement, read 2026-11-30). */
export function ownedBy({ name, uid }: RunOwner): readonly Readonly<Record<string, unknown>>[] {
  return [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: false, blockOwnerDeletion: false }];
}

/** `isRefreshed`: the tag has moved, so that what the node has of it does not do. */
export function pullJob(options: RunOptions, pull: { readonly index: number; readonly attempt: number; readonly node: string; readonly image: string; readonly isRefreshed: boolean }, owner: RunOwner): KubeObject {
  const { run, namespace, origin, timeoutSeconds, holdSeconds = 0 } = options;
  const isolation = options.hostProcessImages?.has(pull.image) === true ? { [ISOLATION_ANNOTATION]: 'host-process' } : {};
  const annotations = { [ORIGIN_ANNOTATION]: origin, [NODE_ANNOTATION]: pull.node, [IMAGE_ANNOTATION]: pull.image, ...isolation, ...(holdSeconds === 0 ? {} : { [HOLD_ANNOTATION]: String(holdSeconds) }) };
  return {
    apiVersion: 'batch/v1', kind: 'Job',
    metadata: {
      name: pullJobName(run, pull.index, pull.attempt), namespace, labels: labels(run, 'pull'), annotations,
      ownerReferences: ownedBy(owner),
    },
    spec: {
      backoffLimit: 0, completions: 1, parallelism: 1, activeDeadlineSeconds: timeoutSeconds + holdSeconds,
      // As long as the run's own Job, which owns it: what it did is known of it alone until it is on record.
      ttlSecondsAfterFinished: deadlineSeconds(options) + recordTtlSecondsOf(options),
      template: { metadata: { labels: labels(run, 'pull'), annotations }, spec: pullPodSpec({ ...options, ...options.identities?.get(pull.image) }, pull) },
    },
  };
}

/**
 * Holds no memory or CPU, needs no rights, and meets the Pod Security level restricted, which asks Windows pods for runAsNonRoot alone
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, read 2026-11-30). An image whose container would be a
 * HostProcess container elsewhere is pulled without being one: the start may fail, the pull has ended by then.
 */
export function pullPodSpec({ serviceAccount, pullSecrets, holdSeconds = 0 }: Pick<RunOptions, 'serviceAccount' | 'pullSecrets' | 'holdSeconds'>, { node, image, isRefreshed }: { readonly node: string; readonly image: string; readonly isRefreshed: boolean }): Readonly<Record<string, unknown>> {
  return {
    os: { name: 'windows' },
    nodeSelector: { 'kubernetes.io/os': 'windows' },
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] } } },
    tolerations: [{ operator: 'Exists' }],
    restartPolicy: 'Never', terminationGracePeriodSeconds: 0, automountServiceAccountToken: false, enableServiceLinks: false,
    ...(serviceAccount === null ? {} : { serviceAccountName: serviceAccount }),
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'ContainerUser' } },
    containers: [{
      name: PULL_CONTAINER, image, imagePullPolicy: isRefreshed ? 'Always' : 'IfNotPresent', command: [...(holdSeconds === 0 ? END_AT_ONCE : sleepCommand(holdSeconds))], ...(holdSeconds === 0 ? {} : { stdin: true }),
      resources: resourcesOf(), terminationMessagePolicy: 'File',
    }],
  };
}

function labels(run: string, role: 'run' | 'pull'): Readonly<Record<string, string>> {
  return { ...MANAGED_BY, [RUN_LABEL]: run, [ROLE_LABEL]: role };
}
