/** Runs that are on record in a namespace: their Jobs, and what these say of what is done. */
import { nameOf, namespaceOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS, PODS } from '../../domain/kubernetes/resource.ts';
import { pullStateOf } from '../../domain/prepull/pull-state.ts';
import { IMAGE_ANNOTATION, MANAGED_BY, NODE_ANNOTATION, RECORD_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../../domain/prepull/run-objects.ts';
import { readRecord, type RunRecord } from '../../domain/prepull/run-record.ts';
import type { ClusterReader } from '../ports.ts';

export interface EarlierRun {
  readonly run: string;
  readonly namespace: string;
  /** null where its own Job is gone and pulls are left. */
  readonly job: KubeObject | null;
  readonly record: RunRecord | null;
  /** Jobs of its pulls that are there. */
  readonly pulls: readonly KubeObject[];
  /** Pulls that have ended well and are not on record: the program ended before it wrote them down. */
  readonly unrecorded: readonly { readonly node: string; readonly image: string }[];
}

const SELECTOR = Object.entries(MANAGED_BY).map(([key, value]) => `${key}=${value}`).join(',');

/** `namespace`: undefined for all. */
export async function findRuns(reader: ClusterReader, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly EarlierRun[]> {
  const jobs: KubeObject[] = [];
  for await (const { items } of reader.list(JOBS, { namespace, labelSelector: SELECTOR, signal })) jobs.push(...items);
  if (jobs.length === 0) return [];
  const pods: KubeObject[] = [];
  for await (const { items } of reader.list(PODS, { namespace, labelSelector: SELECTOR, signal })) pods.push(...items);
  const runs = new Map<string, { namespace: string; job: KubeObject | null; pulls: KubeObject[] }>();
  for (const job of jobs) {
    const run = stringAt(job, 'metadata', 'labels', RUN_LABEL);
    if (run === undefined) continue;
    const known = runs.get(run) ?? { namespace: namespaceOf(job), job: null, pulls: [] };
    runs.set(run, known);
    if (stringAt(job, 'metadata', 'labels', ROLE_LABEL) === 'run') known.job = job;
    else known.pulls.push(job);
  }
  const done = new Set(pods.filter((pod) => pullStateOf(pod).state === 'pulled').map((pod) => stringAt(pod, 'metadata', 'labels', 'batch.kubernetes.io/job-name') ?? ''));
  return [...runs].map(([run, { namespace: place, job, pulls }]): EarlierRun => ({
    run, namespace: place, job, pulls, record: readRecord(job === null ? undefined : stringAt(job, 'metadata', 'annotations', RECORD_ANNOTATION)),
    unrecorded: pulls.filter((pull) => done.has(nameOf(pull))).map((pull) => ({ node: stringAt(pull, 'metadata', 'annotations', NODE_ANNOTATION) ?? '', image: stringAt(pull, 'metadata', 'annotations', IMAGE_ANNOTATION) ?? '' })),
  }));
}

/** Whether an earlier run has pulled an image onto a node, and when that run began. */
export function pulledBefore(runs: readonly EarlierRun[]): (node: string, image: string) => string | null {
  const times = new Map<string, string>();
  for (const { record, unrecorded, job } of runs) {
    const startedAt = record?.startedAt ?? stringAt(job, 'metadata', 'creationTimestamp') ?? 'an unknown time';
    for (const { node, image, result } of record?.results ?? []) if (result !== 'failed') times.set(`${node} ${image}`, startedAt);
    for (const { node, image } of unrecorded) times.set(`${node} ${image}`, startedAt);
  }
  return (node, image) => times.get(`${node} ${image}`) ?? null;
}
