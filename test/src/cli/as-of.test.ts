import assert from 'node:assert/strict';
import { parseAsOf } from '../../../src/cli/as-of.ts';

describe('parseAsOf', () => {
  it('reads a day as its first moment in UTC', () => assert.equal(parseAsOf('2026-11-30').toISOString(), '2026-11-30T00:00:00.000Z'));
  it('reads a time with its zone', () => assert.equal(parseAsOf('2026-11-30T08:00:00+02:00').toISOString(), '2026-11-30T06:00:00.000Z'));

  for (const text of ['', 'today', '2026-13-01', '2026-02-30', '2026-1-1', '30.11.2026', '2026-11-30T25:00:00Z', '2026-11-30 08:00']) {
    it(`refuses "${text}"`, () => {
      assert.throws(() => parseAsOf(text), { name: 'UsageError', message: `invalid argument ${JSON.stringify(text)} for "--as-of" flag: must be a day as YYYY-MM-DD` });
    });
  }
});
