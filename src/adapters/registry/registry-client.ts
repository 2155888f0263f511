/** Requests to one registry host, with all that authorizes them, across redirects. */
import type { Answer } from '../http/transport.ts';
import { answerError } from './answer-error.ts';
import { parseChallenges, type Challenge } from './challenge.ts';
import type { HostConnection } from './host-connection.ts';
import { registryError, type FailureSubject } from './registry-error.ts';
import { basicAuthorization, type RegistryCredentials } from './registry-credentials.ts';
import type { Secrets } from './secrets.ts';
import type { TimeLimit } from './time-limit.ts';
import type { RelatedHosts, Tokens } from './tokens.ts';

/** Whose credentials a request carries. They are asked for when the registry wants some. */
export interface Identity {
  /** Tells identities apart, and is no secret. */
  readonly key: string;
  get(signal: AbortSignal): Promise<RegistryCredentials | null>;
}

export const ANONYMOUS: Identity = { key: 'anonymous', get: () => Promise.resolve(null) };

export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD';
  /** Path and query. */
  readonly path: string;
  /** Repository as the host knows it, for the scope of tokens. */
  readonly repository: string;
  readonly accept: string;
  /** The content is known by its digest, so that it may come from anywhere. */
  readonly isVerifiable: boolean;
}

/** How a host wants to be asked by an identity, once it has said so. */
type Scheme = { readonly kind: 'header'; readonly authorization: string } | { readonly kind: 'bearer'; readonly challenge: Challenge; readonly isPerRepository: boolean };

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class RegistryClient {
  readonly connection: HostConnection;
  readonly #hosts: RelatedHosts & { clientOf(connection: HostConnection): RegistryClient };
  readonly #tokens: Tokens;
  readonly #secrets: Secrets;
  readonly #schemes = new Map<string, Scheme>();

  constructor(connection: HostConnection, hosts: RelatedHosts & { clientOf(connection: HostConnection): RegistryClient }, tokens: Tokens, secrets: Secrets) {
    this.connection = connection;
    this.#hosts = hosts;
    this.#tokens = tokens;
    this.#secrets = secrets;
  }

  /** The answer to a request, whatever its status but 401. Throws RegistryError. */
  async ask(request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, redirectsLeft: number = MAX_REDIRECTS): Promise<Answer> {
    const known = await this.#authorization(request, identity, registry, limit);
    const answer = await this.#follow(request, known, registry, limit, redirectsLeft);
    if (answer.status === 401) return this.#challenged(answer, known, request, identity, registry, limit, redirectsLeft);
    if ((answer.status !== 403 && answer.status !== 404) || known !== undefined || identity === ANONYMOUS) return answer;
    return (await this.#offer(request, identity, registry, limit, redirectsLeft)) ?? answer;
  }

  async #challenged(
    challenged: Answer, used: string | undefined, request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, redirectsLeft: number,
  ): Promise<Answer> {
    const credentials = await this.#credentialsOf(identity, limit);
    const scheme = this.#schemeFor(challenged, request, credentials);
    if (scheme === null) throw answerError(this.#subject(registry), challenged, this.#secrets.all());
    this.#schemes.set(identity.key, scheme);
    const authorization = await this.#authorization(request, identity, registry, limit, used);
    if (authorization === used) throw answerError(this.#subject(registry), challenged, this.#secrets.all());
    const answer = await this.#follow(request, authorization, registry, limit, redirectsLeft);
    if (answer.status === 401) throw answerError(this.#subject(registry), answer, this.#secrets.all());
    return answer;
  }

  /** A registry that refuses instead of asking who it is: what it says to /v2/ tells how it wants to be told. Null when it does not ask there either. */
  async #offer(request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, redirectsLeft: number): Promise<Answer | null> {
    if ((await this.#credentialsOf(identity, limit)) === null) return null;
    const ping = await this.connection.send({ method: 'GET', path: '/v2/' }, registry, limit);
    return ping.status === 401 ? this.#challenged(ping, undefined, request, identity, registry, limit, redirectsLeft) : null;
  }

  async #credentialsOf(identity: Identity, limit: TimeLimit): Promise<RegistryCredentials | null> {
    const credentials = await identity.get(limit.signal);
    this.#secrets.addCredentials(credentials);
    return credentials;
  }

  /** Of several challenges the strongest that can be met: Bearer before Basic, as containerd orders them. */
  #schemeFor({ headers }: Answer, { repository }: RegistryRequest, credentials: RegistryCredentials | null): Scheme | null {
    const challenges = parseChallenges(headers['www-authenticate']);
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer !== undefined && credentials?.kind === 'registry-token') return { kind: 'header', authorization: `Bearer ${credentials.token}` };
    if (bearer !== undefined) {
      const { scope } = bearer.parameters;
      return { kind: 'bearer', challenge: bearer, isPerRepository: scope === undefined || scope === pullScope(repository) };
    }
    if (credentials?.kind !== 'password' || challenges.every(({ scheme }) => scheme !== 'basic')) return null;
    return { kind: 'header', authorization: basicAuthorization(credentials) };
  }

  /** Value of Authorization, as far as the host's wishes are known. `used` was refused. */
  async #authorization(request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, used?: string): Promise<string | undefined> {
    const scheme = this.#schemes.get(identity.key);
    if (scheme === undefined) return undefined;
    if (scheme.kind === 'header') return scheme.authorization;
    const { challenge, isPerRepository } = scheme;
    const scope = isPerRepository ? pullScope(request.repository) : challenge.parameters['scope'] ?? '';
    const credentials = await this.#credentialsOf(identity, limit);
    const token = await this.#tokens.get({ asker: this.connection, challenge, scope, credentials, registry, limit }, used?.slice('Bearer '.length));
    return `Bearer ${token}`;
  }

  /** Follows redirects. Only this very host, by the same scheme and port, gets the Authorization. */
  async #follow(request: RegistryRequest, authorization: string | undefined, registry: string, limit: TimeLimit, redirectsLeft: number): Promise<Answer> {
    let { path } = request;
    for (let left = redirectsLeft; ; left -= 1) {
      const headers = { Accept: request.accept, ...(authorization === undefined ? {} : { Authorization: authorization }) };
      const answer = await this.connection.send({ method: request.method, path, headers }, registry, limit);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
      const base = `${this.connection.scheme}://${this.connection.host.authority}`;
      if (left <= 0) throw registryError(this.#subject(registry), 'Malformed', `redirects more than ${MAX_REDIRECTS} times`);
      if (!URL.canParse(location, base + path) || !/^https?:$/.test(new URL(location, base + path).protocol)) throw registryError(this.#subject(registry), 'Malformed', 'redirects to what is no web address');
      const url = new URL(location, base + path);
      path = url.pathname + url.search;
      if (url.origin === new URL(base).origin) continue;
      if (url.protocol === 'http:' && this.connection.scheme === 'https' && !request.isVerifiable) {
        throw registryError(this.#subject(registry), 'Malformed', `redirects from TLS to plain HTTP at ${url.host}, where anybody could answer`);
      }
      const other = this.#hosts.clientOf(this.#hosts.related(url, this.connection.host));
      return other.ask({ ...request, path }, ANONYMOUS, registry, limit, left - 1);
    }
  }

  #subject(registry: string): FailureSubject {
    return { registry, asked: this.connection.host.name };
  }
}

function pullScope(repository: string): string {
  return `repository:${repository}:pull`;
}
