/**
 * Sockets to the API server. Both HTTP requests and WebSocket upgrades go through the agents made here, so that proxies,
 * trust, SNI, client certificates and connect timeouts are decided in one place.
 */
import http, { validateHeaderValue, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { ClusterError } from '../../errors.ts';
import type { Endpoint, Impersonation, RequestCredentials } from './endpoint.ts';
import { hostOf, proxyFor, withoutPassword } from './proxy.ts';
import { openTunnel, proxyAuthorization } from './tunnel.ts';

export type KubeAgent = http.Agent | https.Agent;

/** client-go's dialer gives up after 30 s (https://github.com/kubernetes/client-go/blob/v0.37.2/transport/cache.go, read 2026-11-30). */
const CONNECT_TIMEOUT_MS = 30_000;
/**
 * A kept socket is given up when nobody has used it for this long: the API server does so after 90 s
 * (https://github.com/kubernetes/apiserver/blob/v0.37.2/pkg/server/secure_serving.go, IdleTimeout, read 2026-11-30), load
 * balancers without a word, and a write on such a socket could not be sent again.
 */
const IDLE_TIMEOUT_MS = 60_000;

/** The server did not take the connection in time. `phase` tells a silent host from one that does not speak TLS. */
export class ConnectTimeoutError extends Error {
  readonly phase: 'dial' | 'handshake';

  constructor(phase: 'dial' | 'handshake') {
    super(phase === 'dial' ? 'i/o timeout' : 'TLS handshake timeout');
    this.phase = phase;
  }
}

interface Pool {
  /** Cert and key of the agent in use; a rotated certificate makes a new agent. */
  readonly identity: string;
  readonly agent: KubeAgent;
}

// Weak: a connection that nobody holds any more takes its agent with it.
const pools = new WeakMap<Endpoint, Pool>();
const userAgents = new WeakMap<Endpoint, string>();
const proxies = new WeakMap<Endpoint, URL | null>();

/**
 * The keep-alive agent of a connection and client certificate: one pool for requests, watches and streams.
 * Throws ClusterError `BadConfiguration` for a certificate, key, CA or proxy address that cannot be used.
 */
export function agentFor(connection: Endpoint, credentials: RequestCredentials): KubeAgent {
  const certificate = credentials.clientCertificate;
  const identity = certificate === undefined ? '' : `${certificate.cert}\0${certificate.key}\0${certificate.passphrase ?? ''}`;
  const known = pools.get(connection);
  if (known?.identity === identity) return known.agent;
  const agent = createAgent(connection, credentials);
  pools.set(connection, { identity, agent });
  if (known !== undefined) closeIdleSockets(known.agent);
  return agent;
}

/** Ends all sockets of a connection, also those in use. */
export function closeAgent(connection: Endpoint): void {
  pools.get(connection)?.agent.destroy();
  pools.delete(connection);
}

/** Names this program in the server's audit log: `kubectl-win/0.1.0 (linux/amd64)`. */
export function setUserAgentVersion(connection: Endpoint, version: string): void {
  userAgents.set(connection, `kubectl-win/${version} ${platform()}`);
}

/**
 * Headers of every request: User-Agent, Authorization, impersonation, then `extra`, which wins.
 * Throws ClusterError `BadConfiguration` for a value that no header can carry (a token with a line break).
 */
export function requestHeaders(connection: Endpoint, credentials: RequestCredentials, extra: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    'User-Agent': userAgents.get(connection) ?? `kubectl-win ${platform()}`,
    ...(credentials.authorization === undefined ? {} : { Authorization: credentials.authorization }),
    ...(connection.impersonate === undefined ? {} : impersonationHeaders(connection.impersonate)),
    ...extra,
  };
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue;
      try {
        validateHeaderValue(name, String(one));
      } catch (cause) {
        throw new ClusterError(`invalid value for the header "${name}": it contains a line break or control character`, {
          reason: 'BadConfiguration',
          cause,
          ...(name === 'Authorization' ? { suggestions: ['check the token of the kubeconfig user: it has to be one line'] } : {}),
        });
      }
    }
  }
  return headers;
}

/**
 * One header line per group and per value: a joined line would be one group with a comma in its name.
 * Keys of extra fields are percent-encoded as client-go does (transport/round_trippers.go, headerKeyEscape).
 */
function impersonationHeaders(impersonation: Impersonation): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'Impersonate-User': wire(impersonation.user) };
  if (impersonation.uid !== undefined && impersonation.uid !== '') headers['Impersonate-Uid'] = wire(impersonation.uid);
  if (impersonation.groups.length > 0) headers['Impersonate-Group'] = impersonation.groups.map(wire);
  for (const [key, values] of Object.entries(impersonation.extra)) {
    if (values.length > 0) headers[`Impersonate-Extra-${escapeHeaderKey(key)}`] = values.map(wire);
  }
  return headers;
}

/** Go writes UTF-8 bytes into headers, Node takes Latin-1 text: the same bytes either way. */
function wire(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function escapeHeaderKey(key: string): string {
  // Token characters of RFC 7230, less the percent sign itself.
  return Array.from(Buffer.from(key, 'utf8'), (byte) => {
    const character = String.fromCharCode(byte);
    return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** Go's names for platform and processor, which audit logs are searched by. */
function platform(): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const arch = ({ x64: 'amd64', ia32: '386' } as Readonly<Record<string, string>>)[process.arch] ?? process.arch;
  return `(${os}/${arch})`;
}

/** The proxy that this connection's requests go through, for messages; null when there is none. */
export function proxyAddressOf(connection: Endpoint): string | null {
  const proxy = proxyOf(connection);
  return proxy === null ? null : withoutPassword(proxy.href).replace(/\/$/, '');
}

function proxyOf(connection: Endpoint): URL | null {
  let proxy = proxies.get(connection);
  if (proxy === undefined) {
    proxy = proxyFor(new URL(connection.server), connection.proxyUrl, process.env);
    proxies.set(connection, proxy);
  }
  return proxy;
}

function createAgent(connection: Endpoint, credentials: RequestCredentials): KubeAgent {
  const proxy = proxyOf(connection);
  const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000, timeout: IDLE_TIMEOUT_MS, scheduling: 'lifo' } as const;
  const timeoutMs = connection.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  if (!connection.server.startsWith('https:')) return proxy === null ? new DirectHttpAgent(keepAlive, timeoutMs) : new ProxiedHttpAgent(keepAlive, timeoutMs, proxy);
  const options: https.AgentOptions = { ...keepAlive, ...tlsOptions(connection, credentials) };
  return proxy === null ? new DirectHttpsAgent(options, timeoutMs) : new ProxiedHttpsAgent(options, timeoutMs, proxy, tlsOptions(connection, {}, hostOf(proxy)));
}

function tlsOptions(connection: Endpoint, credentials: RequestCredentials, proxyName?: string): https.AgentOptions {
  const { ca, insecureSkipVerify, serverName } = connection.tls;
  const certificate = credentials.clientCertificate;
  let secureContext: tls.SecureContext;
  try {
    // Once per agent: parsing some hundred roots for every socket would cost more than the handshake.
    secureContext = tls.createSecureContext({
      ...(ca === undefined ? (insecureSkipVerify ? {} : { ca: trustedRoots() }) : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key, ...(certificate.passphrase === undefined ? {} : { passphrase: certificate.passphrase }) }),
      minVersion: 'TLSv1.2',
    });
  } catch (cause) {
    const what = certificate === undefined ? 'certificate authority' : 'client certificate, its key or the certificate authority';
    throw new ClusterError(`unable to use the ${what} of the kubeconfig: ${cause instanceof Error ? cause.message : String(cause)}`, {
      reason: 'BadConfiguration',
      cause,
      suggestions: ['certificates and keys have to be PEM text, and the key has to belong to the certificate'],
    });
  }
  return { secureContext, rejectUnauthorized: !insecureSkipVerify, ...nameToVerify(proxyName ?? serverName) };
}

/** SNI cannot carry an IP address, so an address is verified without being sent. */
function nameToVerify(name: string | undefined): https.AgentOptions {
  if (name === undefined || name === '') return {};
  if (isIP(name) === 0) return { servername: name };
  return { servername: '', checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate) };
}

/**
 * Roots for a server without a CA of its own: those of Node and those of the machine, where a company keeps its own. To be
 * given to every connection that has no other: Node's default differs with how the program was started (bin/kubectl-win).
 */
export function trustedRoots(): string[] {
  return [...new Set((['bundled', 'system', 'extra'] as const).flatMap((store) => tls.getCACertificates(store)))];
}

function closeIdleSockets(agent: KubeAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** Destroys a socket that does not get ready in time; without it a silent host holds the program for minutes. */
function limitConnecting<S extends Duplex | null | undefined>(socket: S, readyEvent: 'connect' | 'secureConnect', timeoutMs: number): S {
  if (socket === null || socket === undefined) return socket;
  const timer = setTimeout(() => {
    const dialing = (socket as Partial<Socket>).connecting === true;
    socket.destroy(new ConnectTimeoutError(dialing ? 'dial' : 'handshake'));
  }, timeoutMs);
  const stop = (): void => clearTimeout(timer);
  socket.once(readyEvent, stop);
  socket.once('close', stop);
  return socket;
}

/**
 * Gives an error of verification the certificate that it is about, whose dates belong into the message: Node does so for
 * a wrong name only. It has to be read before the handshake's end, as the socket is destroyed there.
 */
function rememberCertificate<S extends Duplex | null | undefined>(socket: S): S {
  if (!(socket instanceof tls.TLSSocket)) return socket;
  let certificate: tls.PeerCertificate | undefined;
  socket.prependOnceListener('secure', () => {
    certificate = socket.getPeerCertificate();
  });
  socket.prependOnceListener('error', (error: Error & { cert?: tls.PeerCertificate }) => {
    if (certificate !== undefined) error.cert ??= certificate;
  });
  return socket;
}

type SocketCallback = (error: Error | null, socket: Duplex) => void;

class DirectHttpAgent extends http.Agent {
  readonly #timeoutMs: number;

  constructor(options: http.AgentOptions, timeoutMs: number) {
    super(options);
    this.#timeoutMs = timeoutMs;
  }

  override createConnection(options: http.ClientRequestArgs, callback?: SocketCallback): Duplex | null | undefined {
    return limitConnecting(super.createConnection(options, callback), 'connect', this.#timeoutMs);
  }
}

class DirectHttpsAgent extends https.Agent {
  readonly #timeoutMs: number;

  constructor(options: https.AgentOptions, timeoutMs: number) {
    super(options);
    this.#timeoutMs = timeoutMs;
  }

  override createConnection(options: https.RequestOptions, callback?: SocketCallback): Duplex | null | undefined {
    return rememberCertificate(limitConnecting(super.createConnection(options, callback), 'secureConnect', this.#timeoutMs));
  }
}

class ProxiedHttpsAgent extends https.Agent {
  readonly #timeoutMs: number;
  readonly #proxy: URL;
  readonly #proxyTls: https.AgentOptions;

  constructor(options: https.AgentOptions, timeoutMs: number, proxy: URL, proxyTls: https.AgentOptions) {
    super(options);
    this.#timeoutMs = timeoutMs;
    this.#proxy = proxy;
    this.#proxyTls = proxyTls;
  }

  override createConnection(options: https.RequestOptions, callback?: SocketCallback): undefined {
    const connect = super.createConnection.bind(this) as (options: https.RequestOptions & { socket: Socket }, callback?: SocketCallback) => Duplex;
    openTunnel({ proxy: this.#proxy, host: options.host ?? '', port: Number(options.port ?? 443), timeoutMs: this.#timeoutMs, tls: this.#proxyTls }).then(
      (socket) => callback?.(null, rememberCertificate(limitConnecting(connect({ ...options, socket }), 'secureConnect', this.#timeoutMs))),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}

/** Plain HTTP through a proxy: SOCKS tunnels it, an HTTP proxy wants the whole URL in the request line, as Go sends it. */
class ProxiedHttpAgent extends http.Agent {
  readonly #timeoutMs: number;
  readonly #proxy: URL;

  constructor(options: http.AgentOptions, timeoutMs: number, proxy: URL) {
    super(options);
    this.#timeoutMs = timeoutMs;
    this.#proxy = proxy;
  }

  /** Not in Node's documentation, yet the hook that agent libraries have used for a decade, and Bun's too. */
  addRequest(request: http.ClientRequest, options: http.ClientRequestArgs): void {
    if (!this.#proxy.protocol.startsWith('socks') && !request.path.startsWith('http:')) {
      request.path = `http://${String(request.getHeader('host') ?? options.host)}${request.path}`;
      const authorization = proxyAuthorization(this.#proxy);
      if (authorization !== undefined) request.setHeader('Proxy-Authorization', authorization);
    }
    (http.Agent.prototype as unknown as { addRequest(this: http.Agent, request: http.ClientRequest, options: http.ClientRequestArgs): void }).addRequest.call(this, request, options);
  }

  override createConnection(options: http.ClientRequestArgs, callback?: SocketCallback): Duplex | null | undefined {
    if (!this.#proxy.protocol.startsWith('socks')) {
      const proxy = { host: hostOf(this.#proxy), port: Number(this.#proxy.port || (this.#proxy.protocol === 'https:' ? 443 : 80)) };
      if (this.#proxy.protocol === 'https:') return limitConnecting(tls.connect({ ...proxy, ca: trustedRoots(), servername: isIP(proxy.host) === 0 ? proxy.host : '' }), 'secureConnect', this.#timeoutMs);
      return limitConnecting(super.createConnection({ ...options, ...proxy }, callback), 'connect', this.#timeoutMs);
    }
    openTunnel({ proxy: this.#proxy, host: options.host ?? '', port: Number(options.port ?? 80), timeoutMs: this.#timeoutMs, tls: {} }).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}
