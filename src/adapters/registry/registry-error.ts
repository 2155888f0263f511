/** Why a registry gave no answer: thrown inside this adapter, an answer outside it. */
import type { RegistryFailure, RegistryFailureReason } from '../../app/ports.ts';
import { ClusterError, type AppError } from '../../errors.ts';
import { ConnectTimeoutError } from '../http/agent.ts';
import { BodyCutError, BodyTooLargeError, codeOf, DeadlineExceeded } from '../http/network-error.ts';
import { serverText } from '../http/server-text.ts';

export class RegistryError extends Error {
  readonly failure: RegistryFailure;
  /** What the message says of whom was asked: `refused the connection`. */
  readonly problem: string;
  /** Whether other credentials may do better. */
  readonly isRefusal: boolean;

  constructor(failure: RegistryFailure, problem: string, cause?: unknown) {
    const shown: RegistryFailure = { ...failure, message: serverText(failure.message, LONGEST_TEXT), suggestions: failure.suggestions.map((text) => serverText(text, LONGEST_TEXT)) };
    super(shown.message, { cause });
    this.failure = shown;
    this.problem = serverText(problem, LONGEST_TEXT);
    this.isRefusal = REFUSALS.has(failure.reason);
  }

  /** The same failure with more to do about it. */
  withSuggestions(suggestions: readonly string[]): RegistryError {
    return suggestions.length === 0 ? this : new RegistryError({ ...this.failure, suggestions: [...this.failure.suggestions, ...suggestions] }, this.problem, this.cause);
  }
}

/** Of a message as a whole; what a server wrote into it was shortened before. */
const LONGEST_TEXT = 2000;

const REFUSALS: ReadonlySet<RegistryFailureReason> = new Set(['Unauthorized', 'Forbidden', 'NotFound']);

/** Whom a failure is about: `asked` is the host, which differs from the registry of the reference for mirrors and token servers. */
export interface FailureSubject {
  readonly registry: string;
  readonly asked: string;
}

/** How messages name who was asked. */
export function namedIn({ registry, asked }: FailureSubject): string {
  return asked === registry ? registry : `${serverText(asked)} for ${registry}`;
}

/** A failure with the words for it. `problem` completes the name of who was asked: `refused the connection`. */
export function registryError(subject: FailureSubject, reason: RegistryFailureReason, problem: string, suggestions: readonly string[] = [], cause?: unknown): RegistryError {
  return new RegistryError({ reason, registry: subject.registry, message: `${namedIn(subject)} ${problem}`, suggestions }, problem, cause);
}

/** A failure of the network, with words for a registry in place of those for an API server. An error of another kind stays as it is. */
export function fromNetworkError(subject: FailureSubject, error: unknown): unknown {
  if (!(error instanceof ClusterError)) return error;
  const fail = (reason: RegistryFailureReason, problem: string, suggestions: readonly string[] = []): RegistryError => registryError(subject, reason, problem, suggestions, error);
  const { cause } = error;
  const { reason } = error;
  if (reason === 'DeadlineExceeded') return fail('Timeout', `gave no answer within ${cause instanceof DeadlineExceeded ? formatSeconds(cause.seconds) : 'the time given'}`, [REACHABILITY]);
  if (reason === 'UntrustedCertificate') {
    return fail('UntrustedCertificate', `has a certificate that is not trusted: ${afterLast(error.message, 'x509: ')}`, [
      `name the authority of ${subject.asked} in the configuration: registries.${JSON.stringify(subject.asked)}.certificateAuthority`,
    ]);
  }
  if (reason === 'ProxyError') return fail('Unreachable', `cannot be reached: ${afterLast(error.message, 'Unable to connect to the server: ')}`, error.suggestions);
  if (reason === 'RequestEntityTooLarge') return fail('Malformed', cause instanceof BodyTooLargeError ? `sent more than ${formatMebibytes(cause.limitBytes)}, which no manifest has` : 'sent too large an answer');
  if (reason === 'NotKubernetes') return fail('Malformed', 'sent an answer that cannot be read: it is no registry, or a proxy on the way spoils it');
  if (reason === 'BadConfiguration') return fail('BadConfiguration', `cannot be asked: ${withoutKubeconfig(error)}`);
  if (cause instanceof BodyCutError) return fail('Malformed', `sent an answer that was cut off after ${cause.receivedBytes} bytes`, ['try again; if it happens again, a proxy on the way may limit the size or duration of answers']);
  if (codeOf(cause) === 'HPE_HEADER_OVERFLOW') return fail('Malformed', 'sent more headers than any answer has', ['does a proxy or login page on the way add headers or cookies without end?']);
  if (codeOf(cause).startsWith('HPE_')) return fail('Malformed', `sent what is no answer of HTTP: ${afterLast(error.message, 'Unable to connect to the server: ')}`);
  if (cause instanceof ConnectTimeoutError) {
    return fail('Unreachable', cause.phase === 'dial' ? 'did not take the connection in time' : 'took the connection and did not begin TLS in time', [REACHABILITY]);
  }
  return fail('Unreachable', CONNECTION_PROBLEMS[codeOf(cause)] ?? `cannot be reached: ${afterLast(error.message, 'Unable to connect to the server: ')}`, [REACHABILITY]);
}

const REACHABILITY = 'is the name right, and are network, VPN, HTTPS_PROXY and NO_PROXY in order? Nodes may have another way to it';

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'cannot be found: its name is not known here',
  EAI_AGAIN: 'cannot be found: name resolution fails at the moment',
  ETIMEDOUT: 'did not take the connection in time',
  EHOSTUNREACH: 'cannot be reached: no route to it',
  ENETUNREACH: 'cannot be reached: no network leads to it',
  ECONNRESET: 'broke the connection off',
  EPIPE: 'broke the connection off',
};

/** What follows a mark, as one clause: OpenSSL writes lines, and certificates may name hosts without end. */
function afterLast(text: string, mark: string): string {
  const index = text.lastIndexOf(mark);
  return serverText((index === -1 ? text : text.slice(index + mark.length)).trim()).replace(/[.:\s]+$/, '');
}

/** The HTTP layer speaks of where an API server's settings stand. */
function withoutKubeconfig(error: AppError): string {
  return error.message.replace(' of the kubeconfig', '');
}

/** `15 s` */
export function formatSeconds(seconds: number): string {
  return `${Number(seconds < 1 ? seconds.toPrecision(2) : seconds.toFixed(1))} s`;
}

function formatMebibytes(bytes: number): string {
  return `${Number((bytes / 2 ** 20).toFixed(1))} MiB`;
}
