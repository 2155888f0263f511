/** setTimeout fires at once for more than this (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args, read 2026-11-30): 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds that a timer can have. */
export function timerMs(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER_MS);
}
