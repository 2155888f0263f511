/** How long one registry may keep everybody waiting: lookups that each end within their time may together take an hour. */
import { formatSeconds, registryError, type FailureSubject, type RegistryError } from './registry-error.ts';

/** A lookup that takes longer is a slow one. */
const SLOW_MS = 2000;
/** For all slow lookups of a registry together, as a clock on the wall counts it; who gives single ones much time gives all more. */
const LONGEST_SECONDS = 180;
const LOOKUPS = 12;

export class Patience {
  readonly #longestMs: number;
  /** Time in which at least one slow lookup was under way. */
  #spentMs = 0;
  #slow = 0;
  #lastEnd = 0;
  #lastFailure: RegistryError | null = null;

  constructor(timeoutSeconds: number) {
    this.#longestMs = Math.max(LONGEST_SECONDS, timeoutSeconds * LOOKUPS) * 1000;
  }

  /** Tells of a lookup that has ended. `failure`: null for an answer. */
  note(startedAt: number, endedAt: number, failure: RegistryError | null): void {
    if (endedAt - startedAt < SLOW_MS) return;
    this.#slow += 1;
    this.#spentMs += Math.max(0, endedAt - Math.max(startedAt, this.#lastEnd));
    this.#lastEnd = Math.max(this.#lastEnd, endedAt);
    this.#lastFailure = failure;
  }

  /** Why the registry is not asked for more; null while it is. */
  refusal(subject: FailureSubject): RegistryError | null {
    if (this.#spentMs < this.#longestMs) return null;
    const failure = this.#lastFailure;
    const seconds = formatSeconds(Math.round(this.#spentMs / 1000));
    return registryError(
      subject, failure?.failure.reason === 'TooManyRequests' ? 'TooManyRequests' : 'Timeout',
      `was not asked any more: ${this.#slow === 1 ? 'one slow lookup' : `${this.#slow} slow lookups`} took ${seconds} already${failure === null ? '' : `, the last of which ended so: ${failure.message}`}`,
      ['look at fewer images at a time, or raise --request-timeout, which makes this wait longer in all', ...(failure?.failure.suggestions ?? [])], failure ?? undefined,
    );
  }
}
