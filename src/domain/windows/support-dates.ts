const DAY_MS = 86_400_000;

/** `2026-11-30` of a point in time, in UTC. */
export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Whole days from the day of `asOf` (UTC) to an ISO day; 0 on the day itself, negative when it is past. */
export function daysUntil(day: string, asOf: Date): number {
  const last = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)));
  return last / DAY_MS - Math.floor(asOf.getTime() / DAY_MS);
}

/** Whether a text is a day that exists, written YYYY-MM-DD: what tables and overrides must hold. */
export function isIsoDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(time) && isoDay(new Date(time)) === text;
}
