/**
 * Tokens of a registry's token server: https://distribution.github.io/distribution/spec/auth/token/ and
 * https://distribution.github.io/distribution/spec/auth/oauth/, read 2026-11-30.
 */
import { isRecord, stringAt } from '../../domain/kubernetes/object.ts';
import { serverText } from '../http/server-text.ts';
import { SingleFlight } from '../kube/auth/single-flight.ts';
import type { Answer } from '../http/transport.ts';
import type { Challenge } from './challenge.ts';
import { isLoopback, type Host } from './endpoints.ts';
import type { HostConnection, HostRequest } from './host-connection.ts';
import { answerError } from './answer-error.ts';
import { registryError, type FailureSubject } from './registry-error.ts';
import { basicAuthorization, credentialsKey, type RegistryCredentials } from './registry-credentials.ts';
import type { Secrets } from './secrets.ts';
import { TimeLimit } from './time-limit.ts';

/** Where the connection to a server that another one names comes from. */
export interface RelatedHosts {
  related(url: URL, to: Host): HostConnection;
}

export interface TokenRequest {
  /** The host that asked for a token, and the connection to it. */
  readonly asker: HostConnection;
  readonly challenge: Challenge;
  readonly scope: string;
  readonly credentials: RegistryCredentials | null;
  readonly registry: string;
  readonly limit: TimeLimit;
}

interface Token {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A token without a lifetime holds for a minute, as the specification has it; no token is used in its last seconds. */
const DEFAULT_LIFETIME_SECONDS = 60;
const MARGIN_SECONDS = 5;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CLIENT_ID = 'kubectl-win';

export class Tokens {
  readonly #hosts: RelatedHosts;
  readonly #secrets: Secrets;
  readonly #tokens = new Map<string, Token>();
  readonly #flights = new Map<string, SingleFlight<Token>>();

  constructor(hosts: RelatedHosts, secrets: Secrets) {
    this.#hosts = hosts;
    this.#secrets = secrets;
  }

  /** A token for a scope, kept until it expires and fetched once for all who wait. `refused`: one that the registry did not take. Throws RegistryError. */
  async get(request: TokenRequest, refused?: string): Promise<string> {
    const { asker, challenge, scope, credentials, limit } = request;
    const key = JSON.stringify([request.registry, asker.host.authority, challenge.parameters['realm'], challenge.parameters['service'], scope, credentialsKey(credentials)]);
    const known = this.#tokens.get(key);
    if (known !== undefined && known.token !== refused && known.expiresAt > limit.clock.now()) return known.token;
    this.#tokens.delete(key);
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      // With a time of its own: the lookup that comes first may end before those that wait with it.
      flight = new SingleFlight(async (signal) => {
        const own = new TimeLimit(limit.clock, limit.seconds, signal);
        try {
          const token = await this.#fetch({ ...request, limit: own });
          this.#tokens.set(key, token);
          return token;
        } finally {
          own.end();
          this.#flights.delete(key);
        }
      });
      this.#flights.set(key, flight);
    }
    return (await flight.run(limit.signal)).token;
  }

  async #fetch({ asker, challenge, scope, credentials, registry, limit }: TokenRequest): Promise<Token> {
    const { realm, url } = realmOf(challenge, asker, registry);
    const server = this.#hosts.related(url, asker.host);
    const subject: FailureSubject = { registry, asked: url.host };
    const answer = await this.#follow(server, url, tokenRequest(url, challenge.parameters['service'] ?? '', scope, credentials), { asker, registry, limit });
    if (answer.status !== 200) throw answerError({ registry, asked: asker.host.name }, answer, this.#secrets, `its token server ${realm}`);
    const token = tokenIn(answer, limit.clock.now());
    if (token === null) throw registryError(subject, 'Malformed', 'gave an answer without a token');
    this.#secrets.add([token.token]);
    return token;
  }

  /** Follows redirects of a GET; a POST holds what is meant for nobody else. Credentials go no further than the host, scheme and port that they were meant for. */
  async #follow(first: HostConnection, from: URL, firstRequest: HostRequest, { asker, registry, limit }: Pick<TokenRequest, 'asker' | 'registry' | 'limit'>): Promise<Answer> {
    let server = first;
    let request = firstRequest;
    let url = from;
    for (let left = MAX_REDIRECTS; ; left -= 1) {
      const answer = await server.send(request, registry, limit);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined || request.method !== 'GET') return answer;
      const subject = { registry, asked: asker.host.name };
      const who = `names a token server at ${serverText(from.host)} that redirects`;
      if (left <= 0) throw registryError(subject, 'Malformed', `${who} more than ${MAX_REDIRECTS} times`);
      if (!URL.canParse(location, url.href) || !/^https?:$/.test(new URL(location, url).protocol)) throw registryError(subject, 'Malformed', `${who} to what is no web address`);
      const next = new URL(location, url);
      if (isInTheClear(next, asker) || (next.protocol === 'http:' && url.protocol === 'https:')) throw registryError(subject, 'Malformed', `${who} to plain HTTP at ${serverText(next.host)}, where anybody could answer`);
      request = { ...request, path: next.pathname + next.search, headers: next.origin === url.origin ? request.headers : {} };
      url = next;
      server = this.#hosts.related(url, server.host);
    }
  }
}

/**
 * Docker and containerd send credentials to whatever realm a registry names
 * (https://github.com/containerd/containerd/blob/0381fb3a4aaee4e6d3e6608f8cf1a8532383c51c/core/remotes/docker/auth/fetch.go, read 2026-11-30): a registry knows
 * its own users' credentials anyway, and its token server is often another host. So do we, but not in the clear: plain HTTP is
 * taken only to the very host that is itself asked by it, and on loopback of a registry there. Credentials of another host are
 * never sent: they were looked up for the one that asks.
 */
function realmOf(challenge: Challenge, asker: HostConnection, registry: string): { readonly realm: string; readonly url: URL } {
  const realm = challenge.parameters['realm'] ?? '';
  const subject = { registry, asked: asker.host.name };
  if (!URL.canParse(realm) || !/^https?:$/.test(new URL(realm).protocol)) throw registryError(subject, 'Malformed', 'asks for a token without naming a token server');
  const url = new URL(realm);
  if (isInTheClear(url, asker)) {
    throw registryError(subject, 'Unauthorized', `names a token server at ${serverText(url.host)} over plain HTTP, where credentials and tokens would go in the clear: it was not asked`);
  }
  // Credentials in the address would come into traces.
  url.username = '';
  url.password = '';
  return { realm: serverText(url.host), url };
}

function isInTheClear(url: URL, asker: HostConnection): boolean {
  const isOwnPlainHttp = asker.scheme === 'http' && url.host === new URL(`http://${asker.host.authority}`).host;
  const isLocal = isLoopback(url.host) && isLoopback(asker.host.authority);
  return url.protocol === 'http:' && !isOwnPlainHttp && !isLocal;
}

function tokenRequest(url: URL, service: string, scope: string, credentials: RegistryCredentials | null): HostRequest {
  if (credentials?.kind === 'identity-token') {
    const form = new URLSearchParams({ grant_type: 'refresh_token', service, client_id: CLIENT_ID, scope, refresh_token: credentials.token });
    return { method: 'POST', path: url.pathname + url.search, body: form.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, hasSecretBodies: true };
  }
  const query = new URLSearchParams(url.search);
  if (service !== '') query.set('service', service);
  for (const one of scope.split(' ').filter((part) => part !== '')) query.append('scope', one);
  const text = query.toString();
  return {
    method: 'GET',
    path: url.pathname + (text === '' ? '' : `?${text}`),
    ...(credentials?.kind === 'password' ? { headers: { Authorization: basicAuthorization(credentials) } } : {}),
    hasSecretBodies: true,
  };
}

function tokenIn({ body }: Answer, now: number): Token | null {
  let document: unknown;
  try {
    document = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  const token = stringAt(document, 'access_token') || stringAt(document, 'token') || '';
  // Only what a header can carry.
  if (!isRecord(document) || !/^[\x21-\x7e]+$/.test(token)) return null;
  const lifetime = typeof document['expires_in'] === 'number' && document['expires_in'] > 0 ? document['expires_in'] : DEFAULT_LIFETIME_SECONDS;
  return { token, expiresAt: now + Math.max(1, lifetime - MARGIN_SECONDS) * 1000 };
}
