/** How bad a finding or an issue is: worst first. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;

export type Severity = (typeof SEVERITIES)[number];

interface Graded {
  readonly severity: Severity;
}

const RANK = { error: 0, warning: 1, info: 2 } as const satisfies Readonly<Record<Severity, number>>;

/** Negative when the first is worse. */
export function compareSeverity(a: Graded, b: Graded): number {
  return RANK[a.severity] - RANK[b.severity];
}

/** Worst first, else as found. */
export function bySeverity<Of extends Graded>(graded: readonly Of[]): readonly Of[] {
  return graded.toSorted(compareSeverity);
}
