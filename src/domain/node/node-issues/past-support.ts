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
    const ends = supportEnds(subject);
    if (subject.release === null || !ends.some((end) => end.past)) return null;
    return {
      message: `${productAndChannel(subject.release)}: ${[...ends.filter((end) => end.past), ...ends.filter((end) => !end.past)].map((end) => end.text).join('; ')}`,
      remedy: 'plan the move to a supported release',
      reference: subject.release.source,
    };
  },
} as const satisfies NodeIssueKind;

interface SupportEnd {
  readonly text: string;
  readonly past: boolean;
  /** Days to the last day of support; negative when past. */
  readonly days: number;
}

/** Each end of support that is known for the node, Microsoft's first. */
export function supportEnds({ node, release, limits, asOf }: NodeSubject): readonly SupportEnd[] {
  const ends: SupportEnd[] = [];
  if (release !== null) {
    const last = lastDayOf(release);
    const days = daysUntil(last, asOf);
    ends.push({ days, past: days < 0, text: `Microsoft's support ${days < 0 ? 'ended' : 'ends'} on ${last} (${daysText(days)})` });
  }
  if (limits !== null && limits.end !== null) {
    // Providers name the day from which a release is not supported, Microsoft the last day on which it is.
    const days = daysUntil(limits.end, asOf);
    const removed = limits.imagesRemoved === null ? '' : `, its node images ${daysUntil(limits.imagesRemoved, asOf) <= 0 ? 'went' : 'go'} on ${limits.imagesRemoved}`;
    ends.push({ days, past: days <= 0, text: `${providerName(node.provider)} ${days <= 0 ? 'retired' : 'retires'} it on ${limits.end} (${daysText(days)})${removed}` });
  }
  return ends;
}

/** `Windows Server, version 2004 (SAC)`; the channel goes without saying for LTSC. */
function productAndChannel(release: { readonly product: string; readonly channel: string }): string {
  const channels: Readonly<Record<string, string>> = { SAC: 'Semi-Annual Channel', AC: 'Annual Channel' };
  const channel = channels[release.channel];
  return channel === undefined ? release.product : `${release.product} (${channel})`;
}

function daysText(days: number): string {
  if (days === 0) return 'today';
  return days < 0 ? `${-days} days ago` : `in ${days} days`;
}
