/** Requests to one registry host, with all that authorizes them, across redirects. */
import { serverText } from '../http/server-text.ts';
import type { Answer } from '../http/transport.ts';
import { answerError } from './answer-error.ts';
import { parseChallenges, type Challenge } from './challenge.ts';
import type { HostConnection } from './host-connection.ts';
import { RegistryError, registryError, type FailureSubject } from './registry-error.ts';
import { basicAuthorization, type RegistryCredentials } from './registry-credentials.ts';
import type { Secrets } from './secrets.ts';
import type { TimeLimit } from './time-limit.ts';
import type { RelatedHosts, Tokens } from './tokens.ts';

/** Whose credentials a request carries. They are asked for when the registry wants some. */
export interface Identity {
  /** Whether these are the user's own credentials, as far as there are any. */
  readonly isOwn: boolean;
  get(signal: AbortSignal): Promise<RegistryCredentials | null>;
}

export const ANONYMOUS: Identity = { isOwn: false, get: () => Promise.resolve(null) };

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

/** How a host wants to be told who asks, once it has said so. */
type Wish = { readonly kind: 'basic' } | { readonly kind: 'bearer'; readonly challenge: Challenge; readonly isPerRepository: boolean };

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class RegistryClient {
  readonly connection: HostConnection;
  readonly #hosts: RelatedHosts & { clientOf(connection: HostConnection): RegistryClient };
  readonly #tokens: Tokens;
  readonly #secrets: Secrets;
  #wish: Wish | null = null;
  /** It refuses without asking who it is, at its root as well. */
  #asksNobody = false;

  constructor(connection: HostConnection, hosts: RelatedHosts & { clientOf(connection: HostConnection): RegistryClient }, tokens: Tokens, secrets: Secrets) {
    this.connection = connection;
    this.#hosts = hosts;
    this.#tokens = tokens;
    this.#secrets = secrets;
  }

  /** The answer to a request, whatever its status but 401. Throws RegistryError. */
  async ask(request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, redirectsLeft: number = MAX_REDIRECTS): Promise<Answer> {
    const known = await this.#authorization(request, identity, registry, limit).catch((error: unknown) => {
      // No token beforehand: what is for everybody may need none.
      if (error instanceof RegistryError && error.isRefusal) return undefined;
      throw error;
    });
    const answer = await this.#follow(request, known, registry, limit, redirectsLeft);
    if (answer.status === 401) return this.#challenged(answer, known, request, identity, registry, limit, redirectsLeft);
    if ((answer.status !== 403 && answer.status !== 404) || known !== undefined || identity === ANONYMOUS) return answer;
    return (await this.#offer(request, identity, registry, limit, redirectsLeft)) ?? answer;
  }

  async #challenged(
    challenged: Answer, used: string | undefined, request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, redirectsLeft: number,
  ): Promise<Answer> {
    const wish = wishIn(challenged, request);
    if (wish !== null) this.#wish = wish;
    const authorization = wish === null ? undefined : await this.#authorization(request, identity, registry, limit, used);
    if (authorization === undefined || authorization === used) throw answerError(this.#subject(registry), challenged, this.#secrets);
    const answer = await this.#follow(request, authorization, registry, limit, redirectsLeft);
    if (answer.status === 401) throw answerError(this.#subject(registry), answer, this.#secrets);
    return answer;
  }

  /** A registry that refuses instead of asking who it is: what it says to /v2/ tells how it wants to be told. Null when it does not ask there either. */
  async #offer(request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, redirectsLeft: number): Promise<Answer | null> {
    if (this.#asksNobody || (await this.#credentialsOf(identity, limit)) === null) return null;
    const ping = await this.connection.send({ method: 'GET', path: '/v2/' }, registry, limit);
    this.#asksNobody = ping.status !== 401;
    return this.#asksNobody ? null : this.#challenged(ping, undefined, request, identity, registry, limit, redirectsLeft);
  }

  async #credentialsOf(identity: Identity, limit: TimeLimit): Promise<RegistryCredentials | null> {
    const credentials = await identity.get(limit.signal);
    this.#secrets.addCredentials(credentials);
    return credentials;
  }

  /** Value of Authorization, as far as the host's wishes are known and can be met. `refused`: one that it did not take. */
  async #authorization(request: RegistryRequest, identity: Identity, registry: string, limit: TimeLimit, refused?: string): Promise<string | undefined> {
    const wish = this.#wish;
    if (wish === null) return undefined;
    const credentials = await this.#credentialsOf(identity, limit);
    if (wish.kind === 'basic') return credentials?.kind === 'password' ? basicAuthorization(credentials) : undefined;
    if (credentials?.kind === 'registry-token') return `Bearer ${credentials.token}`;
    const { challenge, isPerRepository } = wish;
    const scope = isPerRepository ? pullScope(request.repository) : challenge.parameters['scope'] ?? '';
    return `Bearer ${await this.#tokens.get({ asker: this.connection, challenge, scope, credentials, registry, limit }, refused?.slice('Bearer '.length))}`;
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
        throw registryError(this.#subject(registry), 'Malformed', `redirects from TLS to plain HTTP at ${serverText(url.host)}, where anybody could answer`);
      }
      const other = this.#hosts.clientOf(this.#hosts.related(url, this.connection.host));
      return other.ask({ ...request, path }, ANONYMOUS, registry, limit, left - 1);
    }
  }

  #subject(registry: string): FailureSubject {
    return { registry, asked: this.connection.host.name };
  }
}

/** Of several challenges the strongest that can be met: Bearer before Basic, as containerd orders them. */
function wishIn({ headers }: Answer, { repository }: RegistryRequest): Wish | null {
  const challenges = parseChallenges(headers['www-authenticate']);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer === undefined) return challenges.some(({ scheme }) => scheme === 'basic') ? { kind: 'basic' } : null;
  const { scope } = bearer.parameters;
  return { kind: 'bearer', challenge: bearer, isPerRepository: scope === undefined || scope === pullScope(repository) };
}

function pullScope(repository: string): string {
  return `repository:${repository}:pull`;
}
