import type { IncomingHttpHeaders } from 'node:http';
import { formatAge } from '../../domain/kubernetes/age.ts';

/** Less is usual between machines without a common clock, and spoils nothing that is shown in minutes. */
const TOLERATED_MILLISECONDS = 60_000;
/** The Date header has no fractions (https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1, read 2026-11-30). */
const DATE_RESOLUTION_MILLISECONDS = 1000;

/**
 * What to say when this machine's clock and the server's differ by more than a minute; null when they agree, or when the
 * answer cannot tell: it comes from a cache (Age), is not the API server's (no JSON), or has no date.
 */
export function clockSkewWarning(server: string, headers: IncomingHttpHeaders, sentAt: Date, receivedAt: Date): string | null {
  const date = Date.parse(headers.date ?? '');
  if (Number.isNaN(date) || headers.age !== undefined || !/^application\/json\b/i.test(headers['content-type'] ?? '')) return null;
  // The answer was made at some time between the two: only what lies outside counts.
  const ahead = sentAt.getTime() - (date + DATE_RESOLUTION_MILLISECONDS);
  const behind = date - receivedAt.getTime();
  const difference = Math.max(ahead, behind);
  if (difference <= TOLERATED_MILLISECONDS) return null;
  const span = formatAge(new Date(0).toISOString(), new Date(difference));
  return `the clock of this machine is ${span} ${ahead > 0 ? 'ahead of' : 'behind'} that of the server ${server}: ages, and whether certificates and tokens have expired, are judged by this machine's`;
}
