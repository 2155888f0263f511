import assert from 'node:assert/strict';
import { timerMs } from '../../../../src/adapters/http/timer.ts';

describe('timerMs', () => {
  for (const [milliseconds, expected] of [[15_000, 15_000], [2_147_484_000, 2_147_483_647], [Number.POSITIVE_INFINITY, 2_147_483_647]] as const) {
    it(`${milliseconds}: ${expected}`, () => assert.equal(timerMs(milliseconds), expected));
  }
});
