/**
 * Work that several callers wait for and that runs once. It is aborted when the last of them has gone; a caller that
 * comes after its end begins it anew.
 */
export class SingleFlight<T> {
  readonly #work: (signal: AbortSignal) => Promise<T>;
  #flight: { readonly promise: Promise<T>; readonly controller: AbortController; waiting: number } | null = null;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#work = work;
  }

  /** Joins the running work, or begins it. Rejects with the signal's reason when the caller gives up. */
  run(signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const flight = this.#flight ?? this.#begin();
    flight.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          if (this.#flight === flight) this.#flight = null;
          flight.controller.abort(signal?.reason);
        }
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      flight.promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
  }

  #begin(): { readonly promise: Promise<T>; readonly controller: AbortController; waiting: number } {
    const controller = new AbortController();
    const flight = { promise: this.#work(controller.signal), controller, waiting: 0 };
    this.#flight = flight;
    const end = (): void => {
      if (this.#flight === flight) this.#flight = null;
    };
    flight.promise.then(end, end);
    return flight;
  }
}
