/** A deadline that is moved as long as a session lives: so it ends soon after this program, and not before it. */
import { durationText } from '../../domain/duration-text.ts';
import { arrayAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS } from '../../domain/kubernetes/resource.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterWriter } from '../ports.ts';
import type { RunClock } from '../runs/run-clock.ts';

export interface LeaseOptions {
  readonly namespace: string;
  /** When the Job was created, by the clock of this machine: the API server's may go otherwise. */
  readonly createdAt: number;
  /** How far ahead the deadline is set. */
  readonly aheadSeconds: number;
}

/** Part of the time ahead after which it is moved. */
const EVERY = 1 / 5;
/** After a request that failed. */
const AGAIN_SECONDS = 5;

/** Gives why the session is over, as a clause; null once the signal has ended the lease. */
export async function keepAlive(job: { readonly name: string; readonly uid: string }, options: LeaseOptions, { writer, clock }: { readonly writer: ClusterWriter; readonly clock: RunClock }, signal: AbortSignal): Promise<string | null> {
  const { createdAt, aheadSeconds } = options;
  const now = (): number => clock.now().getTime();
  let setAt = createdAt;
  let failure: string | null = null;
  try {
    for (;;) {
      await clock.sleep((failure === null ? aheadSeconds * EVERY : AGAIN_SECONDS) * 1000, signal);
      const late = now() - setAt > aheadSeconds * 1000;
      if (late && failure !== null) return `its deadline could not be moved for ${durationText(aheadSeconds)} (${failure})`;
      try {
        const moved = await moveDeadline(job, options, { writer, clock }, signal);
        if (hasEnded(moved)) return late ? 'its deadline passed while this program stood still: a machine that slept' : 'its Job has ended';
        setAt = now();
        failure = null;
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        if (error.reason === 'NotFound' || (error.reason === 'Conflict' && /uid/i.test(error.message))) return late ? 'its deadline passed while this program stood still: a machine that slept' : 'somebody has deleted its Job';
        failure = error.message;
      }
    }
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** From now on it has that long; of this very Job, and of no namesake. */
export function moveDeadline({ name, uid }: { readonly name: string; readonly uid: string }, { namespace, createdAt, aheadSeconds }: LeaseOptions, { writer, clock }: { readonly writer: ClusterWriter; readonly clock: RunClock }, signal: AbortSignal): Promise<KubeObject> {
  const age = Math.max(0, Math.ceil((clock.now().getTime() - createdAt) / 1000));
  return writer.merge(JOBS, name, { metadata: { uid }, spec: { activeDeadlineSeconds: age + aheadSeconds } }, { namespace, signal });
}

function hasEnded(job: KubeObject): boolean {
  return arrayAt(job, 'status', 'conditions').some((condition) => ['Failed', 'FailureTarget', 'Complete'].includes(stringAt(condition, 'type') ?? '') && stringAt(condition, 'status') === 'True');
}
