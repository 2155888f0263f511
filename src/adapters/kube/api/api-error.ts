/**
 * Answers that are no success, in kubectl's words. `message` of each error is the whole line for people: it begins with
 * one of kubectl's own openings (`Error from server…`, `error: You must be logged in…`, `The connection to the server…`,
 * `Unable to connect to the server: …`, `The Node "x" is invalid: …`), or else is printed behind `error: `.
 * Texts: kubectl pkg/cmd/util/helpers.go, apimachinery pkg/api/errors/errors.go (NewGenericServerResponse), v0.37.2, read 2026-11-30.
 */
import { STATUS_CODES } from 'node:http';
import { ClusterError, type ClusterErrorDetails, type ClusterErrorReason } from '../../../errors.ts';
import { arrayAt, isRecord, numberAt, stringAt, valueAt } from '../../../domain/kubernetes/object.ts';
import type { Connection } from '../connection.ts';
import { authorityOf } from '../../http/network-error.ts';
import { retryAfterSeconds, type Answer } from '../../http/transport.ts';
import { isProtobuf, readKubernetesProtobuf } from './pod-protobuf.ts';
import { MalformedProtobufError } from './protobuf-reader.ts';

export type Attempt = NonNullable<ClusterErrorDetails['attempt']>;

/** Where a failing answer came from. */
export interface AnswerContext {
  readonly connection: Connection;
  /** HTTP method. */
  readonly method: string;
  readonly attempt?: Attempt | undefined;
}

const REASONS: ReadonlySet<string> = new Set<ClusterErrorReason>([
  'Unauthorized', 'Forbidden', 'NotFound', 'AlreadyExists', 'Conflict', 'Gone', 'Expired', 'Invalid', 'Timeout', 'ServerTimeout', 'TooManyRequests',
  'BadRequest', 'MethodNotAllowed', 'NotAcceptable', 'UnsupportedMediaType', 'InternalError', 'ServiceUnavailable', 'RequestEntityTooLarge',
]);

/** The error for an answer with another status than 2xx. */
export function apiError(answer: Answer, context: AnswerContext): ClusterError {
  const { status, headers } = answer;
  const text = answer.body.toString('utf8');
  if (status >= 300 && status < 400) return redirectError(answer, context);
  const parsed = isProtobuf(headers['content-type']) ? protobufStatusOf(answer.body) : statusOf(text);
  if (parsed !== null) return statusError(parsed, context, answer);
  if (looksLikeHtml(headers['content-type'], text)) return htmlError(answer, context, text);
  return genericError(answer, context, isProtobuf(headers['content-type']) ? '' : text.trim().slice(0, 2048));
}

/** The error of a `metav1.Status` object, as an answer's body or as the object of a watch event of type ERROR. */
export function statusError(status: unknown, context: AnswerContext, answer?: Answer): ClusterError {
  const code = answer?.status ?? numberAt(status, 'code');
  const written = stringAt(status, 'reason') ?? '';
  const message = stringAt(status, 'message') ?? '';
  const details = valueAt(status, 'details');
  const reason: ClusterErrorReason = REASONS.has(written) ? (written as ClusterErrorReason) : reasonOf(code ?? 0, context.method);
  return new ClusterError(lineOf(written, message === '' && written !== 'Invalid' ? withoutMessage(code) : message, details), {
    reason,
    ...(code === undefined ? {} : { status: code }),
    ...(context.attempt === undefined ? {} : { attempt: context.attempt }),
    ...(details === undefined ? {} : { details }),
    suggestions: suggestionsFor(reason, message, context, answer),
  });
}

/** Parses a body as JSON and as the kind that was asked for; throws ClusterError `NotKubernetes` or `ConnectionLost` for anything else. */
export function parseObject(answer: Answer, context: AnswerContext): Readonly<Record<string, unknown>> {
  return notAFailure(parseJson(answer, context), answer, context);
}

/** As parseObject, of protobuf, of which there are the wanted fields alone. */
export function parseProtobufObject(answer: Answer, context: AnswerContext): Readonly<Record<string, unknown>> {
  try {
    return notAFailure(readKubernetesProtobuf(answer.body), answer, context);
  } catch (cause) {
    if (!(cause instanceof MalformedProtobufError)) throw cause;
    const what = cause.isCut ? `protobuf that was cut short after ${answer.body.length} bytes` : `protobuf that is not valid (${cause.message})`;
    throw unreadableError(answer, context, { what, isCut: cause.isCut, cause });
  }
}

/** A Failure sent with 200 would otherwise look like an empty object; a Success is what delete answers. */
function notAFailure(parsed: Readonly<Record<string, unknown>>, answer: Answer, context: AnswerContext): Readonly<Record<string, unknown>> {
  if (parsed.kind === 'Status' && parsed.status === 'Failure') throw statusError(parsed, context, answer);
  return parsed;
}

function parseJson(answer: Answer, context: AnswerContext): Readonly<Record<string, unknown>> {
  const text = answer.body.toString('utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    if (looksLikeHtml(answer.headers['content-type'], text)) throw htmlError(answer, context, text);
    throw notJsonError(answer, context, text, cause);
  }
  if (!isRecord(parsed)) throw unexpectedError(context, `a JSON ${Array.isArray(parsed) ? 'array' : parsed === null ? 'null' : typeof parsed} instead of an object`, answer.status);
  return parsed;
}

/** The error for an answer that is JSON but not what was asked for. */
export function unexpectedError(context: AnswerContext, what: string, status?: number): ClusterError {
  return new ClusterError(`the server ${authorityOf(context.connection.server)} answered ${attemptText(context)} with ${what}; is it a Kubernetes API server?`, {
    reason: 'NotKubernetes',
    ...(status === undefined ? {} : { status }),
    ...(context.attempt === undefined ? {} : { attempt: context.attempt }),
    suggestions: [`check the server of the context${context.connection.contextName === null ? '' : ` "${context.connection.contextName}"`}: ${context.connection.server}`],
  });
}

/** A ClusterRole for these attempts, as YAML without a final line break. Nodes' proxy is never in it: it would give exec on every kubelet. */
export function clusterRoleFor(attempts: readonly Attempt[], name = 'kubectl-win'): string {
  const rules = new Map<string, { readonly group: string; readonly resource: string; readonly verbs: Set<string> }>();
  for (const { verb, group = '', resource } of attempts) {
    if (resource === 'nodes/proxy') continue;
    const key = `${group}/${resource}`;
    const rule = rules.get(key) ?? { group, resource, verbs: new Set<string>() };
    rules.set(key, rule);
    for (const one of verb === 'list' || verb === 'watch' || verb === 'get' ? ['get', 'list', 'watch'] : [verb]) rule.verbs.add(one);
  }
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: ClusterRole',
    'metadata:',
    `  name: ${name}`,
    ...(rules.size === 0 ? ['rules: []'] : ['rules:']),
    ...[...rules.values()].map(({ group, resource, verbs }) => `- apiGroups: ["${group}"]\n  resources: ["${resource}"]\n  verbs: [${[...verbs].map((verb) => `"${verb}"`).join(', ')}]`),
  ].join('\n');
}

/** `list nodes`, or the HTTP method where there is nothing better. */
function attemptText({ attempt, method }: AnswerContext): string {
  if (attempt === undefined) return `the ${method} request`;
  const place = attempt.namespace === undefined ? '' : ` in the namespace "${attempt.namespace}"`;
  return `"${attempt.verb} ${qualified(attempt)}${attempt.name === undefined ? '' : ` ${attempt.name}`}"${place}`;
}

function qualified({ group, resource }: Attempt): string {
  return group === undefined || group === '' ? resource : `${resource}.${group}`;
}

function statusOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) && parsed.kind === 'Status' ? parsed : null;
  } catch {
    return null;
  }
}

function protobufStatusOf(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const parsed = readKubernetesProtobuf(body);
    return parsed['kind'] === 'Status' ? parsed : null;
  } catch (error) {
    if (error instanceof MalformedProtobufError) return null;
    throw error;
  }
}

/** A line that ends after its colon, as kubectl's does here, looks like one that was lost. */
function withoutMessage(code: number | undefined): string {
  return `the server sent an error without a message${code === undefined ? '' : ` (code ${code})`}`;
}

function lineOf(reason: string, message: string, details: unknown): string {
  if (reason === 'Unauthorized') return `error: You must be logged in to the server (${message})`;
  if (reason === 'Invalid') return invalidLine(message, details);
  return reason === '' ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
}

function invalidLine(message: string, details: unknown): string {
  const kind = stringAt(details, 'kind') ?? '';
  const name = stringAt(details, 'name') ?? '';
  const causes = arrayAt(details, 'causes').map((cause) => {
    const field = stringAt(cause, 'field') ?? '';
    const text = stringAt(cause, 'message') ?? '';
    return field === '' ? text : `${field}: ${text}`;
  });
  const opening = kind !== '' || name !== '' ? `The ${kind} "${name}" is invalid` : 'The request is invalid';
  if (causes.length === 0) return kind !== '' || name !== '' || message === '' ? opening : `${opening}: ${message}`;
  return causes.length === 1 ? `${opening}: ${causes[0]}` : `${opening}: \n${causes.map((cause) => `* ${cause}`).join('\n')}`;
}

function reasonOf(status: number, method: string): ClusterErrorReason {
  const known: Readonly<Record<number, ClusterErrorReason>> = {
    400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable', 409: method === 'POST' ? 'AlreadyExists' : 'Conflict',
    410: 'Gone', 413: 'RequestEntityTooLarge', 415: 'UnsupportedMediaType', 422: 'Invalid', 429: 'TooManyRequests', 503: 'ServiceUnavailable', 504: 'Timeout',
  };
  return known[status] ?? (status >= 500 ? 'InternalError' : 'Unknown');
}

/** For an answer without a Status: client-go's sentence per code. */
function genericError(answer: Answer, context: AnswerContext, body: string): ClusterError {
  const reason = reasonOf(answer.status, context.method);
  const sentences: Partial<Readonly<Record<ClusterErrorReason, string>>> = {
    BadRequest: 'the server rejected our request for an unknown reason',
    Unauthorized: 'the server has asked for the client to provide credentials',
    Forbidden: body === '' ? 'the server does not allow this' : body,
    NotFound: 'the server could not find the requested resource',
    MethodNotAllowed: 'the server does not allow this method on the requested resource',
    NotAcceptable: body === '' ? 'the server was unable to respond with a content type that the client supports' : body,
    AlreadyExists: 'the server reported a conflict',
    Conflict: 'the server reported a conflict',
    RequestEntityTooLarge: 'the request is too large for the server',
    UnsupportedMediaType: body === '' ? 'the body of the request was in an unknown format' : body,
    Invalid: 'the server rejected our request due to an error in our request',
    TooManyRequests: 'the server has received too many requests and has asked us to try again later',
    ServiceUnavailable: 'the server is currently unable to handle the request',
    Timeout: 'the server was unable to return a response in the time allotted, but may still be processing the request',
    InternalError: `an error on the server (${JSON.stringify(body === '' ? 'unknown' : body)}) has prevented the request from succeeding`,
  };
  const sentence = sentences[reason] ?? `the server responded with the status code ${answer.status} but did not return more information`;
  const { attempt } = context;
  const place = attempt === undefined ? '' : ` (${context.method.toLowerCase()} ${qualified(attempt)}${attempt.name === undefined ? '' : ` ${attempt.name}`})`;
  return new ClusterError(lineOf(reason === 'Unknown' ? '' : reason, sentence + place, undefined), {
    reason,
    status: answer.status,
    ...(attempt === undefined ? {} : { attempt }),
    ...(body === '' ? {} : { details: body }),
    suggestions: [...foreignAnswerHints(reason, body, context), ...suggestionsFor(reason, sentence, context, answer)],
  });
}

/** An API server explains itself with a Status; an answer without one often comes from something in between. */
function foreignAnswerHints(reason: ClusterErrorReason, body: string, { connection }: AnswerContext): readonly string[] {
  const place = connection.contextName === null ? 'the server' : `the server of the context "${connection.contextName}"`;
  // Go's net/http answers so where TLS is spoken: https://github.com/golang/go/blob/go1.26.0/src/net/http/server.go, read 2026-11-30
  if (body.startsWith('Client sent an HTTP request to an HTTPS server')) return [`${place} speaks TLS: write it with https:// in place of ${connection.server}`];
  if (reason === 'NotFound') return [`check ${place}, path included: ${connection.server}`];
  return reason === 'Forbidden' ? [`this is no refusal of Kubernetes itself: does a proxy or firewall stand before ${connection.server}?`] : [];
}

function suggestionsFor(reason: ClusterErrorReason, message: string, context: AnswerContext, answer: Answer | undefined): readonly string[] {
  if (reason === 'Unauthorized') {
    return [`the credentials of ${userText(context.connection)} are missing, expired or from another cluster: log in again, or check \`kubectl config view --minify\``];
  }
  if (reason === 'Forbidden') return forbiddenSuggestions(message, context);
  if (reason === 'Expired' || reason === 'Gone') return ['the list changed faster than it could be read: run the command again, or with --chunk-size=0'];
  if (reason !== 'TooManyRequests' && reason !== 'ServiceUnavailable' && reason !== 'InternalError') return [];
  const asked = retryAfterSeconds(answer?.headers['retry-after']);
  const tried = answer === undefined || answer.tries <= 1 ? '' : `tried ${answer.tries} times; `;
  return [`${tried}${asked === null || asked === 0 ? 'try again later' : `the server asks to wait ${asked} s before the next try`}`];
}

function userText(connection: Connection): string {
  return connection.userName === null ? 'this user' : `the user "${connection.userName}"`;
}

/** Says which right is missing and what grants it. Nodes belong to no namespace, so a Role and a RoleBinding do not help. */
function forbiddenSuggestions(message: string, { attempt }: AnswerContext): readonly string[] {
  if (attempt === undefined || !/ cannot |is forbidden: User/.test(message)) return [];
  const user = / *User "([^"]+)" cannot /.exec(message)?.[1];
  const role = `kubectl-win-${attempt.resource.replaceAll('/', '-')}`;
  const subject = user === undefined ? '--user=USER' : user.startsWith('system:serviceaccount:') ? `--serviceaccount=${user.split(':').slice(2).join(':')}` : `--user=${user}`;
  const clusterWide = attempt.namespace === undefined;
  return [
    `missing right: verb "${attempt.verb}" on "${qualified(attempt)}"${clusterWide ? ' for the whole cluster (a ClusterRole with a ClusterRoleBinding; a RoleBinding is not enough)' : ` in the namespace "${attempt.namespace}"`}`,
    ...(attempt.verb === 'list' && attempt.name === undefined ? ['where only some objects are allowed (resourceNames), name them: they are then read one by one'] : []),
    `ask an administrator for this role:\n${clusterRoleFor([attempt], role)}`,
    `and for the binding: kubectl create ${clusterWide ? 'clusterrolebinding' : `rolebinding -n ${attempt.namespace}`} ${role} --clusterrole=${role} ${subject}`,
  ];
}

function looksLikeHtml(contentType: string | undefined, text: string): boolean {
  return /^text\/html/i.test(contentType ?? '') || /^\s*<(!doctype html|html|head|body)/i.test(text);
}

function htmlError(answer: Answer, context: AnswerContext, text: string): ClusterError {
  const title = /<title[^>]*>([^<]{1,120})/i.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim();
  return new ClusterError(
    `the server answered with HTML; is a proxy or login page in the way? (${attemptText(context)} at ${authorityOf(context.connection.server)}: status ${answer.status}${title === undefined || title === '' ? '' : `, title ${JSON.stringify(title)}`})`,
    {
      reason: 'NotKubernetes',
      status: answer.status,
      ...(context.attempt === undefined ? {} : { attempt: context.attempt }),
      suggestions: [`the address asked was ${context.connection.server}: open it in a browser, log in to the network, or check HTTPS_PROXY, NO_PROXY and the server of the kubeconfig`],
    },
  );
}

function redirectError(answer: Answer, context: AnswerContext): ClusterError {
  const { status, headers } = answer;
  // A query of a login page holds nonces and sometimes tokens.
  const location = headers.location?.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
  const what = location === undefined
    ? `status ${status}${STATUS_CODES[status] === undefined ? '' : ` (${STATUS_CODES[status]})`} and no Location, which an API server does not do; is a proxy, cache or login page in the way?`
    : `a redirect to ${location} (status ${status}), which is not followed because it could give the credentials away; is a proxy or login page in the way?`;
  return new ClusterError(`the server answered ${attemptText(context)} with ${what}`, {
    reason: 'NotKubernetes',
    status: answer.status,
    ...(context.attempt === undefined ? {} : { attempt: context.attempt }),
    suggestions: [`check the server of the kubeconfig: ${context.connection.server}`],
  });
}

function notJsonError(answer: Answer, context: AnswerContext, text: string, cause: unknown): ClusterError {
  const cut = /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text);
  const what = cut ? `JSON that was cut short after ${answer.body.length} bytes` : text.trim() === '' ? 'an empty body' : `something that is not JSON (${JSON.stringify(text.trim().slice(0, 80))})`;
  return unreadableError(answer, context, { what, isCut: cut, cause });
}

/** The error for a body that cannot be read; one that was cut short may be whole at the next try. */
function unreadableError(answer: Answer, context: AnswerContext, { what, isCut, cause }: { readonly what: string; readonly isCut: boolean; readonly cause: unknown }): ClusterError {
  return new ClusterError(`the server ${authorityOf(context.connection.server)} answered ${attemptText(context)} with ${what}`, {
    reason: isCut ? 'ConnectionLost' : 'NotKubernetes',
    status: answer.status,
    cause,
    ...(context.attempt === undefined ? {} : { attempt: context.attempt }),
    suggestions: [isCut ? 'try again; a proxy or load balancer on the way may limit the size of answers (a smaller --chunk-size helps)' : `check the server of the kubeconfig: ${context.connection.server}`],
  });
}
