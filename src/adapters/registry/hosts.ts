/** All hosts that are asked in one run. */
import { hostFor, hostnameOf, type AllSettings, type Host } from './endpoints.ts';
import { HostConnection, type HostConnectionOptions } from './host-connection.ts';
import { RegistryClient } from './registry-client.ts';
import type { Secrets } from './secrets.ts';
import { Tokens } from './tokens.ts';

export class Hosts {
  readonly #settings: AllSettings;
  readonly #options: HostConnectionOptions;
  readonly #secrets: Secrets;
  readonly #tokens: Tokens;
  readonly #clients = new Map<string, RegistryClient>();
  readonly #byConnection = new Map<HostConnection, RegistryClient>();

  constructor(settings: AllSettings, options: HostConnectionOptions, secrets: Secrets) {
    this.#settings = settings;
    this.#options = options;
    this.#secrets = secrets;
    this.#tokens = new Tokens(this, secrets);
  }

  client(host: Host): RegistryClient {
    const key = JSON.stringify([host.authority, host.scheme, host.certificateAuthority ?? null, host.insecureSkipVerify]);
    let client = this.#clients.get(key);
    if (client === undefined) {
      const connection = new HostConnection(host, this.#options);
      client = new RegistryClient(connection, this, this.#tokens, this.#secrets);
      this.#clients.set(key, client);
      this.#byConnection.set(connection, client);
    }
    return client;
  }

  clientOf(connection: HostConnection): RegistryClient {
    const client = this.#byConnection.get(connection);
    if (client === undefined) throw new Error(`${connection.host.name} was not opened here`);
    return client;
  }

  /** A server that a registry names: a token server, a store of blobs. At another port of the same machine the registry's own settings for TLS hold. */
  related(url: URL, to: Host): HostConnection {
    const scheme = url.protocol === 'http:' ? 'http' : 'https';
    if (url.host === new URL(`${scheme}://${to.authority}`).host && (to.scheme === scheme || to.scheme === 'either')) return this.client(to).connection;
    const host = hostFor(url.host, this.#settings, scheme);
    const isNeighbour = hostnameOf(url.host) === hostnameOf(to.authority) && !Object.hasOwn(this.#settings, url.host);
    const related: Host = isNeighbour ? { ...host, scheme, certificateAuthority: to.certificateAuthority, insecureSkipVerify: to.insecureSkipVerify } : host;
    return this.client(related).connection;
  }

  async close(): Promise<void> {
    for (const { connection } of this.#clients.values()) await connection.close();
  }
}
