/** Failures below HTTP in the words that kubectl's users know (kubectl pkg/cmd/util/helpers.go and Go's net, tls and x509 packages, read 2026-11-30). */
import { isIP } from 'node:net';
import { AppError, ClusterError, InterruptedError, type ClusterErrorDetails } from '../../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { ConnectTimeoutError, proxyAddressOf } from './agent.ts';
import { serverText } from './server-text.ts';

/** The time given by --request-timeout is over. */
export class DeadlineExceeded extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super('context deadline exceeded');
    this.seconds = seconds;
  }
}

/** The connection broke after the head of the answer had come. */
export class BodyCutError extends Error {
  readonly receivedBytes: number;

  constructor(receivedBytes: number, cause: unknown) {
    super('unexpected EOF', { cause });
    this.receivedBytes = receivedBytes;
  }
}

/** An answer larger than this program can hold. */
export class BodyTooLargeError extends Error {
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`more than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}

/** A body whose bytes are not what the head of the answer says they are. */
export class UnreadableBodyError extends Error {
  readonly status: number;

  constructor(problem: string, status: number, cause?: unknown) {
    super(problem, { cause });
    this.status = status;
  }
}

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

/** Certificates may name hosts without end. */
const LONGEST_NAMES = 1000;

const PLAIN_HTTP_ANSWER = 'http: server gave HTTP response to HTTPS client';

/** Turns whatever a request failed with into an error for people; an AppError stays as it is. */
export function networkError(error: unknown, connection: Endpoint, attempt?: ClusterErrorDetails['attempt']): AppError {
  if (error instanceof AppError) return error;
  const details = { cause: error, ...(attempt === undefined ? {} : { attempt }) };
  const authority = authorityOf(connection.server);
  if (error instanceof DeadlineExceeded) {
    return new ClusterError(`Unable to connect to the server: context deadline exceeded: no complete answer from ${authority} in ${error.seconds} s`, {
      ...details,
      reason: 'DeadlineExceeded',
      suggestions: ['raise --request-timeout, or check that the server and the way to it are healthy'],
    });
  }
  if (error instanceof BodyCutError) {
    return new ClusterError(`the answer of the server ${authority} was cut off after ${error.receivedBytes} bytes: unexpected EOF`, {
      ...details,
      reason: 'ConnectionLost',
      suggestions: ['try again; if it happens again, a proxy or load balancer on the way may limit the size or duration of answers (a smaller --chunk-size helps)'],
    });
  }
  if (error instanceof UnreadableBodyError) {
    return new ClusterError(`the answer of the server ${authority}${error.status >= 300 ? ` with status ${error.status}` : ''} cannot be read: ${error.message}`, {
      ...details,
      reason: 'NotKubernetes',
      status: error.status,
      suggestions: [`a proxy or load balancer on the way may spoil answers; check it and the server of the kubeconfig: ${connection.server}`],
    });
  }
  if (error instanceof BodyTooLargeError) {
    return new ClusterError(`the answer of the server ${authority} is larger than ${Number((error.limitBytes / 2 ** 20).toFixed(1))} MiB`, {
      ...details,
      reason: 'RequestEntityTooLarge',
      suggestions: ['ask for less at once, with --chunk-size or a selector'],
    });
  }
  if (error instanceof ConnectTimeoutError) {
    const what = error.phase === 'dial' ? `dial tcp ${authority}: i/o timeout` : 'net/http: TLS handshake timeout';
    return new ClusterError(`Unable to connect to the server: ${what}`, { ...details, reason: 'Unreachable', suggestions: reachability(connection) });
  }
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'ECONNREFUSED') {
    return new ClusterError(`The connection to the server ${authority} was refused - did you specify the right host or port?`, { ...details, reason: 'Unreachable', suggestions: reachability(connection) });
  }
  const trust = trustProblem(code, error, connection);
  if (trust !== null) {
    return new ClusterError(`Unable to connect to the server: tls: failed to verify certificate: x509: ${trust.text}`, { ...details, reason: 'UntrustedCertificate', suggestions: trust.suggestions });
  }
  const words = goText(code, text, authority, isTlsAnswer(error));
  return new ClusterError(`Unable to connect to the server: ${words}`, {
    ...details,
    reason: code === 'ECONNRESET' || code === 'EPIPE' ? 'ConnectionLost' : 'Unreachable',
    suggestions: [
      ...(words === PLAIN_HTTP_ANSWER ? [`whatever listens at ${authority} speaks plain HTTP: is it another port, or is http:// meant, as for kubectl proxy?`] : []),
      ...(code === 'HPE_HEADER_OVERFLOW' ? ['does a proxy or login page on the way add headers or cookies without end?'] : []),
      ...reachability(connection),
    ],
  });
}

/** What an aborted request throws: the reason that the signal was aborted with, where that is an error of ours. */
export function interruption(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof AppError || reason instanceof DeadlineExceeded ? reason : new InterruptedError('interrupted', { cause: reason });
}

/** HOST:PORT as written in the kubeconfig: URL would drop a default port. */
export function authorityOf(server: string): string {
  return /^[a-z]+:\/\/(?:[^/@]*@)?([^/?#]+)/i.exec(server)?.[1] ?? server;
}

export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function reachability(connection: Endpoint): readonly string[] {
  const proxy = proxyAddressOf(connection);
  return [
    // An API server speaks TLS; http:// is `kubectl proxy` or a mistake.
    ...(connection.server.startsWith('http:') ? [`${connection.server} is plain HTTP, which API servers do not speak: is https:// meant?`] : []),
    `server ${connection.server}${connection.contextName === null ? '' : ` comes from the context "${connection.contextName}"`}${proxy === null ? '' : `, through the proxy ${proxy}`}`,
    'is it the right cluster, and are network, VPN and proxy settings in order? `kubectl config get-contexts` lists the contexts',
  ];
}

function trustProblem(code: string, error: unknown, connection: Endpoint): { readonly text: string; readonly suggestions: readonly string[] } | null {
  const insecure = '--insecure-skip-tls-verify trusts anybody and is for tests only';
  if (UNKNOWN_AUTHORITY.has(code)) {
    return {
      text: 'certificate signed by unknown authority',
      suggestions: [
        connection.tls.ca === undefined
          ? 'the kubeconfig names no certificate-authority, so the roots of this machine were asked; add certificate-authority-data of the cluster'
          : 'certificate-authority-data of the kubeconfig does not belong to this server: is it from another or a rebuilt cluster, or does a TLS inspecting proxy sit in between?',
        insecure,
      ],
    };
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const certificate = certificateOf(error);
    const date = Date.parse((code === 'CERT_HAS_EXPIRED' ? certificate?.valid_to : certificate?.valid_from) ?? '');
    const comparison = Number.isNaN(date) ? '' : `: current time ${toSeconds(Date.now())} is ${code === 'CERT_HAS_EXPIRED' ? 'after' : 'before'} ${toSeconds(date)}`;
    return { text: `certificate has expired or is not yet valid${comparison}`, suggestions: ['the certificate of the server has to be renewed; check the clock of this machine too'] };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const wanted = connection.tls.serverName ?? hostOnly(authorityOf(connection.server));
    const names = (certificateOf(error)?.subjectaltname ?? '').split(/,\s*/).filter((name) => name !== '').map((name) => name.replace(/^(DNS|IP Address):/, ''));
    const ofKind = names.filter((name) => (isIP(name) !== 0) === (isIP(wanted) !== 0));
    const text = ofKind.length > 0
      ? `certificate is valid for ${serverText(ofKind.join(', '), LONGEST_NAMES)}, not ${wanted}`
      : isIP(wanted) !== 0
        ? `cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`
        : `certificate is not valid for any names, but wanted to match ${wanted}`;
    const held = names.length === 0 ? '' : ` and may be any of these: ${serverText(names.join(', '), LONGEST_NAMES)}`;
    return { text, suggestions: [`tls-server-name in the kubeconfig (or --tls-server-name) sets the name that is verified${held}`, insecure] };
  }
  return null;
}

function goText(code: string, text: string, authority: string, isTls: boolean): string {
  const host = hostOnly(authority);
  switch (code) {
    case 'ENOTFOUND':
      return `dial tcp: lookup ${lookedUp(text) ?? host}: no such host`;
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${lookedUp(text) ?? host}: temporary failure in name resolution`;
    case 'ETIMEDOUT':
      return `dial tcp ${authority}: connect: connection timed out`;
    case 'EHOSTUNREACH':
      return `dial tcp ${authority}: connect: no route to host`;
    case 'ENETUNREACH':
      return `dial tcp ${authority}: connect: network is unreachable`;
    case 'ECONNRESET':
      return /socket hang up|before secure TLS/i.test(text) ? 'EOF' : `read tcp ${authority}: connection reset by peer`;
    case 'EPIPE':
      return `write tcp ${authority}: broken pipe`;
    default:
  }
  if (isPlainHttpAnswer(code, text)) return PLAIN_HTTP_ANSWER;
  // In Go's words; the limit is maxHeaderSize of transport.ts.
  if (code === 'HPE_HEADER_OVERFLOW') return 'net/http: server response headers exceeded 1048576 bytes; aborted';
  if (code.startsWith('HPE_')) return `malformed HTTP response (${text})${isTls ? '; does the server speak HTTPS?' : ''}`;
  const alert = /alert (certificate required|bad certificate|unknown ca|certificate expired|handshake failure|internal error|access denied)/i.exec(text)?.[1]?.toLowerCase();
  if (alert !== undefined) return `remote error: tls: ${alert}`;
  return text;
}

/** Whether a server answered plain HTTP with an alert of TLS (https://www.rfc-editor.org/rfc/rfc8446#section-5.1, read 2026-11-30). */
function isTlsAnswer(error: unknown): boolean {
  return error instanceof Error && 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) && error.rawPacket[0] === 0x15;
}

function isPlainHttpAnswer(code: string, text: string): boolean {
  return /wrong version number|WRONG_VERSION_NUMBER|packet length too long|http request/i.test(`${code} ${text}`);
}

/** Whether a request failed because the server does not speak TLS; also for the error that networkError made of it. */
export function speaksPlainHttp(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return isPlainHttpAnswer(codeOf(cause), cause instanceof Error ? cause.message : '');
}

/** `getaddrinfo ENOTFOUND name`: with a proxy, the name is the proxy's. */
function lookedUp(text: string): string | undefined {
  return /getaddrinfo \w+ (\S+)/.exec(text)?.[1];
}

function hostOnly(authority: string): string {
  return authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

/** RFC 3339 without fractions, as Go prints it here. */
function toSeconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

interface PeerCertificateFacts {
  readonly subjectaltname?: string;
  readonly valid_from?: string;
  readonly valid_to?: string;
}

function certificateOf(error: unknown): PeerCertificateFacts | undefined {
  return typeof error === 'object' && error !== null && 'cert' in error ? (error.cert as PeerCertificateFacts | undefined) : undefined;
}
