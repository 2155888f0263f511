import { daysUntil } from '../../windows/support-dates.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';
import { supportEnds } from './past-support.ts';
import { providerName } from './provider-limit.ts';

export const SOON_DAYS = 180;

/** Still supported, but mainstream support is over or the end is near. */
export const supportEnding = {
  id: 'support-ending',
  facts: ['NOD-002'],
  severity: 'info',
  reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info',
  check(subject) {
    const { release, asOf, node } = subject;
    const ends = supportEnds(subject);
    if (release === null || ends.some((end) => end.past)) return null;
    const mainstreamOver = daysUntil(release.mainstreamEnd, asOf) < 0;
    const soon = ends.filter((end) => end.days < SOON_DAYS);
    if (!mainstreamOver && soon.length === 0) return null;
    const mainstream = mainstreamOver ? [`mainstream support ended on ${release.mainstreamEnd}${release.mainstreamConfigured ? ' by the configuration' : ''}`] : [];
    // Whose end comes first is whose page people have to read; mainstream support is Microsoft's.
    const [first] = [...ends].toSorted((a, b) => a.days - b.days);
    const byProvider = first?.by === 'provider' && (soon.includes(first) || !mainstreamOver);
    const reference = byProvider ? first.reference : release.lastDayConfigured && release.mainstreamConfigured ? null : release.source;
    return {
      message: `${release.product}: ${[...mainstream, ...ends.map((end) => end.text)].join('; ')}`,
      remedy: byProvider ? `plan the move to a release that ${providerName(node.provider)} supports longer` : 'plan the move to a newer release',
      ...(reference === null ? {} : { reference }),
    };
  },
} as const satisfies NodeIssueKind;
