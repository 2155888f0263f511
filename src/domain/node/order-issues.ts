import type { NodeIssue } from './windows-node.ts';

const RANK = { error: 0, warning: 1, info: 2 } as const satisfies Readonly<Record<NodeIssue['severity'], number>>;

/** Negative when the first is worse. */
export function compareSeverity(a: Pick<NodeIssue, 'severity'>, b: Pick<NodeIssue, 'severity'>): number {
  return RANK[a.severity] - RANK[b.severity];
}

/** Worst first, else as found. */
export function bySeverity<Issue extends Pick<NodeIssue, 'severity'>>(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted(compareSeverity);
}
