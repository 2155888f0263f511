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
      for (const text of [secret, ...withinBase64(secret)]) this.#patterns.set(text, new SecretPattern(text));
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

/** Fewer bytes come to texts that others may have as well. */
const SHORTEST_WITHIN_BYTES = 8;
const LONGEST_WITHIN_BYTES = 1024;

/** What base64 makes of a secret within something longer (a user name before it), which depends on how many bytes come first. */
function withinBase64(secret: string): readonly string[] {
  const bytes = Buffer.from(secret).subarray(0, LONGEST_WITHIN_BYTES);
  if (bytes.length < SHORTEST_WITHIN_BYTES) return [];
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Without the digits that hold bits of what stands around it.
    const digits = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
