/** Statuses of registries and token servers as failures. */
import { STATUS_CODES } from 'node:http';
import type { RegistryFailureReason } from '../../app/ports.ts';
import { retryAfterSeconds, type Answer } from '../http/transport.ts';
import { cloudLogin } from './cloud-login.ts';
import { TOO_MANY } from './host-connection.ts';
import { refusalText } from './refusal-text.ts';
import { formatSeconds, registryError, type FailureSubject, type RegistryError } from './registry-error.ts';
import type { Secrets } from './secrets.ts';

/** The failure that an answer other than 2xx stands for, in one clause with the server's own words. `who`: that answered in the place of the host, `its token server auth.example`. */
export function answerError(subject: FailureSubject, answer: Answer, secrets: Secrets, who?: string): RegistryError {
  const { status } = answer;
  const isToken = who !== undefined;
  // That a token server is not where the registry says tells nothing of the image.
  const reason = isToken && reasonOf(status) === 'NotFound' ? 'Unauthorized' : reasonOf(status);
  const text = refusalText(answer.body, secrets);
  const wait = status === 429 ? retryAfterSeconds(answer.headers['retry-after']) : null;
  const words = [...(text === null ? [] : [text]), ...(wait === null ? [] : [`to be asked again in ${formatSeconds(wait)}`])];
  const name = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  return registryError(subject, reason, `${isToken ? `got no token: ${who} ` : ''}answered ${name}${words.length === 0 ? '' : ` (${words.join('; ')})`}`, suggestionsFor(reason, subject));
}

function reasonOf(status: number): RegistryFailureReason {
  if (status === 401) return 'Unauthorized';
  if (status === 402 || status === 403 || status === 451) return 'Forbidden';
  if (status === 404 || status === 410) return 'NotFound';
  if (status === 429) return 'TooManyRequests';
  return status >= 500 || status === 408 ? 'ServerError' : 'Malformed';
}

/** Credential providers of the kubelet: https://kubernetes.io/docs/tasks/administer-cluster/kubelet-credential-provider/, read 2026-11-30. */
const NODE_IDENTITY = 'nodes may pull it with an identity of their own, which is not known here: this tells nothing of them';

function suggestionsFor(reason: RegistryFailureReason, { asked }: FailureSubject): readonly string[] {
  if (reason === 'Unauthorized' || reason === 'Forbidden') {
    const cloud = cloudLogin(asked);
    return [`log in with \`${cloud ?? `docker login ${asked}`}\`, or use credentials that may pull it`, ...(cloud === null ? [] : [NODE_IDENTITY])];
  }
  if (reason === 'NotFound') return ['check the name and the tag; many registries say so, too, to those who may not see the image'];
  if (reason === 'TooManyRequests') return TOO_MANY;
  return reason === 'ServerError' ? ['try again later'] : [];
}
