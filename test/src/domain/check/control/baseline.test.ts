import assert from 'node:assert/strict';
import { readBaseline } from '../../../../../src/domain/check/control/baseline.ts';

describe('readBaseline', () => {
  it('holds the findings and the suppressed findings of a report', () => {
    const baseline = readBaseline({ apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckReport', findings: [{ fingerprint: 'a' }, { fingerprint: 'b' }, { fingerprint: 'a' }], suppressed: [{ by: 'annotation', reason: 'ok', finding: { fingerprint: 'c' } }] });
    assert.ok(typeof baseline !== 'string');
    assert.equal(baseline.size, 3);
    assert.deepEqual(['a', 'b', 'c', 'd'].map((fingerprint) => baseline.has(fingerprint)), [true, true, true, false]);
  });

  it('takes a report without findings', () => {
    const baseline = readBaseline({ apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckReport', findings: [] });
    assert.ok(typeof baseline !== 'string');
    assert.equal(baseline.size, 0);
  });

  const refused: readonly [string, unknown, RegExp][] = [
    ['another document', { kind: 'WindowsNodeList', items: [] }, /^is no CheckReport: write one with kubectl win check … --output-file json=FILE$/],
    ['a list', [], /^is no CheckReport/],
    ['null', null, /^is no CheckReport/],
    ['a report of another version', { apiVersion: 'kubectl-win/v2', kind: 'CheckReport', findings: [] }, /^is a CheckReport of kubectl-win\/v2, and this kubectl win reads those of kubectl-win\/v1alpha1: write it anew with /],
    ['a report without a version', { kind: 'CheckReport', findings: [] }, /^is a CheckReport without an apiVersion, and this kubectl win reads those of kubectl-win\/v1alpha1/],
    ['a report without a list of findings', { apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckReport', findings: {} }, /^is a CheckReport without findings$/],
    ['a finding without a fingerprint', { apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckReport', findings: [{ fingerprint: 'a' }, { rule: 'sysctls' }] }, /^holds a finding \(number 2\) without a fingerprint$/],
    ['a finding that is none', { apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckReport', findings: [null] }, /number 1/],
    ['a suppressed finding without a fingerprint', { apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckReport', findings: [{ fingerprint: 'a' }], suppressed: [{ finding: {} }] }, /^holds a suppressed finding \(number 1\) without a fingerprint$/],
  ];
  for (const [name, document, message] of refused) {
    it(`refuses ${name}`, () => {
      assert.match(readBaseline(document) as string, message);
    });
  }
});
