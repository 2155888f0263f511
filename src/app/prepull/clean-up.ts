/** `prepull status` and `prepull cleanup`: what is known of runs, and how what is left of them is removed. */
import { nameOf, numberAt, stringAt } from '../../domain/kubernetes/object.ts';
import { JOBS } from '../../domain/kubernetes/resource.ts';
import { IMAGE_ANNOTATION, NODE_ANNOTATION, ORIGIN_ANNOTATION } from '../../domain/prepull/run-objects.ts';
import type { RecordedResult } from '../../domain/prepull/run-record.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { findRuns, type EarlierRun } from './earlier-runs.ts';

export type RunPhase = 'running' | 'succeeded' | 'failed' | 'interrupted' | 'abandoned';

export interface RunStatus {
  readonly run: string;
  readonly namespace: string;
  readonly origin: string | null;
  readonly startedAt: string | null;
  /** abandoned: nobody has written anything down since its pulls were due; its program has ended. */
  readonly phase: RunPhase;
  readonly planned: number;
  readonly results: readonly RecordedResult[];
  /** Pulls that are under way now. */
  readonly active: readonly { readonly node: string; readonly image: string }[];
  /** When the cluster removes what is left at the latest, RFC 3339; null when it is not known. */
  readonly removedBy: string | null;
}

export async function runStatuses(reader: ClusterReader, { namespace, run, now, signal }: { readonly namespace: string | undefined; readonly run: string | null; readonly now: Date; readonly signal?: AbortSignal | undefined }): Promise<readonly RunStatus[]> {
  const runs = await findRuns(reader, namespace, signal);
  return runs.filter((one) => run === null || one.run === run).map((one) => statusOf(one, now)).toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''));
}

function statusOf({ run, namespace, job, record, pulls, unrecorded }: EarlierRun, now: Date): RunStatus {
  const done = new Set(unrecorded.map(({ node, image }) => `${node} ${image}`));
  const known = new Set(record?.results.map(({ node, image }) => `${node} ${image}`));
  const active = pulls.filter((pull) => (numberAt(pull, 'status', 'active') ?? 0) > 0).map((pull) => ({ node: stringAt(pull, 'metadata', 'annotations', NODE_ANNOTATION) ?? '', image: stringAt(pull, 'metadata', 'annotations', IMAGE_ANNOTATION) ?? '' }))
    .filter(({ node, image }) => !done.has(`${node} ${image}`) && !known.has(`${node} ${image}`));
  const results = [...record?.results ?? [], ...unrecorded.filter(({ node, image }) => !known.has(`${node} ${image}`)).map(({ node, image }): RecordedResult => ({ node, image, result: 'pulled', reason: null }))];
  const startedAt = record?.startedAt ?? stringAt(job, 'metadata', 'creationTimestamp') ?? null;
  const deadline = Date.parse(stringAt(job, 'status', 'startTime') ?? '') + (numberAt(job, 'spec', 'activeDeadlineSeconds') ?? Number.NaN) * 1000;
  const removedBy = deadline + (numberAt(job, 'spec', 'ttlSecondsAfterFinished') ?? Number.NaN) * 1000;
  const phase = record?.phase ?? 'running';
  return {
    run, namespace, origin: stringAt(job, 'metadata', 'annotations', ORIGIN_ANNOTATION) ?? null, startedAt, planned: record?.planned ?? pulls.length, results, active,
    phase: phase === 'running' && (job === null || now.getTime() > deadline) ? 'abandoned' : phase,
    removedBy: Number.isNaN(removedBy) ? null : new Date(removedBy).toISOString(),
  };
}

/** Deletes the Jobs of runs, and with them all that they own. Gives the runs that were removed. */
export async function cleanUp(reader: ClusterReader, writer: ClusterWriter, { namespace, runs, signal }: { readonly namespace: string | undefined; readonly runs: readonly string[] | 'all'; readonly signal?: AbortSignal | undefined }): Promise<readonly { readonly run: string; readonly namespace: string; readonly jobs: number }[]> {
  const found = (await findRuns(reader, namespace, signal)).filter(({ run }) => runs === 'all' || runs.includes(run));
  for (const { job, pulls, namespace: place } of found) {
    // The pulls first: their pods go with them, whether the garbage collector is quick or not.
    for (const one of [...pulls, ...(job === null ? [] : [job])]) await writer.delete(JOBS, nameOf(one), { namespace: place, uid: stringAt(one, 'metadata', 'uid') ?? '', signal });
  }
  return found.map(({ run, namespace: place, job, pulls }) => ({ run, namespace: place, jobs: pulls.length + (job === null ? 0 : 1) }));
}
