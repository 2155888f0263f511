import assert from 'node:assert/strict';
import { isIsoDay } from '../../../../src/domain/windows/support-dates.ts';
import { tablesAsOf } from '../../../../src/domain/windows/tables-as-of.ts';

describe('tablesAsOf', () => {
  it('is the newest day on a row', () => {
    assert.ok(isIsoDay(tablesAsOf()));
    assert.ok(tablesAsOf() >= '2026-11-30');
  });
});
