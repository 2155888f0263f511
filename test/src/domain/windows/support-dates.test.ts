import assert from 'node:assert/strict';
import { daysUntil, isIsoDay, isoDay } from '../../../../src/domain/windows/support-dates.ts';

describe('days of support', () => {
  it('counts whole days in UTC, whatever the time of day', () => {
    for (const time of ['00:00:00', '12:34:56', '23:59:59']) {
      const asOf = new Date(`2026-11-30T${time}Z`);
      assert.equal(daysUntil('2026-11-30', asOf), 0);
      assert.equal(daysUntil('2026-12-01', asOf), 1);
      assert.equal(daysUntil('2027-01-12', asOf), 43);
      assert.equal(daysUntil('2026-10-13', asOf), -48);
      assert.equal(isoDay(asOf), '2026-11-30');
    }
  });

  it('crosses leap days', () => {
    assert.equal(daysUntil('2028-03-01', new Date('2028-02-28T10:00:00Z')), 2);
  });

  it('knows which texts are days', () => {
    for (const day of ['2026-11-30', '2028-02-29']) assert.equal(isIsoDay(day), true, day);
    for (const text of ['2026-02-29', '2026-13-01', '2026-1-1', '30.11.2026', '', '2026-11-30T00:00:00Z']) assert.equal(isIsoDay(text), false, text);
  });
});
