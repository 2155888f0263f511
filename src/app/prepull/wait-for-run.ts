/** `prepull status --wait`: looks until a run has ended. */
import { ClusterError } from '../../errors.ts';
import type { ClusterReader } from '../ports.ts';
import { listRuns, type ListedRuns } from './list-runs.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { RunStatus } from './run-status.ts';

export interface WaitOptions {
  readonly namespace: string | undefined;
  readonly run: string;
  /** null for as long as it takes. */
  readonly timeoutSeconds: number | null;
  readonly signal: AbortSignal;
}

export interface Waited extends ListedRuns {
  /** As it was looked at last; null where there is none of that name. */
  readonly status: RunStatus | null;
  /** false where the time was up before. */
  readonly hasEnded: boolean;
}

const POLL_MS = 5_000;
/** An API server that is updated comes back in less. */
const PATIENCE_SECONDS = 600;

/** Yields the status whenever it has changed. Throws ClusterError where the run goes in the meantime. */
export async function* waitForRun(reader: ClusterReader, clock: RunClock, options: WaitOptions): AsyncGenerator<RunStatus, Waited, undefined> {
  const { run, namespace, timeoutSeconds, signal } = options;
  const startedAt = clock.now().getTime();
  let seenAt = startedAt;
  let last: Waited | null = null;
  let told = '';
  for (;;) {
    try {
      const { runs, notes } = await listRuns(reader, { namespace, run, now: clock.now(), signal });
      const [status = null] = runs;
      if (status === null && last !== null) throw gone(run);
      seenAt = clock.now().getTime();
      last = { runs, notes, status, hasEnded: status === null || !isUnderWay(status) };
      if (last.hasEnded || status === null) return last;
      const text = JSON.stringify([status.ready, status.counts, status.planned, status.active]);
      if (text !== told) yield status;
      told = text;
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isPassing || last === null || clock.now().getTime() - seenAt > PATIENCE_SECONDS * 1000) throw error;
    }
    const left = timeoutSeconds === null ? POLL_MS : startedAt + timeoutSeconds * 1000 - clock.now().getTime();
    if (left <= 0) return last;
    await clock.sleep(Math.min(POLL_MS, left), signal);
  }
}

/** Of what stands: not all of it is warm. */
function isUnderWay({ phase, ready, planned }: RunStatus): boolean {
  return phase === 'running' || (phase === 'standing' && (planned === 0 || (ready ?? 0) < planned));
}

function gone(run: string): ClusterError {
  return new ClusterError(`prepull run "${run}" is no longer on record: it has come to its end, or somebody has cleaned up`, { reason: 'NotFound', suggestions: ['How it went is in the report of the program that followed it.'] });
}
