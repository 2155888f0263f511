/** The end of what was created for a node: removed, and seen to be gone, or told of. */
import { durationText } from '../../domain/duration-text.ts';
import { nameOf, stringAt } from '../../domain/kubernetes/object.ts';
import { JOBS, PODS } from '../../domain/kubernetes/resource.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterWriter } from '../ports.ts';
import { patiently } from '../runs/patience.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { Anchor, PodWatch } from './pod-watch.ts';

export interface LeaveParts {
  readonly namespace: string;
  readonly writer: ClusterWriter;
  readonly watch: PodWatch;
  readonly clock: RunClock;
  /** From its creation on; then the cluster ends it by itself. */
  readonly deadlineSeconds: number;
}

/** For deleting and for the kubelet's word together; the signal of the run has no say in it. */
const LEAVE_MS = 10_000;
/** For a pod that the Job controller was about to make: its Job is gone, and it goes too, but it may not have been seen yet. */
const UNSEEN_MS = 1_000;
/** For the garbage collector, before the pod of a Job is deleted as well. */
const COLLECTOR_MS = 3_000;

/** Gives what may still be there, as a clause; null for nothing. */
export async function leave(anchor: Anchor, { namespace, writer, watch, clock, deadlineSeconds }: LeaveParts): Promise<string | null> {
  const over = new AbortController();
  const done = new AbortController();
  clock.sleep(LEAVE_MS, done.signal).then(() => over.abort(new ClusterError('the API server does not answer', { reason: 'DeadlineExceeded' })), () => undefined);
  const { signal } = over;
  const within = durationText(deadlineSeconds);
  const itself = anchor.resource === 'jobs' ? `the cluster ends it by itself within ${within}` : `its node ends it by itself within ${within}, and what stays of it goes with kubectl win hostprocess sweep`;
  const what = `${anchor.resource === 'jobs' ? 'Job' : 'pod'} ${anchor.name}`;
  try {
    await patiently(() => writer.delete(anchor.resource === 'jobs' ? JOBS : PODS, anchor.name, { namespace, uid: anchor.uid, signal }), { clock, signal });
    if (anchor.resource === 'jobs' && !watch.hasSeen(anchor)) await clock.sleep(UNSEEN_MS, signal);
    if (await watch.gone(anchor, COLLECTOR_MS, signal)) return null;
    await deletePod(anchor, { namespace, writer, watch }, signal);
    if (await watch.gone(anchor, LEAVE_MS, signal)) return null;
    return stillThere(what, itself);
  } catch (error) {
    if (!(error instanceof ClusterError) && !signal.aborted) throw error;
    // what was deleted before that is said to go, and is not seen to
    if (signal.aborted && watch.podOf(anchor) !== null && stringAt(watch.podOf(anchor), 'metadata', 'deletionTimestamp') !== undefined) return stillThere(what, itself);
    // a pause that was cut short has words of its own for it
    const why: unknown = signal.aborted ? signal.reason : error;
    return `${what} could not be deleted (${why instanceof Error ? why.message : String(why)}); ${itself}`;
  } finally {
    done.abort(new Error('it is left'));
  }
}

/** Of a Job that is gone: the garbage collector may have much to do. */
async function deletePod(anchor: Anchor, { namespace, writer, watch }: Pick<LeaveParts, 'namespace' | 'writer' | 'watch'>, signal: AbortSignal): Promise<void> {
  const pod = watch.podOf(anchor);
  if (anchor.resource === 'pods' || pod === null || stringAt(pod, 'metadata', 'deletionTimestamp') !== undefined) return;
  try {
    await writer.delete(PODS, nameOf(pod), { namespace, uid: stringAt(pod, 'metadata', 'uid') ?? '', signal });
  } catch (error) {
    // who may delete Jobs alone waits for the garbage collector
    if (!(error instanceof ClusterError)) throw error;
  }
}

function stillThere(what: string, itself: string): string {
  return `${what} is deleted, and its node does not say that its processes have ended; they end by themselves, and ${itself}`;
}
