/** YYYY-MM of the newest second Tuesday, on which Microsoft publishes the monthly updates (https://learn.microsoft.com/windows/deployment/update/release-cycle, read 2026-11-30). */
export function lastUpdateMonth(asOf: Date): string {
  const year = asOf.getUTCFullYear();
  const month = asOf.getUTCMonth();
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  const secondTuesday = ((2 - first + 7) % 7) + 8;
  return new Date(Date.UTC(year, asOf.getUTCDate() >= secondTuesday ? month : month - 1, 1)).toISOString().slice(0, 7);
}
