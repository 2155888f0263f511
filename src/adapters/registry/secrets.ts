import { secretsOf, type RegistryCredentials } from './registry-credentials.ts';

/** Every secret that this run has met, so that none comes into a message or a trace, wherever a server repeats it. */
export class Secrets {
  readonly #secrets = new Set<string>();

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) if (secret !== '') this.#secrets.add(secret);
  }

  addCredentials(credentials: RegistryCredentials | null): void {
    if (credentials !== null) this.add(secretsOf(credentials));
  }

  all(): Iterable<string> {
    return this.#secrets;
  }
}
