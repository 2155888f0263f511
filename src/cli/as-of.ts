import { UsageError } from '../errors.ts';

/** The day of --as-of: `YYYY-MM-DD` (start of that day, UTC) or an RFC 3339 time. */
export function parseAsOf(text: string): Date {
  const match = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const date = match === null ? null : new Date(match[4] === undefined ? `${text}T00:00:00Z` : text);
  // Date turns 2026-02-30 into March; a day that does not exist is a typing error
  const isRealDay = match !== null && new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]))).toISOString().startsWith(`${match[1]}-${match[2]}-${match[3]}`);
  if (date === null || Number.isNaN(date.getTime()) || !isRealDay) {
    throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--as-of" flag: must be a day as YYYY-MM-DD`);
  }
  return date;
}
