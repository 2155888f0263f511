/** Joins what comes from several sides into one stream, in the order in which it came. */
export class EventQueue<Event> {
  readonly #waiting: Event[] = [];
  #wake: (() => void) | null = null;
  #failure: { readonly error: unknown } | null = null;

  push(event: Event): void {
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** The next `take` throws it, after all that came before. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** Everything that has come, at least one; waits for it. */
  async take(): Promise<readonly Event[]> {
    while (this.#waiting.length === 0) {
      if (this.#failure !== null) throw this.#failure.error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    return this.#waiting.splice(0);
  }

  /** Everything that has come, or nothing; does not wait. */
  takeNow(): readonly Event[] {
    if (this.#waiting.length === 0 && this.#failure !== null) throw this.#failure.error;
    return this.#waiting.splice(0);
  }
}
