import { UsageError } from '../errors.ts';

/** Milliseconds per unit of a Go duration: https://pkg.go.dev/time#ParseDuration, read 2026-11-30 */
const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, 'µs': 1e-3, 'μs': 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a Go duration (`90s`, `1m30s`, `1.5h`) or of plain seconds (`30`), as --request-timeout takes them; null when it is neither or negative. */
export function parseDuration(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN);
  }
  return Number.isFinite(total) ? total : null;
}

/** Seconds of a flag that becomes a deadline of the cluster: activeDeadlineSeconds counts whole ones, in 32 bits. */
export function secondsOf(text: string, flag: string): number {
  const milliseconds = parseDuration(text) ?? 0;
  const seconds = Math.ceil(milliseconds / 1000);
  if (milliseconds < 1000 || seconds > 7 * 86_400) throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--${flag}" flag: must be from 1s to 168h`);
  return seconds;
}
