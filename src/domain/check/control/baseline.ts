import { isRecord, stringAt } from '../../kubernetes/object.ts';

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
  const { findings, suppressed } = document;
  if (!Array.isArray(findings)) return 'is a CheckReport without findings';
  const fingerprints = new Set<string>();
  for (const [what, list] of [['finding', findings], ['suppressed finding', Array.isArray(suppressed) ? suppressed : []]] as const) {
    for (const [index, finding] of list.entries()) {
      const fingerprint = stringAt(finding, 'fingerprint');
      if (fingerprint === undefined) return `holds a ${what} (number ${index + 1}) without a fingerprint`;
      fingerprints.add(fingerprint);
    }
  }
  return fingerprints;
}
