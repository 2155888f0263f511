/**
 * Registries that limit pulls. Each 429 pauses all pulls from there, longer each time; then one pull alone shows whether the registry
 * lets pulls through again, before more begin.
 */

/** Seconds of the first pause, of any back-off. */
export const FIRST_BACKOFF_SECONDS = 10;
export const LONGEST_BACKOFF_SECONDS = 300;
/** A registry limits at the first request of a pull: one that is on its node for so long has been let through. */
export const PROBE_SECONDS = 30;

interface Limited {
  /** Of the pause, in milliseconds. */
  until: number;
  seconds: number;
  /** Of the first 429 since a pull was last let through. */
  since: number;
  /** The pull that shows whether it lets pulls through again. */
  probe: string | null;
  isOpen: boolean;
  message: string;
}

export class RegistryPauses {
  readonly #limited = new Map<string, Limited>();
  readonly #patienceMs: number;

  /** `patienceSeconds`: how long a registry that lets nothing through is waited for. */
  constructor(patienceSeconds: number) {
    this.#patienceMs = patienceSeconds * 1000;
  }

  /** A pull was answered with 429. Gives when the next may begin, and whether a pause has begun with it. */
  limit(registry: string, pull: string, message: string, now: number): { readonly until: number; readonly isNew: boolean } {
    const known = this.#limited.get(registry);
    if (known !== undefined && now < known.until) {
      // one of those that were under way when the pause began
      known.until = Math.max(known.until, now + known.seconds * 1000);
      return { until: known.until, isNew: false };
    }
    const isSoonAfter = known !== undefined && now - known.until < LONGEST_BACKOFF_SECONDS * 1000;
    const seconds = isSoonAfter ? Math.min(LONGEST_BACKOFF_SECONDS, known.seconds * 2) : FIRST_BACKOFF_SECONDS;
    const probe = known === undefined || known.probe === pull ? null : known.probe;
    this.#limited.set(registry, { until: now + seconds * 1000, seconds, since: known === undefined || known.isOpen ? now : known.since, probe, isOpen: false, message });
    return { until: now + seconds * 1000, isNew: true };
  }

  allows(registry: string, now: number): boolean {
    const known = this.#limited.get(registry);
    return known === undefined || (now >= known.until && (known.isOpen || known.probe === null));
  }

  began(registry: string, pull: string): void {
    const known = this.#limited.get(registry);
    if (known !== undefined && !known.isOpen) known.probe ??= pull;
  }

  /** A pull has ended, or has got on so far: did the registry serve it? null where nothing tells. */
  ended(registry: string, pull: string, isServed: boolean | null): void {
    const known = this.#limited.get(registry);
    if (known === undefined || known.probe !== pull) return;
    known.probe = null;
    if (isServed === true) known.isOpen = true;
  }

  /** What a registry says that has let nothing through for as long as anybody waits; null for others. */
  hopeless(registry: string, now: number): string | null {
    const known = this.#limited.get(registry);
    return known === undefined || known.isOpen || known.probe !== null || now - known.since < this.#patienceMs ? null : known.message;
  }
}
