/** Each number of the catalogue of rules is covered by a rule or a node issue, or stands in one list with its reason. */
import assert from 'node:assert/strict';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { CLUSTER_ISSUE_KINDS, NODE_ISSUE_KINDS, UNKNOWN_OS_ISSUE_KINDS } from '../../../../src/domain/node/node-issues/index.ts';

/** First and last number of each topic. */
const CATALOGUE: Readonly<Record<string, number>> = { IMG: 17, OS: 5, SCH: 13, SEC: 27, HPC: 14, NET: 11, VOL: 16, RES: 9, LIF: 7, PUL: 3, NOD: 9, GEN: 2 };

/** Numbers that nothing implements, each with why. */
const LEFT_OUT: Readonly<Record<string, string>> = {};

describe('the catalogue of rules', () => {
  const numbers = Object.entries(CATALOGUE).flatMap(([topic, last]) => Array.from({ length: last }, (_, index) => `${topic}-${String(index + 1).padStart(3, '0')}`));
  const covered = new Set([...RULES, ...NODE_ISSUE_KINDS, ...UNKNOWN_OS_ISSUE_KINDS, ...CLUSTER_ISSUE_KINDS].flatMap(({ facts }) => facts));

  it('has 133 numbers', () => assert.equal(numbers.length, 133));

  it('is covered, but for the numbers that are left out', () => {
    assert.deepEqual(numbers.filter((number) => !covered.has(number) && !Object.hasOwn(LEFT_OUT, number)), []);
  });

  it('leaves out at most eight, and none that is covered', () => {
    assert.ok(Object.keys(LEFT_OUT).length <= 8);
    assert.deepEqual(Object.keys(LEFT_OUT).filter((number) => covered.has(number)), []);
  });

  it('has no rule with a number that does not exist', () => {
    assert.deepEqual([...covered].filter((fact) => !/^C\d+$/.test(fact) && !numbers.includes(fact)), []);
  });
});
