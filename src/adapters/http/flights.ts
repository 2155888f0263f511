import type { ClientRequest } from 'node:http';
import { interruption } from './network-error.ts';

/**
 * A server that takes a connection within this time is near, in milliseconds: another round trip to it costs less than
 * another TLS handshake, which keeps both sides busy for 6 ms (measured 2026-11-30).
 */
const NEAR_MS = 8;

/** A request under way, which leaves its connection to the next one when it ends. */
export class Flight {
  readonly #onEnd: () => void;
  readonly landed: Promise<void>;
  /** Whether the server has taken the connection. */
  connected = false;

  constructor(onEnd: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.landed = promise;
    this.#onEnd = () => {
      onEnd();
      resolve();
    };
  }

  /** Tells this flight of the request that it is made with. */
  watch(request: ClientRequest): void {
    const onConnected = (): void => {
      this.connected = true;
    };
    request.once('socket', (socket) => (socket.connecting ? socket.once('connect', onConnected) : onConnected()));
  }

  end(): void {
    this.#onEnd();
  }
}

/** The requests under way, for one that is in no hurry: made beside the first of them, it would open a second connection. */
export class Flights {
  readonly #flights = new Set<Flight>();

  begin(): Flight {
    const flight: Flight = new Flight(() => this.#flights.delete(flight));
    this.#flights.add(flight);
    return flight;
  }

  /**
   * Waits for the end of the first request where that is faster than a connection of one's own: not for a server that is
   * far, to which both then run beside each other. Throws what `signal` was aborted with.
   */
  async awaitConnection(signal: AbortSignal): Promise<void> {
    await Promise.resolve(); // requests that are made right after this one count, too
    const [first] = this.#flights;
    if (first === undefined) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, NEAR_MS);
      void first.landed.then(() => clearTimeout(timer)).then(resolve);
    });
    // Where this process was busy, the connection may be there and not yet told.
    await new Promise((resolve) => setImmediate(resolve));
    if (!first.connected || signal.aborted) return;
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(interruption(signal)), { once: true });
      void first.landed.then(resolve);
    });
  }
}
