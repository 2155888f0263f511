/** Runs that are on record in a namespace: their Jobs, and what these say of what is done. */
import { arrayAt, nameOf, namespaceOf, numberAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS, PODS, type Resource } from '../../domain/kubernetes/resource.ts';
import { pullStateOf, type PullFailed } from '../../domain/prepull/pull-state.ts';
import { IMAGE_ANNOTATION, isPullJobOf, MANAGED_BY, NODE_ANNOTATION, RECORD_ANNOTATION, ROLE_LABEL, runJobName, RUN_LABEL } from '../../domain/prepull/run-objects.ts';
import { readRecord, type RecordedResult, type RunRecord } from '../../domain/prepull/run-record.ts';
import type { ClusterReader } from '../ports.ts';

export interface EarlierRun {
  readonly run: string;
  readonly namespace: string;
  /** null where its own Job is gone and pulls are left. */
  readonly job: KubeObject | null;
  readonly record: RunRecord | null;
  /** Jobs of its pulls that are there. */
  readonly pulls: readonly KubeObject[];
  /** What pulls have done that are there, by their pods and Jobs: the program may have ended before it wrote that down. */
  readonly unrecorded: readonly RecordedResult[];
  /** Why pulls fail now that their kubelets try again and again, by the name of their Job. */
  readonly failing: ReadonlyMap<string, PullFailed>;
}

const SELECTOR = Object.entries(MANAGED_BY).map(([key, value]) => `${key}=${value}`).join(',');

/** `namespace`: undefined for all. */
export async function findRuns(reader: ClusterReader, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly EarlierRun[]> {
  const jobs = await listAll(reader, JOBS, namespace, signal);
  if (jobs.length === 0) return [];
  const pods = await listAll(reader, PODS, namespace, signal);
  const runs = new Map<string, { run: string; namespace: string; job: KubeObject | null; pulls: KubeObject[] }>();
  for (const job of jobs) {
    const run = stringAt(job, 'metadata', 'labels', RUN_LABEL);
    const role = stringAt(job, 'metadata', 'labels', ROLE_LABEL);
    if (run === undefined || (role !== 'run' && role !== 'pull')) continue;
    // A label that was forged, or copied with a manifest, makes no Job that of a run.
    if (role === 'pull' ? !isPullJobOf(run, job) : nameOf(job) !== runJobName(run)) continue;
    const key = `${namespaceOf(job)}/${run}`;
    const known = runs.get(key) ?? { run, namespace: namespaceOf(job), job: null, pulls: [] };
    runs.set(key, known);
    if (role === 'pull') known.pulls.push(job);
    else known.job = job;
  }
  const states = new Map(pods.map((pod) => [`${namespaceOf(pod)}/${stringAt(pod, 'metadata', 'labels', 'batch.kubernetes.io/job-name') ?? ''}`, pullStateOf(pod)]));
  return [...runs.values()].filter(({ job, pulls }) => job !== null || pulls.length > 0).map(({ run, namespace: place, job, pulls }): EarlierRun => ({
    run, namespace: place, job, pulls, record: readRecord(job === null ? undefined : stringAt(job, 'metadata', 'annotations', RECORD_ANNOTATION)),
    unrecorded: pulls.flatMap((pull): readonly RecordedResult[] => {
      const { node, image } = pullOf(pull);
      if (states.get(`${place}/${nameOf(pull)}`)?.state === 'pulled' || (numberAt(pull, 'status', 'succeeded') ?? 0) > 0) return [{ node, image, result: 'pulled', reason: null }];
      const failure = arrayAt(pull, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === 'Failed' && stringAt(condition, 'status') === 'True');
      return failure === undefined ? [] : [{ node, image, result: 'failed', reason: stringAt(failure, 'reason') === 'DeadlineExceeded' ? 'Timeout' : 'PullFailed' }];
    }),
    failing: new Map(pulls.flatMap((pull) => {
      const state = states.get(`${place}/${nameOf(pull)}`);
      return state?.state === 'failed' ? [[nameOf(pull), state] as const] : [];
    })),
  }));
}

/** What the Job of a pull is for. */
export function pullOf(job: KubeObject): { readonly node: string; readonly image: string } {
  return { node: stringAt(job, 'metadata', 'annotations', NODE_ANNOTATION) ?? '', image: stringAt(job, 'metadata', 'annotations', IMAGE_ANNOTATION) ?? '' };
}

async function listAll(reader: ClusterReader, resource: Resource, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly KubeObject[]> {
  let objects: KubeObject[] = [];
  for await (const { items, restarted } of reader.list(resource, { namespace, labelSelector: SELECTOR, signal })) {
    if (restarted === true) objects = [];
    objects.push(...items);
  }
  return objects;
}

/** Whether an earlier run in a namespace has pulled an image onto a node, and when that run began. */
export function pulledBefore(runs: readonly EarlierRun[]): (namespace: string, node: string, image: string) => string | null {
  const times = new Map<string, string>();
  for (const { record, unrecorded, job, namespace } of runs) {
    const startedAt = record?.startedAt ?? stringAt(job, 'metadata', 'creationTimestamp') ?? '';
    for (const { node, image, result } of [...record?.results ?? [], ...unrecorded]) if (result !== 'failed') times.set(`${namespace} ${node} ${image}`, startedAt);
  }
  return (namespace, node, image) => times.get(`${namespace} ${node} ${image}`) ?? null;
}
