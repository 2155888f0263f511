/** What a registry says of its refusal, made fit for a message. */
import { isRecord } from '../../domain/kubernetes/object.ts';
import { serverText } from '../http/server-text.ts';
import type { Secrets } from './secrets.ts';

const LONGEST = 160;

/**
 * `code: message` of the first error in a registry's body (https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#error-codes,
 * read 2026-11-30), or what token servers write instead: `details` (Docker Hub), `error_description` (OAuth), `message`, `error`.
 * Null for a body that is none of these.
 */
export function refusalText(body: Buffer, secrets: Secrets): string | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body.subarray(0, 64 * 1024).toString('utf8'));
  } catch {
    return null;
  }
  if (!isRecord(answer)) return null;
  const first: unknown = Array.isArray(answer['errors']) ? answer['errors'][0] : undefined;
  const source = isRecord(first) ? first : answer;
  const textOf = (key: string): string => (typeof source[key] === 'string' ? secrets.masked(source[key]) : '');
  const code = textOf('code').toLowerCase().replaceAll('_', ' ');
  const message = ['message', 'details', 'error_description', 'error'].map(textOf).find((text) => text !== '') ?? '';
  const text = code === '' || message.toLowerCase().startsWith(code) ? message : message === '' ? code : `${code}: ${message}`;
  const shown = serverText(text, LONGEST).trim().replace(/[.\s]+$/, '');
  return shown === '' ? null : shown;
}
