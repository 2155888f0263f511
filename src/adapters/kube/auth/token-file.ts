import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ClusterError } from '../../../errors.ts';
import type { ConnectionEnvironment } from '../config/environment.ts';
import { readProblem } from '../config/kubeconfig-files.ts';
import type { CredentialSource, RequestCredentials } from '../connection.ts';
import { SingleFlight } from './single-flight.ts';
import { bearer } from './static-credentials.ts';

/**
 * A token file is believed for a minute less ten seconds, half of the time that the kubelet leaves between writing a new
 * token and the end of the old one (https://github.com/kubernetes/client-go/blob/v0.37.2/transport/token_source.go, read 2026-11-30).
 */
const BELIEVED_MILLISECONDS = 50_000;

/**
 * A bearer token that another program keeps fresh in a file. The first read must succeed unless `fallbackToken` is given;
 * later a file that cannot be read leaves the last token in use. After a 401 the file is read again.
 */
export async function fileTokenCredentials(options: {
  readonly file: string;
  readonly environment: ConnectionEnvironment;
  readonly fallbackToken?: string | undefined;
}): Promise<CredentialSource> {
  const source = new FileToken(options.file, options.environment, options.fallbackToken);
  if (options.fallbackToken === undefined) await source.get();
  return source;
}

class FileToken implements CredentialSource {
  readonly #file: string;
  readonly #environment: ConnectionEnvironment;
  readonly #reading: SingleFlight<RequestCredentials>;
  #last: RequestCredentials | null;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(file: string, environment: ConnectionEnvironment, fallbackToken: string | undefined) {
    this.#file = file;
    this.#environment = environment;
    this.#last = fallbackToken === undefined ? null : { authorization: bearer(fallbackToken, 'the kubeconfig') };
    this.#reading = new SingleFlight(() => this.#read());
  }

  get(signal?: AbortSignal): Promise<RequestCredentials> {
    if (this.#last !== null && this.#environment.now() < this.#readAt + BELIEVED_MILLISECONDS) return Promise.resolve(this.#last);
    return this.#reading.run(signal);
  }

  /** true when the file holds another token than the one that was refused. */
  async refresh(signal?: AbortSignal, used?: RequestCredentials): Promise<boolean> {
    const refused = (used ?? this.#last)?.authorization;
    if (refused !== this.#last?.authorization) return true;
    this.#readAt = Number.NEGATIVE_INFINITY;
    return (await this.#reading.run(signal)).authorization !== refused;
  }

  async #read(): Promise<RequestCredentials> {
    try {
      const token = (await readFile(resolve(this.#environment.workingFolder, this.#file), 'utf8')).trim();
      if (token === '') throw unreadable(`read empty token from file ${JSON.stringify(this.#file)}`);
      const authorization = bearer(token, this.#file);
      if (this.#last?.authorization !== authorization) this.#last = { authorization };
      this.#readAt = this.#environment.now();
    } catch (error) {
      if (this.#last === null) {
        if (error instanceof ClusterError) throw error;
        throw unreadable(`failed to read token file ${JSON.stringify(this.#file)}: ${readProblem((error as NodeJS.ErrnoException).code)}`);
      }
    }
    return this.#last ?? {};
  }
}

function unreadable(message: string): ClusterError {
  return new ClusterError(message, { reason: 'BadConfiguration', suggestions: ['check tokenFile of the kubeconfig, and the program that writes the file'] });
}
