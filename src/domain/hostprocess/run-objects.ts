/**
 * The objects that reach a node: a Job with one HostProcess pod, which the cluster removes by itself, or that pod alone.
 *
 * The pod is bound to its node by name, as `kubectl debug node` does it: what is wrong with a node must not keep help from it, so that no scheduler,
 * taint or cordon takes part; `os` still keeps it off nodes of another system (the kubelet refuses it, PodOSNotSupported). Three clocks end it: the
 * Job's deadline (the Job controller), the pod's (its kubelet, also without an API server), and its main process, which ends by itself and takes all
 * processes of the container along. With a grace period of 0 the API server would forget the pod before its kubelet has ended it.
 */
import type { KubeObject } from '../kubernetes/object.ts';
import { resourcesOf } from '../runs/resources-of.ts';
import { managedBy, NODE_ANNOTATION, ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../runs/run-labels.ts';
import { hostSleepCommand } from '../runs/sleep-command.ts';

/** The container of the pod. */
export const EXEC_CONTAINER = 'hostprocess';

export const EXEC_LABELS = managedBy('hostprocess');

export interface ExecObjectOptions {
  readonly run: string;
  readonly namespace: string;
  readonly origin: string;
  readonly image: string;
  /** Of securityContext.windowsOptions. */
  readonly runAsUserName: string;
  readonly anchor: 'job' | 'pod';
  /** Of the Job. */
  readonly deadlineSeconds: number;
  /** Of the pod, and of its main process. */
  readonly sessionSeconds: number;
  readonly pullSecrets: readonly string[];
  readonly priorityClass: string | null;
  readonly requests: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** In place of the main process that waits: for commands whose output is read from the log. */
  readonly command?: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

export interface ExecObjectTarget {
  /** Its place in the run. */
  readonly index: number;
  readonly node: string;
}

/** How long a Job stays that has ended, pod and all. */
export const ENDED_TTL_SECONDS = 30;
/** Beyond what a session may take: to say what has happened before everything is gone. */
const MARGIN_SECONDS = 30;
/** A deadline that is moved as long as its program lives is so far ahead. */
export const LEASE_SECONDS = 300;

/**
 * The clocks of a session. The kubelet's begins before the image is pulled, so that it holds the time to start, too. `isLeased`: the Job's deadline
 * is short and moved all the time.
 */
export function deadlinesOf({ timeoutSeconds, startTimeoutSeconds, isLeased }: { readonly timeoutSeconds: number; readonly startTimeoutSeconds: number; readonly isLeased: boolean }): Pick<ExecObjectOptions, 'deadlineSeconds' | 'sessionSeconds'> {
  const sessionSeconds = Math.ceil(startTimeoutSeconds) + Math.ceil(timeoutSeconds) + MARGIN_SECONDS;
  const wholeSeconds = sessionSeconds + MARGIN_SECONDS;
  return { sessionSeconds, deadlineSeconds: isLeased ? Math.min(wholeSeconds, Math.ceil(startTimeoutSeconds) + LEASE_SECONDS) : wholeSeconds };
}

/** Of the Job, and of the pod where it stands alone. */
export function execObjectName(run: string, index: number): string {
  return `kubectl-win-hostprocess-${run}-${index}`;
}

/** A Job, or a pod. */
export function execObject(options: ExecObjectOptions, target: ExecObjectTarget): KubeObject {
  const { run, namespace, origin, anchor } = options;
  // ours last: they are what cleans up
  const labels = { ...options.labels, ...EXEC_LABELS, [RUN_LABEL]: run, [ROLE_LABEL]: 'exec' };
  const annotations = { ...options.annotations, [ORIGIN_ANNOTATION]: origin, [NODE_ANNOTATION]: target.node };
  const metadata = { name: execObjectName(run, target.index), namespace, labels, annotations };
  if (anchor === 'pod') return { apiVersion: 'v1', kind: 'Pod', metadata, spec: execPodSpec(options, target) };
  return {
    apiVersion: 'batch/v1', kind: 'Job', metadata,
    spec: {
      backoffLimit: 0, completions: 1, parallelism: 1, activeDeadlineSeconds: options.deadlineSeconds, ttlSecondsAfterFinished: ENDED_TTL_SECONDS,
      template: { metadata: { labels, annotations }, spec: execPodSpec(options, target) },
    },
  };
}

/** No hostPID, hostIPC or privileged: the API server refuses them for Windows, and HostProcess is more than all of them. No token: who is SYSTEM on the node needs none of the cluster. */
function execPodSpec({ image, runAsUserName, sessionSeconds, pullSecrets, priorityClass, requests, command }: ExecObjectOptions, { node }: ExecObjectTarget): Readonly<Record<string, unknown>> {
  const env = Object.entries(command?.env ?? {}).map(([name, value]) => ({ name, value }));
  return {
    os: { name: 'windows' },
    nodeName: node,
    nodeSelector: { 'kubernetes.io/os': 'windows' },
    tolerations: [{ operator: 'Exists' }],
    hostNetwork: true,
    restartPolicy: 'Never', activeDeadlineSeconds: sessionSeconds, terminationGracePeriodSeconds: 1, automountServiceAccountToken: false, enableServiceLinks: false,
    ...(priorityClass === null ? {} : { priorityClassName: priorityClass }),
    ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    securityContext: { windowsOptions: { hostProcess: true, runAsUserName } },
    containers: [{
      name: EXEC_CONTAINER, image, imagePullPolicy: 'IfNotPresent', command: [...(command?.argv ?? hostSleepCommand(sessionSeconds))], ...(env.length === 0 ? {} : { env }),
      resources: resourcesOf(requests),
    }],
  };
}
