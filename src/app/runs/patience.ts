/** Requests that are made once more after failures that pass by themselves, and many requests a few at a time. */
import { numberAt } from '../../domain/kubernetes/object.ts';
import { ClusterError } from '../../errors.ts';
import type { RunClock } from './run-clock.ts';

const ATTEMPTS = 5;
/** Then twice as long. */
const FIRST_PAUSE_MS = 1_000;
/** A server that asks for more is not waited for. */
const LONGEST_PAUSE_MS = 60_000;
const REQUESTS_AT_ONCE = 8;

/** `attempt` counts from 1. Throws the last failure, or one that does not pass. */
export async function patiently<Answer>(request: (attempt: number) => Promise<Answer>, { clock, signal }: { readonly clock: Pick<RunClock, 'sleep'>; readonly signal: AbortSignal }): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(attempt);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof ClusterError) || !error.isPassing) throw error;
      const asked = (numberAt(error.details, 'retryAfterSeconds') ?? 0) * 1000;
      if (asked > LONGEST_PAUSE_MS) throw error;
      await clock.sleep(Math.max(asked, FIRST_PAUSE_MS * 2 ** (attempt - 1)), signal);
    }
  }
}

/** A few at a time, all of them; throws the first failure when all have ended. */
export async function aFewAtATime<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const waiting = items.values();
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, async () => {
    for (const item of waiting) await work(item).catch((error: unknown) => failures.push(error));
  }));
  if (failures.length > 0) throw failures[0];
}

/** Aborted some time after another signal. */
export function afterwards(signal: AbortSignal, milliseconds: number): AbortSignal {
  const later = new AbortController();
  const begin = (): void => AbortSignal.timeout(milliseconds).addEventListener('abort', () => later.abort(signal.reason), { once: true });
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return later.signal;
}
