import type { ClusterIssueKind } from './node-issue-kind.ts';

const TOLERATED_MONTHS = 3;

/** Several monthly updates behind the newest that is known. */
export const patchBehind = {
  id: 'patch-behind',
  facts: ['NOD-006'],
  severity: 'info',
  reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info',
  check({ build, revision, patch }) {
    if (patch.monthsBehind === null || patch.monthsBehind <= TOLERATED_MONTHS) return null;
    const from = patch.newestFrom === 'cluster' ? 'the newest in this cluster' : 'the newest known';
    return {
      message: `revision ${build}.${revision}${patch.month === null ? '' : ` of ${patch.month}`} is ${patch.monthsBehind} monthly updates behind ${build}.${patch.newestRevision}, ${from}`,
      remedy: 'roll out a newer node image, or install the cumulative update',
    };
  },
} as const satisfies ClusterIssueKind;
