import { secretsOf, type RegistryCredentials } from './registry-credentials.ts';
import { SecretPattern } from './secret-pattern.ts';

/** Every secret that this run has met, so that none comes into a message or a trace, wherever a server repeats it. */
export class Secrets {
  readonly #patterns = new Map<string, SecretPattern>();
  /** The longest first: a shorter one may be a part of it. */
  #sorted: readonly SecretPattern[] | null = null;

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret === '' || this.#patterns.has(secret)) continue;
      this.#patterns.set(secret, new SecretPattern(secret));
      this.#sorted = null;
    }
  }

  addCredentials(credentials: RegistryCredentials | null): void {
    if (credentials !== null) this.add(secretsOf(credentials));
  }

  /** A text without the known secrets, and without whatever looks like a token. */
  masked(text: string): string {
    this.#sorted ??= [...this.#patterns].sort(([one], [other]) => other.length - one.length).map(([, pattern]) => pattern);
    const lowered = text.toLowerCase();
    let result = text;
    for (const pattern of this.#sorted) if (pattern.isPossiblyIn(lowered)) result = pattern.maskedIn(result);
    return result
      .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{20,}/gi, '$1 <masked>')
      .replaceAll(/\beyJ[\w-]{8,}(?:\.[\w-]+)*/g, '<masked>');
  }
}
