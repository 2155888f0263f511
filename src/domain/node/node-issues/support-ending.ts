import { daysUntil } from '../../windows/support-dates.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';
import { supportEnds } from './past-support.ts';

const SOON_DAYS = 180;

/** Still supported, but mainstream support is over or the end is near. */
export const supportEnding = {
  id: 'support-ending',
  facts: ['NOD-002'],
  severity: 'info',
  reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info',
  check(subject) {
    const { release, asOf } = subject;
    const ends = supportEnds(subject);
    if (release === null || ends.some((end) => end.past)) return null;
    const mainstreamOver = daysUntil(release.mainstreamEnd, asOf) < 0;
    if (!mainstreamOver && !ends.some((end) => end.days < SOON_DAYS)) return null;
    const mainstream = mainstreamOver ? [`mainstream support ended on ${release.mainstreamEnd}`] : [];
    return {
      message: `${release.product}: ${[...mainstream, ...ends.map((end) => end.text)].join('; ')}`,
      remedy: 'plan the move to a newer release',
      reference: release.source,
    };
  },
} as const satisfies NodeIssueKind;
