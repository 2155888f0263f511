/** Runs that are on record in a namespace: their Jobs, and what these say of what is done. */
import { arrayAt, nameOf, namespaceOf, numberAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS, PODS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { EarlierPull } from '../../domain/prepull/prepull-plan.ts';
import { pullStateOf, type PullFailed } from '../../domain/prepull/pull-state.ts';
import { IMAGE_ANNOTATION, isPullJobOf, MANAGED_BY, RECORD_ANNOTATION, runJobName } from '../../domain/prepull/run-objects.ts';
import { NODE_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../../domain/runs/run-labels.ts';
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
  readonly unrecorded: readonly UnrecordedResult[];
  /** Why pulls fail now that their kubelets try again and again, by the name of their Job. */
  readonly failing: ReadonlyMap<string, PullFailed>;
}

/** `createdAt`: of the Job of the pull. */
type UnrecordedResult = RecordedResult & { readonly createdAt: string | null };

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
    unrecorded: pulls.flatMap((pull): readonly UnrecordedResult[] => {
      const state = states.get(`${place}/${nameOf(pull)}`);
      const own = { ...pullOf(pull), createdAt: createdAt(pull) };
      if (state?.state === 'pulled' || (numberAt(pull, 'status', 'succeeded') ?? 0) > 0) return [{ ...own, result: 'pulled', reason: null, ...(state?.state === 'pulled' && state.digest !== null ? { digest: state.digest } : {}) }];
      const failure = arrayAt(pull, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === 'Failed' && stringAt(condition, 'status') === 'True');
      if (failure === undefined) return [];
      return [{ ...own, result: 'failed', reason: stringAt(failure, 'reason') === 'DeadlineExceeded' ? 'Timeout' : state?.state === 'failed' ? state.reason : 'PullFailed' }];
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

function createdAt(job: KubeObject | null): string | null {
  return job === null ? null : stringAt(job, 'metadata', 'creationTimestamp') ?? null;
}

/**
 * What earlier runs in a namespace have pulled, the latest of each. Times are those of the API server where it tells them: nodes have them
 * too, and the machine of an earlier run may have had another time.
 */
export function pulledBefore(runs: readonly EarlierRun[], namespace: string): (node: string, image: string) => EarlierPull | null {
  const pulls = new Map<string, EarlierPull>();
  for (const { record, unrecorded, job, namespace: own } of runs) {
    if (own !== namespace) continue;
    const began = createdAt(job) ?? record?.startedAt ?? null;
    for (const { node, image, result, digest = null, createdAt: at } of [...(record?.results ?? []).map((one) => ({ ...one, createdAt: began })), ...unrecorded]) {
      if (result === 'failed' || at === null) continue;
      const before = pulls.get(`${node} ${image}`);
      if (before === undefined || Date.parse(at) >= Date.parse(before.at)) pulls.set(`${node} ${image}`, { at, digest });
    }
  }
  return (node, image) => pulls.get(`${node} ${image}`) ?? null;
}
