/** Errors of exec and attach: what the server said instead of 101, and what the error channel said instead of an exit code. */
import { ClusterError } from '../../../errors.ts';
import { apiError, statusError, type AnswerContext, type Attempt } from '../api/api-error.ts';
import type { Connection } from '../connection.ts';
import type { Answer } from '../../http/transport.ts';
import type { RemoteFailureStatus } from './remote-status.ts';

/**
 * The server, or something on the way to it, does not speak WebSockets with v5.channel.k8s.io. A caller that has kubectl
 * may fall back to `kubectl exec`, which also speaks SPDY.
 */
export class WebSocketUnsupportedError extends ClusterError {
  constructor(attempt: Attempt, answer: string, status?: number) {
    super(`unable to open a WebSocket ${attempt.name === undefined ? 'to the API server' : `for ${attempt.resource} of pod ${attempt.namespace}/${attempt.name}`}: ${answer}`, {
      reason: 'UpgradeRefused',
      attempt,
      ...(status === undefined ? {} : { status }),
      suggestions: [
        'the API server has to be Kubernetes 1.30 or newer: kubectl version',
        'proxies and load balancers on the way have to let WebSockets pass (Connection: Upgrade)',
        'kubectl exec may still work: it can fall back to SPDY, which this program does not speak',
      ],
    });
  }
}

/** What to throw for an answer that is not 101. */
export function upgradeRefusal(answer: Answer, connection: Connection, attempt: Attempt): ClusterError {
  const error = apiError(answer, { connection, method: 'GET', attempt });
  const text = answer.body.toString('utf8');
  const hasStatus = /"kind"\s*:\s*"Status"/.test(text);
  // The API server's own words for a request whose Upgrade header was lost on the way (v1.37.2, seen 2026-11-30).
  if (hasStatus && answer.status === 400 && /upgrade request required/i.test(error.message)) return new WebSocketUnsupportedError(attempt, 'the answer was HTTP 400: Upgrade request required', answer.status);
  if (hasStatus) return error.reason === 'Forbidden' ? withBothVerbs(error, attempt) : error;
  // A redirect, a login page, missing credentials, a server in trouble: nothing that concerns WebSockets.
  if (error.reason === 'Unauthorized' || (answer.status >= 300 && answer.status < 400) || (answer.status < 300 && error.reason === 'NotKubernetes') || answer.status === 429 || answer.status >= 500) return error;
  // Servers before 1.30 hand the upgrade on to a runtime that does not know v5; it answers 400 or 403 with little or no text.
  const said = error.reason === 'NotKubernetes' ? `: an HTML page${titleOf(text)}` : text.trim() === '' ? ' without a reason' : `: ${text.trim().slice(0, 200)}`;
  return new WebSocketUnsupportedError(attempt, `the answer was HTTP ${answer.status}${said}`, answer.status);
}

/** What to throw for a Failure on the error channel that is no exit code. kubectl prints its message behind `error: ` as well. */
export function remoteFailure(status: RemoteFailureStatus, context: AnswerContext): ClusterError {
  const error = statusError(status, context);
  const message = status.message === '' ? `the server reported a failure without a message${status.reason === '' ? '' : ` (${status.reason})`}` : status.message;
  return new ClusterError(message, {
    reason: error.reason,
    ...(status.code === null ? {} : { status: status.code }),
    ...(context.attempt === undefined ? {} : { attempt: context.attempt }),
    details: status.details,
  });
}

/**
 * Over a WebSocket the request is a GET, for which RBAC asks for `get`; since 1.35 the API server asks for `create` too.
 * Whoever grants only the one that is named meets the next refusal.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets (Synthetic RBAC CREATE), read 2026-11-30.
 */
function withBothVerbs(error: ClusterError, attempt: Attempt): ClusterError {
  const denied = / *User "([^"]+)" cannot (\w+) resource/.exec(error.message);
  // When `create` is the missing one, v1.37.2 gives no reason at all: `pods "web" is forbidden: ` (seen 2026-11-30).
  const isBare = /is forbidden:? *$/.test(error.message);
  if (denied === null && !isBare) return error;
  const [, user = '', verb = 'create'] = denied ?? [];
  const role = `kubectl-win-${attempt.resource.replaceAll('/', '-')}`;
  return new ClusterError(isBare ? `${error.message.replace(/:? *$/, '')}: the server gave no reason, which is how it refuses the verb "create" on "${attempt.resource}"` : error.message, {
    reason: error.reason,
    ...(error.status === null ? {} : { status: error.status }),
    attempt: { ...attempt, verb },
    details: error.details,
    suggestions: [
      `missing right: verb "${verb}" on "${attempt.resource}" in the namespace "${attempt.namespace}"; "get" and "create" are both needed (since Kubernetes 1.35)`,
      `ask an administrator for: kubectl create role ${role} -n ${attempt.namespace} --verb=get,create --resource=${attempt.resource}`,
      `and for: kubectl create rolebinding ${role} -n ${attempt.namespace} --role=${role} ${subjectFlag(user)}`,
    ],
  });
}

function subjectFlag(user: string): string {
  if (user === '') return '--user=USER';
  if (user.startsWith('system:serviceaccount:')) return `--serviceaccount=${user.split(':').slice(2).join(':')}`;
  return `--user='${user.replaceAll("'", "'\\''")}'`;
}

function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]{1,120})/i.exec(html)?.[1]?.replaceAll(/\s+/g, ' ').trim();
  return title === undefined || title === '' ? '' : ` with the title ${JSON.stringify(title)}`;
}
