import assert from 'node:assert/strict';
import { controlFindings, type FindingControl } from '../../../../../src/domain/check/control/control-findings.ts';
import { fingerprintOf } from '../../../../../src/domain/check/control/fingerprint.ts';
import type { Finding } from '../../../../../src/domain/check/finding.ts';

function finding(rule: string, parts: Partial<Finding> = {}): Finding {
  return {
    rule, facts: ['SEC-004'], severity: 'warning', effect: 'advice', object: { apiVersion: 'v1', kind: 'Pod', namespace: null, name: 'web' }, container: null, path: ['spec'], message: '', nodes: [],
    confidence: 'proven', evidence: ['seen'], remedy: '', reference: 'https://example.com', fix: null, ...parts,
  };
}

const NONE = { reasons: new Map<string, string>(), void: new Map<string, string>() };
const CONTROL: FindingControl = { severities: new Map(), minSeverity: 'info', baseline: null };

describe('controlFindings', () => {
  it('lets everything stand, in its order, untouched', () => {
    const findings = [finding('b'), finding('a', { severity: 'error' })];
    assert.deepEqual(controlFindings(findings, NONE, CONTROL), { standing: findings, suppressed: [] });
  });

  it('leaves findings below the least severity out, without counting them', () => {
    const findings = [finding('a', { severity: 'info' }), finding('b'), finding('c', { severity: 'error' })];
    const { standing, suppressed } = controlFindings(findings, NONE, { ...CONTROL, minSeverity: 'warning' });
    assert.deepEqual([standing.map(({ rule }) => rule), suppressed], [['b', 'c'], []]);
  });

  it('grades by the severity that was asked for before it leaves findings out', () => {
    const { standing } = controlFindings([finding('a', { severity: 'info' }), finding('b', { severity: 'error' })], NONE, { ...CONTROL, minSeverity: 'warning', severities: new Map([['a', 'error'], ['b', 'info']]) });
    assert.deepEqual(standing.map(({ rule, severity }) => [rule, severity]), [['a', 'error']]);
  });

  it('counts what an annotation suppresses, with its reason', () => {
    const { standing, suppressed } = controlFindings([finding('a'), finding('b', { facts: [] })], { ...NONE, reasons: new Map([['sec-004', 'agreed']]) }, CONTROL);
    assert.deepEqual(standing.map(({ rule }) => rule), ['b']);
    assert.deepEqual(suppressed.map(({ finding: { rule }, by, reason }) => [rule, by, reason]), [['a', 'annotation', 'agreed']]);
  });

  it('says on the finding why an annotation was not heeded', () => {
    const { standing } = controlFindings([finding('a')], { ...NONE, void: new Map([['a', 'the annotation gives no reason']]) }, CONTROL);
    assert.deepEqual(standing.map(({ evidence }) => evidence), [['seen', 'the annotation gives no reason']]);
  });

  it('says nothing of an annotation that is not heeded beside one that is', () => {
    const { suppressed } = controlFindings([finding('a')], { reasons: new Map([['a', 'agreed']]), void: new Map([['a', 'the annotation gives no reason']]) }, CONTROL);
    assert.deepEqual(suppressed.map(({ finding: { evidence } }) => evidence), [['seen']]);
  });

  it('suppresses what the baseline has, whatever its severity was', () => {
    const baseline = new Set([fingerprintOf(finding('a'))]);
    const { standing, suppressed } = controlFindings([finding('a', { severity: 'error' }), finding('a', { path: ['metadata'] })], NONE, { ...CONTROL, baseline });
    assert.deepEqual(standing.map(({ path }) => path), [['metadata']]);
    assert.deepEqual(suppressed.map(({ by, reason }) => [by, reason]), [['baseline', 'in the baseline']]);
  });

  it('gives the reason of an annotation before the baseline', () => {
    const baseline = new Set([fingerprintOf(finding('a'))]);
    const { suppressed } = controlFindings([finding('a')], { ...NONE, reasons: new Map([['a', 'agreed']]) }, { ...CONTROL, baseline });
    assert.deepEqual(suppressed.map(({ by }) => by), ['annotation']);
  });
});
