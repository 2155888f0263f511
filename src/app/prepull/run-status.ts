/** What is known of runs that are on record: `prepull status`. */
import { arrayAt, nameOf, numberAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { DETACHED_ANNOTATION, HOLD_ANNOTATION } from '../../domain/prepull/run-objects.ts';
import { DEADLINE_ANNOTATION, ORIGIN_ANNOTATION } from '../../domain/runs/run-labels.ts';
import { countResults, type RecordedResult, type ResultCounts } from '../../domain/prepull/run-record.ts';
import type { ClusterReader } from '../ports.ts';
import { findRuns, pullOf, type EarlierRun } from './earlier-runs.ts';

export type RunPhase = 'running' | 'succeeded' | 'failed' | 'interrupted' | 'abandoned' | 'standing';

export interface ActivePull {
  readonly node: string;
  readonly image: string;
  /** Why it has failed so far, where its kubelet tries again; null otherwise. */
  readonly reason: string | null;
  readonly message: string | null;
}

export interface RunStatus {
  readonly run: string;
  readonly namespace: string;
  readonly origin: string | null;
  readonly startedAt: string | null;
  /** standing: DaemonSets of --keep-warm, which stay. abandoned: its program has ended, for nobody moves its deadline any more; what is active goes on until then. */
  readonly phase: RunPhase;
  /** Pulls; of what stands, pods. */
  readonly planned: number;
  /** Of what stands, pods whose images are all there and in use; of OpenKruise, pulls that went well; null of other runs. */
  readonly ready: number | null;
  readonly images: readonly string[];
  /** Those whose names are known. */
  readonly results: readonly RecordedResult[];
  /** Of what stands: its pods may not be listed, so that nothing is known of failures and of pulls under way. Absent: no. */
  readonly isUnseen?: boolean;
  /** Of all results, also those whose names had no room on record; of what stands, pods. */
  readonly counts: ResultCounts;
  /** Of the plan of the run, beside what it set out to pull; null where it is not on record. */
  readonly refused: number | null;
  readonly skipped: number | null;
  /** Pulls that are under way now. */
  readonly active: readonly ActivePull[];
  /** What pods of the run keep in use now (--hold). */
  readonly held: readonly { readonly node: string; readonly image: string }[];
  /** When the cluster removes what is left at the latest, RFC 3339; null when it is not known. */
  readonly removedBy: string | null;
}

export async function runStatuses(reader: ClusterReader, { namespace, run, now, signal }: { readonly namespace: string | undefined; readonly run: string | null; readonly now: Date; readonly signal?: AbortSignal | undefined }): Promise<readonly RunStatus[]> {
  const runs = await findRuns(reader, namespace, signal);
  return runs.filter((one) => run === null || one.run === run).map((one) => statusOf(one, now)).toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''));
}

/** A program that lives moves the deadline every 30 seconds; clocks may differ by some more. */
const SILENT_SECONDS = 180;

function statusOf({ run, namespace, job, record, pulls, unrecorded, failing }: EarlierRun, now: Date): RunStatus {
  const key = ({ node, image }: { readonly node: string; readonly image: string }): string => `${node} ${image}`;
  const known = new Set(record?.results.map(key));
  // Of several attempts the one that went well counts, and a failure only where none is under way.
  const activeJobs = pulls.filter((pull) => (numberAt(pull, 'status', 'active') ?? 0) > 0);
  const activePulls = activeJobs.map((pull): ActivePull => ({ ...pullOf(pull), reason: failing.get(nameOf(pull))?.reason ?? null, message: failing.get(nameOf(pull))?.message ?? null }));
  const pulled = new Set(unrecorded.filter(({ result }) => result !== 'failed').map(key));
  const active = activePulls.filter((pull) => !known.has(key(pull)) && !pulled.has(key(pull)));
  const held = activeJobs.filter((pull) => stringAt(pull, 'metadata', 'annotations', HOLD_ANNOTATION) !== undefined).map(pullOf).filter((pull) => known.has(key(pull)) || pulled.has(key(pull)));
  const isActive = new Set(active.map(key));
  const added = new Map(unrecorded.filter((one) => !known.has(key(one)) && (one.result !== 'failed' || (!pulled.has(key(one)) && !isActive.has(key(one))))).map((one) => [key(one), one]));
  const startedAt = record?.startedAt ?? stringAt(job, 'metadata', 'creationTimestamp') ?? null;
  const deadlineSeconds = numberAt(job, 'spec', 'activeDeadlineSeconds') ?? Number.NaN;
  const deadline = Date.parse(stringAt(job, 'status', 'startTime') ?? stringAt(job, 'metadata', 'creationTimestamp') ?? '') + deadlineSeconds * 1000;
  const removedBy = deadline + (numberAt(job, 'spec', 'ttlSecondsAfterFinished') ?? Number.NaN) * 1000;
  const results = [...record?.results ?? [], ...added.values()];
  const planned = record?.planned ?? pulls.length;
  const isDetached = stringAt(job, 'metadata', 'annotations', DETACHED_ANNOTATION) === 'true';
  const counts = countResults(results, record?.dropped);
  const phase = isDetached ? detachedPhase(counts, planned) : record?.phase ?? 'running';
  const aheadSeconds = Number(stringAt(job, 'metadata', 'annotations', DEADLINE_ANNOTATION) ?? Number.NaN);
  const isSilent = now.getTime() > deadline - (Number.isNaN(aheadSeconds) ? 0 : aheadSeconds * 1000) + SILENT_SECONDS * 1000 || now.getTime() > deadline;
  return {
    run, namespace, origin: stringAt(job, 'metadata', 'annotations', ORIGIN_ANNOTATION) ?? null, startedAt, planned, ready: null, images: [...new Set([...results, ...pulls.map(pullOf)].map(({ image }) => image))].toSorted(), results, counts, active, held, refused: record?.refused ?? null, skipped: record?.skipped ?? null,
    phase: phase === 'running' && (job === null || hasEnded(job) || isSilent) ? (isDetached ? 'failed' : 'abandoned') : phase,
    removedBy: Number.isNaN(removedBy) ? null : new Date(removedBy).toISOString(),
  };
}

/** Nobody writes down how such a run ends: its pulls tell, as long as they are there. */
function detachedPhase({ pulled, present, failed }: ResultCounts, planned: number): RunPhase {
  if (pulled + present + failed < planned) return 'running';
  return failed > 0 ? 'failed' : 'succeeded';
}

function hasEnded(job: KubeObject): boolean {
  return stringAt(job, 'metadata', 'deletionTimestamp') !== undefined
    || arrayAt(job, 'status', 'conditions').some((condition) => ['Failed', 'FailureTarget', 'Complete'].includes(stringAt(condition, 'type') ?? '') && stringAt(condition, 'status') === 'True');
}
