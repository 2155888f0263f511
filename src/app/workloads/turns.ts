/** How long objects are judged before the process may look at what else has come, in milliseconds. */
const LONGEST_RUN = 50;

/**
 * Gives the event loop a turn now and then while objects are judged without waiting for anything, so that Ctrl-C is heard.
 * Throws when the signal aborts.
 */
export class Turns {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** To be called with each object; waits only where a turn is due. */
  async next(): Promise<void> {
    if (performance.now() - this.#last < LONGEST_RUN) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#last = performance.now();
  }
}
