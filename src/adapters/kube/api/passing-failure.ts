import { ClusterError, InterruptedError } from '../../../errors.ts';
import { BodyCutError } from '../../http/network-error.ts';

const FIRST_PAUSE_MS = 800;
const LONGEST_PAUSE_MS = 30_000;

/** Whether a failure goes away by itself, also one of the stream alone. */
export function isPassing(error: unknown): boolean {
  if (error instanceof InterruptedError) return false;
  // Errors of the stream itself are no ClusterErrors: the connection broke in the middle.
  return error instanceof ClusterError ? error.isPassing : isTransferError(error);
}

function isTransferError(error: unknown): boolean {
  return error instanceof BodyCutError || (error instanceof Error && ('code' in error || /aborted|terminated|premature|socket/i.test(error.message)));
}

/** Pauses between attempts, from 0.8 s doubling up to 30 s (client-go tools/cache/reflector.go, v0.37.2, read 2026-11-30). */
export class Backoff {
  readonly #random: () => number;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** To be called when an attempt went well. */
  reset(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Between half and all of the pause, so that clients of a restarted server spread out. */
  nextMs(): number {
    const pauseMs = this.#pauseMs * (0.5 + this.#random() / 2);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    return pauseMs;
  }
}
