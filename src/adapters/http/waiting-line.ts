/** Those who wait for a place, first come, first served; whoever leaves before costs the others nothing. */
export class WaitingLine {
  #line: { enter: (() => void) | null }[] = [];
  /** Before it are those who have had their turn. */
  #first = 0;

  /** Resolves when it is one's turn; rejects with `reason()` when the signal aborts before. */
  wait(signal: AbortSignal, reason: () => Error): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const one: { enter: (() => void) | null } = { enter: null };
      const giveUp = (): void => {
        one.enter = null;
        reject(reason());
      };
      one.enter = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      this.#line.push(one);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Gives the next one its turn; false when nobody waits. */
  next(): boolean {
    while (this.#first < this.#line.length) {
      const enter = this.#line[this.#first]?.enter;
      this.#first += 1;
      if (this.#first * 2 > this.#line.length) {
        this.#line = this.#line.slice(this.#first);
        this.#first = 0;
      }
      if (enter === null || enter === undefined) continue;
      enter();
      return true;
    }
    return false;
  }
}
