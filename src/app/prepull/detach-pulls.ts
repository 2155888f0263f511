/** `--detach`: a run that is made all at once and followed by nobody. The cluster's controllers end and remove it. */
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS } from '../../domain/kubernetes/resource.ts';
import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { isToPull, type PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { pullJob, RECORD_ANNOTATION, runJob, runJobName, type RunOptions, type RunOwner } from '../../domain/prepull/run-objects.ts';
import { writeRecord } from '../../domain/prepull/run-record.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { createOnce } from '../runs/create-once.ts';
import { patiently } from '../runs/patience.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { SecretCopies } from './secret-copies.ts';

export interface DetachOptions extends RunOptions {
  /** Pulls that may be under way at once; 0 for all. */
  readonly parallel: number;
  /** Of the plan, for the record. */
  readonly refused: number;
  readonly skipped: number;
  /** Pull secrets that are copied for the run, and go with it. */
  readonly secrets?: SecretCopies;
  readonly signal: AbortSignal;
}

export interface DetachCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

const REQUESTS_AT_ONCE = 8;
const CLEAN_UP_MS = 10_000;

/** Throws UsageError where nobody would hold the window that was asked for. */
export function requireNoWindow(items: readonly PlanItem[], parallel: number, flag: '--detach' | '--keep-warm'): void {
  const count = items.filter(isToPull).length;
  if (parallel === 0 || count <= parallel) return;
  throw new UsageError(`${flag} begins all pulls at once, ${count} here, and nobody holds them to --parallel=${parallel}`, {
    suggestions: ['--parallel=0 allows it', `${flag === '--detach' ? '' : 'a run before it, '}without ${flag}${flag === '--detach' ? '' : ','} pulls as many at a time as --parallel says`, '--pool and -l select fewer nodes'],
  });
}

/** Makes the Jobs of all pulls. What was made is removed again where not all could be. */
export async function* detachPulls(items: readonly PlanItem[], options: DetachOptions, { reader, writer, clock }: DetachCluster): AsyncGenerator<PrepullEvent, void, undefined> {
  const { run, namespace, signal, refused, skipped } = options;
  const toPull = items.filter(isToPull);
  // of the run's own Job only with the same record, or it is somebody else's
  const isOurs = (job: KubeObject, found: KubeObject): boolean => stringAt(found, 'metadata', 'annotations', RECORD_ANNOTATION) === stringAt(job, 'metadata', 'annotations', RECORD_ANNOTATION);
  const make = async (job: KubeObject): Promise<KubeObject> => {
    const { object } = await patiently((attempt) => createOnce(JOBS, job, (found) => attempt > 1 && isOurs(job, found), { reader, writer }, { namespace, signal }), { clock, signal });
    return object;
  };
  const record = writeRecord({ startedAt: clock.now().toISOString(), phase: 'running', planned: toPull.length, refused, skipped, results: [] });
  try {
    const owner: RunOwner = { name: runJobName(run), uid: stringAt(await make(runJob(options, record)), 'metadata', 'uid') ?? '' };
    await options.secrets?.make(owner, signal);
    yield { type: 'began', run, namespace, items: toPull.length };
    for (let start = 0; start < toPull.length; start += REQUESTS_AT_ONCE) {
      const batch = toPull.slice(start, start + REQUESTS_AT_ONCE);
      const settled = await Promise.allSettled(batch.map(({ node, image, reason }, at) => make(pullJob(options, { index: start + at, attempt: 1, node, image, isRefreshed: reason === 'TagMoved' }, owner))));
      for (const [at, one] of settled.entries()) {
        if (one.status === 'rejected') throw one.reason;
        yield { type: 'started', item: batch[at] as PlanItem, attempt: 1 }; // one for each
      }
    }
  } catch (error) {
    // Without a program that begins the rest, a part of a run is none.
    const note = await removeRun(options, record, { reader, writer });
    yield note === null ? { type: 'cleaned-up' } : { type: 'note', message: note };
    throw error;
  }
}

/** What the run's own Job owns goes with it. Gives what is to be said where it could not be removed; with a signal of its own, since the run's may be aborted. */
async function removeRun({ run, namespace }: RunOptions, record: string, { reader, writer }: Pick<DetachCluster, 'reader' | 'writer'>): Promise<string | null> {
  const signal = AbortSignal.timeout(CLEAN_UP_MS);
  try {
    const job = await reader.get(JOBS, runJobName(run), { namespace, signal });
    if (stringAt(job, 'metadata', 'annotations', RECORD_ANNOTATION) === record) await writer.delete(JOBS, runJobName(run), { namespace, uid: stringAt(job, 'metadata', 'uid') ?? '', signal });
    return null;
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'NotFound') return null;
    return `the run ${run} could not be removed (${error instanceof Error ? error.message : String(error)}); kubectl win prepull cleanup ${run} -n ${namespace} does so`;
  }
}
