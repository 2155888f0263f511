import { lastDayOf } from '../../windows/releases.ts';
import { daysUntil } from '../../windows/support-dates.ts';
import type { NodeIssueKind, NodeSubject } from './node-issue-kind.ts';
import { providerName } from './provider-limit.ts';

/** Microsoft or the provider supports the release no more. */
export const pastSupport = {
  id: 'past-support',
  facts: ['NOD-002'],
  severity: 'warning',
  reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info',
  check(subject) {
    const { release, node } = subject;
    const ends = supportEnds(subject);
    const past = ends.filter((end) => end.past);
    const [first] = past;
    if (release === null || first === undefined) return null;
    const onlyProvider = past.every((end) => end.by === 'provider');
    return {
      message: `${productAndChannel(release)}: ${[...past, ...ends.filter((end) => !end.past)].map((end) => end.text).join('; ')}`,
      remedy: onlyProvider ? `plan the move to a release that ${providerName(node.provider)} supports` : 'plan the move to a supported release',
      ...(first.reference === null ? {} : { reference: first.reference }),
    };
  },
} as const satisfies NodeIssueKind;

interface SupportEnd {
  readonly by: 'microsoft' | 'provider';
  readonly text: string;
  readonly past: boolean;
  /** Days to the day that is named; negative when past. */
  readonly days: number;
  /** Page that says so; null when the user's configuration does. */
  readonly reference: string | null;
}

/** Each end of support that is known for the node, Microsoft's first. */
export function supportEnds({ node, release, limits, asOf }: NodeSubject): readonly SupportEnd[] {
  const ends: SupportEnd[] = [];
  if (release !== null) {
    const last = lastDayOf(release);
    const days = daysUntil(last, asOf);
    const verb = days < 0 ? 'ended' : 'ends';
    const text = release.lastDayConfigured ? `support ${verb} on ${last} by the configuration (${daysText(days)})` : `Microsoft's support ${verb} on ${last} (${daysText(days)})`;
    ends.push({ by: 'microsoft', days, past: days < 0, text, reference: release.lastDayConfigured ? null : release.source });
  }
  if (limits !== null && limits.end !== null) {
    // Providers name the first day without support, Microsoft the last day with it.
    const days = daysUntil(limits.end, asOf);
    const removed = limits.imagesRemoved === null ? '' : `, its node images ${daysUntil(limits.imagesRemoved, asOf) <= 0 ? 'went' : 'go'} on ${limits.imagesRemoved}`;
    const configured = limits.configured.includes('end');
    const by = configured ? ' by the configuration' : '';
    const when = days === 0 ? 'today, the first day without its support' : daysText(days);
    ends.push({ by: 'provider', days, past: days <= 0, text: `${providerName(node.provider)} ${days <= 0 ? 'retired' : 'retires'} it on ${limits.end}${by} (${when})${removed}`, reference: configured ? null : limits.source });
  }
  return ends;
}

/** `Windows Server, version 2004 (Semi-Annual Channel)`; the channel goes without saying for LTSC. */
function productAndChannel(release: { readonly product: string; readonly channel: string }): string {
  const channels: Readonly<Record<string, string>> = { SAC: 'Semi-Annual Channel', AC: 'Annual Channel' };
  const channel = channels[release.channel];
  return channel === undefined ? release.product : `${release.product} (${channel})`;
}

function daysText(days: number): string {
  if (days === 0) return 'today';
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return days < 0 ? `${count} ago` : `in ${count}`;
}
