/**
 * A `metav1.MicroTime`: six digits behind the second. Leases and events of events.k8s.io refuse the three that
 * Date.toISOString writes (https://github.com/kubernetes/kubernetes/issues/141204, read 2026-11-30).
 */
export function microTime(date: Date): string {
  return date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}
