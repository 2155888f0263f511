/** One server: its connections, whether it is asked over TLS, its wish to be left alone for a while, and whether it is there at all. */
import { stat } from 'node:fs/promises';
import { ConnectTimeoutError, setUserAgentVersion } from '../http/agent.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { codeOf, DeadlineExceeded, speaksPlainHttp } from '../http/network-error.ts';
import { serverText } from '../http/server-text.ts';
import type { Trace } from '../http/trace.ts';
import { retryAfterSeconds, Transport, type Answer, type TransportRequest } from '../http/transport.ts';
import { readSmallFile } from '../open-file.ts';
import { ClusterError } from '../../errors.ts';
import type { Host } from './endpoints.ts';
import { formatSeconds, fromNetworkError, RegistryError, registryError, type FailureSubject } from './registry-error.ts';
import type { TimeLimit } from './time-limit.ts';

export type HostRequest = Omit<TransportRequest, 'signal'>;

export interface HostConnectionOptions {
  readonly trace: Trace;
  readonly userAgentVersion: string;
}

/** A manifest has at most 4 MiB for containerd (https://github.com/containerd/containerd/blob/00648788c84a83142c7aacb5fe297114ed736766/core/remotes/docker/resolver.go, MaxManifestSize, read 2026-11-30); configurations get as much again. */
const MAX_BODY_BYTES = 8 * 2 ** 20;
const CONNECT_TIMEOUT_MS = 10_000;
/** How often a request is sent at most to a server that is busy or fails. */
const MAX_TRIES = 4;
const MAX_TRIES_OF_FAILING = 3;
/** A server that asks for a pause without saying how long. */
const UNSAID_PAUSE_MS = 60_000;
/** Single requests may be slow or cut off at a server that works; this many make a server that does not, unless ten times as many were answered. */
const STRIKES = 3;
const ANSWERS_PER_STRIKE = 10;
const CONNECTION_LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

export class HostConnection {
  readonly host: Host;
  readonly #options: HostConnectionOptions;
  #scheme: Host['scheme'];
  readonly #transports = new Map<string, Promise<Transport>>();
  /** Until then no request is sent, in milliseconds since 1970. */
  #notBefore = 0;
  #lastAnswerAt = 0;
  #answers = 0;
  #strikes = 0;
  #serverErrors = 0;
  #dead: RegistryError | null = null;
  readonly #closing = new AbortController();

  constructor(host: Host, options: HostConnectionOptions) {
    this.host = host;
    this.#options = options;
    this.#scheme = host.scheme;
  }

  /** `http` when requests go over plain HTTP; known for sure after the first answer. */
  get scheme(): 'https' | 'http' {
    return this.#scheme === 'http' ? 'http' : 'https';
  }

  /**
   * An answer of any status, after the pauses that the server asks for and the time allows. Throws RegistryError; once a
   * server was not there, it is not asked again.
   */
  async send(request: HostRequest, registry: string, limit: TimeLimit): Promise<Answer> {
    const subject: FailureSubject = { registry, asked: this.host.name };
    for (let tries = 1; ; tries += 1) {
      await this.#pause(subject, limit);
      if (this.#dead !== null) throw registryError(subject, this.#dead.failure.reason, `was not asked again: before, it ${this.#dead.problem}`, this.#dead.failure.suggestions, this.#dead);
      const answer = await this.#exchange(request, subject, limit);
      this.#lastAnswerAt = limit.clock.now();
      this.#answers += 1;
      const { status } = answer;
      const isFailing = status >= 500 && status !== 501 && status !== 505;
      if (status !== 429 && !isFailing) {
        this.#serverErrors = 0;
        return answer;
      }
      const asked = retryAfterSeconds(answer.headers['retry-after'], limit.clock.now());
      const pauseMs = asked === null ? (status === 429 ? 1000 : 500) * 2 ** (tries - 1) : Math.max(1, asked) * 1000;
      const mostTries = status === 429 ? MAX_TRIES : this.#serverErrors >= STRIKES ? 1 : MAX_TRIES_OF_FAILING;
      const isLast = tries >= mostTries || !limit.fits(pauseMs);
      // A server that sheds load means all of us; another failure means this request.
      if (status === 429) this.#notBefore = Math.max(this.#notBefore, limit.clock.now() + (isLast && asked === null ? UNSAID_PAUSE_MS : pauseMs));
      if (isLast) {
        if (isFailing) this.#serverErrors += 1;
        return answer;
      }
      if (status !== 429) await limit.sleep(pauseMs);
    }
  }

  /** Ends all connections, also those in use. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the connection was closed'));
    for (const transport of this.#transports.values()) await transport.then((one) => one.close(), () => undefined);
  }

  async #pause(subject: FailureSubject, limit: TimeLimit): Promise<void> {
    for (let wait = this.#notBefore - limit.clock.now(); wait > 0; wait = this.#notBefore - limit.clock.now()) {
      if (!limit.fits(wait)) throw registryError(subject, 'TooManyRequests', `answered 429 Too Many Requests before, and is not to be asked for ${formatSeconds(Math.ceil(wait / 1000))}`, [...TOO_MANY]);
      await limit.sleep(wait);
    }
  }

  async #exchange(request: HostRequest, subject: FailureSubject, limit: TimeLimit): Promise<Answer> {
    const startedAt = limit.clock.now();
    try {
      return await this.#overEitherScheme(request, subject, limit);
    } catch (error) {
      if (limit.signal.aborted && !(limit.signal.reason instanceof DeadlineExceeded)) throw limit.signal.reason;
      const failure = fromNetworkError(subject, error);
      if (failure instanceof RegistryError && this.#isDeadAfter(failure, error, startedAt, limit)) this.#dead ??= failure;
      throw failure;
    }
  }

  #isDeadAfter({ failure }: RegistryError, error: unknown, startedAt: number, limit: TimeLimit): boolean {
    if (failure.reason === 'Timeout') {
      // Time that went by elsewhere says nothing of this server, and one that answers others meanwhile is there.
      if (limit.clock.now() - startedAt < limit.seconds * 500) return false;
      return this.#lastAnswerAt < startedAt || this.#strike();
    }
    if (failure.reason !== 'Unreachable') return false;
    const cause = error instanceof ClusterError ? error.cause : error;
    return !CONNECTION_LOST.has(codeOf(cause)) || this.#strike();
  }

  #strike(): boolean {
    this.#strikes += 1;
    return this.#strikes >= STRIKES && this.#strikes * ANSWERS_PER_STRIKE > this.#answers;
  }

  /** As containerd's HTTPFallback: https://github.com/containerd/containerd/blob/00648788c84a83142c7aacb5fe297114ed736766/core/remotes/docker/resolver.go, read 2026-11-30. */
  async #overEitherScheme(request: HostRequest, subject: FailureSubject, limit: TimeLimit): Promise<Answer> {
    const withSignal: TransportRequest = { ...request, signal: limit.signal };
    if (this.#scheme !== 'either') return (await this.#transport(this.#scheme, subject)).request(withSignal);
    try {
      const answer = await (await this.#transport('https', subject)).request(withSignal);
      this.#scheme = 'https';
      return answer;
    } catch (error) {
      const isHandshakeTimeout = error instanceof ClusterError && error.cause instanceof ConnectTimeoutError && error.cause.phase === 'handshake';
      if (!speaksPlainHttp(error) && !isHandshakeTimeout) throw error;
      this.#scheme = 'http';
      return (await this.#transport('http', subject)).request(withSignal);
    }
  }

  #transport(scheme: 'https' | 'http', subject: FailureSubject): Promise<Transport> {
    let transport = this.#transports.get(scheme);
    if (transport === undefined) {
      transport = this.#connect(scheme, subject);
      this.#transports.set(scheme, transport);
    }
    return transport;
  }

  async #connect(scheme: 'https' | 'http', subject: FailureSubject): Promise<Transport> {
    const { authority, certificateAuthority, insecureSkipVerify } = this.host;
    if (!URL.canParse(`${scheme}://${authority}`)) {
      const port = /:(\d+)$/.exec(authority)?.[1];
      throw registryError(subject, 'BadConfiguration', `cannot be asked: ${port !== undefined && Number(port) > 65_535 ? `${serverText(port)} is no port` : 'it is no address'}`);
    }
    let ca: string | undefined;
    if (certificateAuthority !== undefined && scheme === 'https') {
      try {
        // A pipe would be waited for, a device may have no end.
        if (!(await stat(certificateAuthority)).isFile()) throw registryError(subject, 'BadConfiguration', `cannot be asked: its certificateAuthority ${certificateAuthority} is no ordinary file`);
        ca = (await readSmallFile(certificateAuthority, this.#closing.signal)).toString('utf8');
      } catch (error) {
        if (error instanceof RegistryError) throw error;
        throw registryError(subject, 'BadConfiguration', `cannot be asked: its certificateAuthority ${certificateAuthority} cannot be read (${codeOf(error) || String(error)})`, [], error);
      }
      if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw registryError(subject, 'BadConfiguration', `cannot be asked: its certificateAuthority ${certificateAuthority} holds no PEM certificate`);
    }
    const connection: Endpoint = {
      server: `${scheme}://${authority}`,
      tls: { ca, insecureSkipVerify },
      // Digests are those of the bytes as they are.
      disableCompression: true,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      credentials: { get: () => Promise.resolve({}), refresh: () => Promise.resolve(false) },
      contextName: null,
    };
    setUserAgentVersion(connection, this.#options.userAgentVersion);
    // Who has a place among the lookups has one here: its time runs, and must not go by in another queue.
    return new Transport(connection, { trace: this.#options.trace, sparesErrorBodies: true, limits: { maxRetries: 0, maxBodyBytes: MAX_BODY_BYTES, maxParallel: Number.POSITIVE_INFINITY } });
  }
}

/** What to do about 429. */
export const TOO_MANY: readonly string[] = ['log in to the registry, which most allow more then, wait, or configure a mirror of it'];
