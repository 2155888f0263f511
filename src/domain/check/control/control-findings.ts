import { compareSeverity, type Severity } from '../../severity.ts';
import type { Finding, SuppressedFinding } from '../finding.ts';
import type { Baseline } from './baseline.ts';
import { fingerprintOf } from './fingerprint.ts';
import { suppressionOf, voidSuppressionOf, type Suppressions } from './suppress.ts';

/** What decides which findings are shown, and how they are graded. */
export interface FindingControl {
  /** Severity by rule id, in place of the finding's own. */
  readonly severities: ReadonlyMap<string, Severity>;
  /** Findings below it are left out, and not counted. */
  readonly minSeverity: Severity;
  readonly baseline: Baseline | null;
}

/**
 * Splits findings of one object into those that stand and those that are suppressed; the order is kept.
 * `identify` says what makes a finding the same as one of the baseline.
 */
export function controlFindings(findings: readonly Finding[], suppressions: Suppressions, control: FindingControl, identify: (finding: Finding) => string = fingerprintOf): { readonly standing: readonly Finding[]; readonly suppressed: readonly SuppressedFinding[] } {
  const standing: Finding[] = [];
  const suppressed: SuppressedFinding[] = [];
  for (const found of findings) {
    const severity = control.severities.get(found.rule) ?? found.severity;
    if (compareSeverity({ severity }, { severity: control.minSeverity }) > 0) continue;
    const reason = suppressionOf(found, suppressions);
    const notHeeded = reason === null ? voidSuppressionOf(found, suppressions) : null;
    const finding: Finding = severity === found.severity && notHeeded === null ? found : { ...found, severity, evidence: notHeeded === null ? found.evidence : [...found.evidence, notHeeded] };
    if (reason !== null) suppressed.push({ finding, by: 'annotation', reason });
    else if (control.baseline?.has(identify(finding)) === true) suppressed.push({ finding, by: 'baseline', reason: 'in the baseline' });
    else standing.push(finding);
  }
  return { standing, suppressed };
}
