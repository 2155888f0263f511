/** The time that a lookup has. */
import { DeadlineExceeded } from '../http/network-error.ts';
import { timerMs } from '../http/timer.ts';

/** Time as registries are asked in it; tests bring one that does not wait. */
export interface RegistryClock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export class TimeLimit {
  readonly clock: RegistryClock;
  readonly seconds: number;
  readonly startedAt: number;
  /** Aborted with the reason of the outer signal, or with DeadlineExceeded. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal;
  readonly #abort = (): void => this.#controller.abort(this.#outer.reason);

  constructor(clock: RegistryClock, seconds: number, outer: AbortSignal) {
    this.clock = clock;
    this.seconds = seconds;
    this.startedAt = clock.now();
    this.signal = this.#controller.signal;
    this.#outer = outer;
    this.#timer = setTimeout(() => this.#controller.abort(new DeadlineExceeded(seconds)), timerMs(seconds * 1000));
    if (outer.aborted) this.#abort();
    outer.addEventListener('abort', this.#abort, { once: true });
  }

  /** Whether there is time left after a pause. */
  fits(milliseconds: number): boolean {
    return this.clock.now() + milliseconds < this.startedAt + this.seconds * 1000;
  }

  /** Throws what the signal was aborted with. */
  async sleep(milliseconds: number): Promise<void> {
    try {
      await this.clock.sleep(milliseconds, this.signal);
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    }
  }

  /** A part of what is left, for one of `shares` equal attempts. */
  share(shares: number): TimeLimit {
    const left = this.seconds - (this.clock.now() - this.startedAt) / 1000;
    return new TimeLimit(this.clock, Math.max(0.001, left / shares), this.signal);
  }

  /** Ends the timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#abort);
  }
}
