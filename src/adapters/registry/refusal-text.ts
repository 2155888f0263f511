/** What a registry says of its refusal, made fit for a message. */
import { isRecord } from '../../domain/kubernetes/object.ts';

const LONGEST = 160;
/** Fewer characters of a secret are a part of an ordinary word sooner than the secret: they count where they stand alone. */
const SHORTEST_ANYWHERE = 8;

/**
 * `code: message` of the first error in a registry's body (https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#error-codes,
 * read 2026-11-30), or what token servers write instead: `details` (Docker Hub), `error_description` (OAuth), `message`, `error`.
 * Null for a body that is none of these.
 */
export function refusalText(body: Buffer, secrets: Iterable<string>): string | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body.subarray(0, 64 * 1024).toString('utf8'));
  } catch {
    return null;
  }
  if (!isRecord(answer)) return null;
  const first: unknown = Array.isArray(answer['errors']) ? answer['errors'][0] : undefined;
  const source = isRecord(first) ? first : answer;
  const code = textOf(source['code']).toLowerCase().replaceAll('_', ' ');
  const message = ['message', 'details', 'error_description', 'error'].map((key) => textOf(source[key])).find((text) => text !== '') ?? '';
  const text = code === '' || message.toLowerCase().startsWith(code) ? message : message === '' ? code : `${code}: ${message}`;
  const shown = shortened(masked(withoutControls(text), secrets)).trim().replace(/[.\s]+$/, '');
  return shown === '' ? null : shown;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Control characters could move the cursor or colour what follows; a line break would make two lines of one clause. */
function withoutControls(text: string): string {
  // Format characters (Cf) turn the direction of what is written after them.
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\s+/g, ' ');
}

/** The known secrets, and whatever looks like a token. */
export function masked(text: string, secrets: Iterable<string>): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_ANYWHERE) result = result.replaceAll(secret, '<masked>');
    else if (secret !== '' && result.includes(secret)) result = result.replaceAll(new RegExp(String.raw`(?<![A-Za-z0-9])${escaped(secret)}(?![A-Za-z0-9])`, 'g'), '<masked>');
  }
  return result
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{20,}/gi, '$1 <masked>')
    .replaceAll(/\beyJ[\w-]{8,}(?:\.[\w-]+)*/g, '<masked>');
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : text;
}

function escaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`);
}
