import assert from 'node:assert/strict';
import { rulesNamed, selectRules, type RuleSelection } from '../../../../../src/domain/check/control/select-rules.ts';
import { defineManifestRule, type Rule } from '../../../../../src/domain/check/rule.ts';

function rule(id: string, facts: readonly string[]): Rule {
  return defineManifestRule({
    id, facts, severity: 'error', effect: 'advice', summary: '', rationale: '', remediation: '', reference: 'https://example.com', asOf: '2026-11-30',
    messages: {}, samples: { bad: [], good: [] }, check: () => [],
  });
}

const RULES = [rule('os-name-missing', ['OS-001', 'OS-002']), rule('sysctls', ['SEC-004']), rule('one-more', ['SEC-004', 'SEC-005'])];

describe('rulesNamed', () => {
  const cases: readonly [string, readonly string[]][] = [
    ['os-name-missing', ['os-name-missing']],
    ['OS-NAME-MISSING', ['os-name-missing']],
    ['OS-002', ['os-name-missing']],
    ['sec-004', ['sysctls', 'one-more']],
    ['SEC-005', ['one-more']],
    ['SEC-04', []],
    ['os-name', []],
    ['', []],
  ];
  for (const [word, ids] of cases) {
    it(`takes ${JSON.stringify(word)} for ${ids.length === 0 ? 'no rule' : ids.join(', ')}`, () => {
      assert.deepEqual(rulesNamed(word, RULES).map(({ id }) => id), ids);
    });
  }
});

describe('selectRules', () => {
  const selected = (selection: Partial<RuleSelection>): unknown => {
    const result = selectRules(RULES, { only: [], skip: [], severities: {}, ...selection });
    return 'unknown' in result ? result : { rules: result.rules.map(({ id }) => id), severities: [...result.severities] };
  };

  it('runs all rules unless told otherwise', () => {
    assert.deepEqual(selected({}), { rules: ['os-name-missing', 'sysctls', 'one-more'], severities: [] });
  });

  it('runs only those that are named, in the order of the registry, each once', () => {
    assert.deepEqual(selected({ only: ['SEC-004', 'sysctls', 'OS-001'] }), { rules: ['os-name-missing', 'sysctls', 'one-more'], severities: [] });
    assert.deepEqual(selected({ only: ['one-more'] }), { rules: ['one-more'], severities: [] });
  });

  it('leaves out what is skipped, also of those that are named', () => {
    assert.deepEqual(selected({ skip: ['SEC-004'] }), { rules: ['os-name-missing'], severities: [] });
    assert.deepEqual(selected({ only: ['SEC-004'], skip: ['sysctls'] }), { rules: ['one-more'], severities: [] });
    assert.deepEqual(selected({ only: ['sysctls'], skip: ['sysctls'] }), { rules: [], severities: [] });
  });

  it('gives a severity to every rule that a word names, and takes off for skipping', () => {
    assert.deepEqual(selected({ severities: { 'SEC-004': 'info', 'os-name-missing': 'off' } }), { rules: ['sysctls', 'one-more'], severities: [['sysctls', 'info'], ['one-more', 'info']] });
  });

  it('lets the later word on the same rule count', () => {
    assert.deepEqual(selected({ severities: { 'SEC-004': 'info', sysctls: 'error' } }), { rules: ['os-name-missing', 'sysctls', 'one-more'], severities: [['sysctls', 'error'], ['one-more', 'info']] });
  });

  it('lets a selection beat the defaults, whether one says id and the other number', () => {
    const upon = (selection: Partial<RuleSelection>): unknown => {
      const result = selectRules(RULES, { only: [], skip: [], severities: {}, ...selection }, { skip: ['sysctls'], severities: { 'OS-001': 'off', 'one-more': 'info' } });
      return 'unknown' in result ? result : [result.rules.map(({ id }) => id), [...result.severities]];
    };
    assert.deepEqual(upon({}), [['one-more'], [['one-more', 'info']]]);
    assert.deepEqual(upon({ only: ['sysctls'] }), [['sysctls'], [['one-more', 'info']]]);
    assert.deepEqual(upon({ severities: { 'os-name-missing': 'error', 'SEC-005': 'off' } }), [['os-name-missing'], [['one-more', 'info'], ['os-name-missing', 'error']]]);
    assert.deepEqual(upon({ skip: ['one-more'] }), [[], [['one-more', 'info']]]);
  });

  it('names the words that are no rule, wherever they stand', () => {
    assert.deepEqual(selected({ only: ['a', 'sysctls'], skip: ['b'], severities: { c: 'off' } }), { unknown: ['a', 'b', 'c'] });
  });
});
