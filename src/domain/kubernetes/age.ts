/**
 * kubectl's AGE: the time since an RFC 3339 timestamp, in at most two units. `<invalid>` for a time that lies more
 * than two seconds ahead, `<unknown>` for text that is no time.
 * Steps of k8s.io/apimachinery/pkg/util/duration HumanDuration
 * (https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/util/duration/duration.go, read 2026-11-30).
 */
export function formatAge(timestamp: string, now: Date): string {
  const then = Date.parse(timestamp);
  if (Number.isNaN(then)) return '<unknown>';
  const seconds = Math.trunc((now.getTime() - then) / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60 * 2) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 24 * 8) return twoUnits(Math.trunc(hours / 24), 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${Math.trunc(hours / 24)}d`;
  const years = Math.trunc(hours / 24 / 365);
  if (hours < 24 * 365 * 8) return twoUnits(years, 'y', Math.trunc(hours / 24) % 365, 'd');
  return `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
