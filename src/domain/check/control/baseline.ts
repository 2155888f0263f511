import { isRecord, stringAt } from '../../kubernetes/object.ts';

/** apiVersion of the CheckReports that this program writes, and takes for a baseline: another version may tell findings apart by something else. */
export const CHECK_REPORT_VERSION = 'kubectl-win/v1alpha1';

/** Findings of an earlier run, by what makes a finding the same. */
export interface Baseline {
  has(fingerprint: string): boolean;
  readonly size: number;
}

/**
 * Reads the findings and suppressed findings of a CheckReport document. A string says what is wrong with the document.
 * Each finding carries its fingerprint.
 */
export function readBaseline(document: unknown): Baseline | string {
  if (!isRecord(document) || stringAt(document, 'kind') !== 'CheckReport') return 'is no CheckReport: write one with kubectl win check … --output-file json=FILE';
  const { apiVersion, findings, suppressed } = document;
  if (apiVersion !== CHECK_REPORT_VERSION) {
    const version = typeof apiVersion === 'string' && apiVersion !== '' ? `of ${apiVersion.slice(0, 100)}` : 'without an apiVersion';
    return `is a CheckReport ${version}, and this kubectl win reads those of ${CHECK_REPORT_VERSION}: write it anew with kubectl win check … --output-file json=FILE`;
  }
  if (!Array.isArray(findings)) return 'is a CheckReport without findings';
  const fingerprints = new Set<string>();
  for (const [what, list, above] of [['finding', findings, []], ['suppressed finding', Array.isArray(suppressed) ? suppressed : [], ['finding']]] as const) {
    for (const [index, finding] of list.entries()) {
      const fingerprint = stringAt(finding, ...above, 'fingerprint');
      if (fingerprint === undefined) return `holds a ${what} (number ${index + 1}) without a fingerprint`;
      fingerprints.add(fingerprint);
    }
  }
  return fingerprints;
}
