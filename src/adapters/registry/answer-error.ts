/** Statuses of registries and token servers as failures. */
import { STATUS_CODES } from 'node:http';
import type { RegistryFailureReason } from '../../app/ports.ts';
import { retryAfterSeconds, type Answer } from '../http/transport.ts';
import { TOO_MANY } from './host-connection.ts';
import { refusalText } from './refusal-text.ts';
import { formatSeconds, registryError, type FailureSubject, type RegistryError } from './registry-error.ts';

/** The failure that an answer other than 2xx stands for, in one clause with the server's own words. `who`: other than the host itself. */
export function answerError(subject: FailureSubject, answer: Answer, secrets: Iterable<string>, who?: string): RegistryError {
  const { status } = answer;
  const reason = reasonOf(status);
  const text = refusalText(answer.body, secrets);
  const wait = status === 429 ? retryAfterSeconds(answer.headers['retry-after']) : null;
  const words = [...(text === null ? [] : [text]), ...(wait === null ? [] : [`to be asked again in ${formatSeconds(wait)}`])];
  const name = `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const isToken = who !== undefined;
  return registryError(isToken ? { ...subject, asked: subject.registry } : subject, reason, `${isToken ? `got no token: ${who} ` : ''}answered ${name}${words.length === 0 ? '' : ` (${words.join('; ')})`}`, suggestionsFor(reason, subject));
}

function reasonOf(status: number): RegistryFailureReason {
  if (status === 401) return 'Unauthorized';
  if (status === 402 || status === 403 || status === 451) return 'Forbidden';
  if (status === 404 || status === 410) return 'NotFound';
  if (status === 429) return 'TooManyRequests';
  return status >= 500 || status === 408 ? 'ServerError' : 'Malformed';
}

function suggestionsFor(reason: RegistryFailureReason, { asked }: FailureSubject): readonly string[] {
  if (reason === 'Unauthorized' || reason === 'Forbidden') return [`log in with \`docker login ${asked}\`, or use credentials that may pull it`];
  if (reason === 'NotFound') return ['check the name and the tag; many registries say so, too, to those who may not see the image'];
  if (reason === 'TooManyRequests') return TOO_MANY;
  return reason === 'ServerError' ? ['try again later'] : [];
}
