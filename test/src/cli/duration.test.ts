import assert from 'node:assert/strict';
import { parseDuration, secondsOf } from '../../../src/cli/duration.ts';
import { UsageError } from '../../../src/errors.ts';

describe('parseDuration', () => {
  const cases: readonly [string, number | null][] = [
    ['0', 0], ['30', 30_000], ['1s', 1000], ['2m', 120_000], ['3h', 10_800_000], ['1m30s', 90_000], ['1.5h', 5_400_000], ['.5s', 500],
    ['250ms', 250], ['1us', 0.001], ['1µs', 0.001], ['1ns', 0.000001],
    ['', null], ['abc', null], ['1x', null], ['-1s', null], ['1.5', null], ['s', null], ['1 s', null], ['1s ', null], ['1d', null],
  ];
  for (const [text, milliseconds] of cases) {
    it(`of "${text}" is ${milliseconds}`, () => assert.equal(parseDuration(text), milliseconds));
  }
});

describe('secondsOf', () => {
  it('rounds up to what a deadline can be', () => assert.deepEqual(['90s', '1500ms', '168h'].map((text) => secondsOf(text, 'timeout')), [90, 2, 604_800]));
  for (const text of ['0', '169h', 'x', '']) it(`refuses "${text}"`, () => assert.throws(() => secondsOf(text, 'timeout'), (error) => error instanceof UsageError && error.message.includes('for "--timeout" flag')));
});
