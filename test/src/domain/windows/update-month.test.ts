import assert from 'node:assert/strict';
import { lastUpdateMonth } from '../../../../src/domain/windows/update-month.ts';

describe('lastUpdateMonth', () => {
  for (const [day, month] of [['2026-11-09', '2026-10'], ['2026-11-10', '2026-11'], ['2026-12-07', '2026-11'], ['2026-12-08', '2026-12'], ['2027-01-11', '2026-12'], ['2026-09-08', '2026-09'], ['2026-09-07', '2026-08']] as const) {
    it(`on ${day} the newest monthly updates are of ${month}`, () => assert.equal(lastUpdateMonth(new Date(`${day}T12:00:00Z`)), month));
  }
});
