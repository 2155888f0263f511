import { WaitingLine } from '../http/waiting-line.ts';

/** A number of places; who finds none waits for one, first come, first served. */
export class Semaphore {
  #free: number;
  readonly #waiting = new WaitingLine();

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs work in a place of its own. Rejects with the signal's reason when it is aborted while waiting. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      if (!this.#waiting.next()) this.#free += 1;
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await this.#waiting.wait(signal, () => signal.reason as Error);
  }
}
