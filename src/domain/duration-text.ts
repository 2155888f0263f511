import { formatAge } from './kubernetes/age.ts';

/** How long something took, in kubectl's units: `0.8s`, `3m12s`, `2h5m`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${Number(Math.max(0, seconds).toFixed(1))}s`;
  return formatAge(new Date(0).toISOString(), new Date(seconds * 1000));
}
