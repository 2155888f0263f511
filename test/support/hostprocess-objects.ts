/** Objects as runs of `hostprocess exec` leave them behind, and as others may forge them. */
import type { LocalRun } from '../../src/app/ports.ts';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';

export interface ExecObjectParts {
  readonly index?: number;
  readonly namespace?: string;
  readonly node?: string;
  readonly uid?: string;
  readonly createdAt?: string;
  readonly origin?: string;
  /** In place of single fields of metadata, the pod's spec and the status. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  /** Of the Job, or of the pod: seconds. */
  readonly deadline?: number;
}

/** Labels of a run's objects. */
export function execLabels(run: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'hostprocess', 'kubectl-win/run': run };
}

export function execPodSpec({ node = 'win-1', spec = {} }: ExecObjectParts = {}): Readonly<Record<string, unknown>> {
  return {
    os: { name: 'windows' }, nodeName: node, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }], hostNetwork: true, restartPolicy: 'Never', automountServiceAccountToken: false, activeDeadlineSeconds: 660,
    securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } }, containers: [{ name: 'hostprocess', image: 'registry.example/base:v1' }], ...spec,
  };
}

function metadataOf(run: string, { index = 0, namespace = 'default', node = 'win-1', uid = `uid-${run}-${index}`, createdAt = '2026-11-30T11:58:00Z', origin = 'kubectl win 0.1.0 hostprocess exec by ada@laptop', metadata = {} }: ExecObjectParts): Readonly<Record<string, unknown>> {
  return { name: `kubectl-win-hostprocess-${run}-${index}`, namespace, uid, creationTimestamp: createdAt, labels: execLabels(run), annotations: { 'kubectl-win/origin': origin, 'kubectl-win/node': node }, ...metadata };
}

export function execJob(run: string, parts: ExecObjectParts = {}): KubeObject {
  return {
    apiVersion: 'batch/v1', kind: 'Job', metadata: metadataOf(run, parts),
    spec: { backoffLimit: 0, completions: 1, parallelism: 1, activeDeadlineSeconds: parts.deadline ?? 900, ttlSecondsAfterFinished: 30, template: { metadata: { labels: execLabels(run) }, spec: execPodSpec(parts) } },
    status: parts.status ?? { active: 1, startTime: '2026-11-30T11:58:01Z' },
  };
}

/** Alone, as --anchor=pod makes it. */
export function execPod(run: string, parts: ExecObjectParts = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(run, parts), spec: execPodSpec(parts), status: parts.status ?? { phase: 'Running', startTime: '2026-11-30T11:58:02Z' } };
}

/** As the Job controller makes it for execJob. */
export function execPodOfJob(run: string, parts: ExecObjectParts = {}): KubeObject {
  const index = parts.index ?? 0;
  const job = `kubectl-win-hostprocess-${run}-${index}`;
  return execPod(run, { ...parts, metadata: { name: `${job}-x7k2p`, uid: `uid-${run}-${index}-pod`, ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: job, uid: parts.uid ?? `uid-${run}-${index}`, controller: true }], ...parts.metadata } });
}

/** What this machine has on record of a run with these objects. */
export function recordOf(run: string, more: Partial<LocalRun> & { readonly uids?: readonly (string | null)[] } = {}): LocalRun {
  const { uids = [`uid-${run}-0`], ...fields } = more;
  return {
    run, cluster: 'uid-kube-system', context: 'test', namespace: 'default', startedAt: '2026-11-30T11:57:59Z', until: '2026-11-30T12:13:30Z', isUnderWay: false,
    objects: uids.map((uid, index) => ({ resource: 'jobs', name: `kubectl-win-hostprocess-${run}-${index}`, uid, node: `win-${index + 1}` })), ...fields,
  };
}
