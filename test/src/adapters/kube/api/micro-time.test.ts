import assert from 'node:assert/strict';
import { microTime } from '../../../../../src/adapters/kube/api/micro-time.ts';

describe('microTime', () => {
  it('#20: writes six digits behind the second', () => {
    assert.equal(microTime(new Date('2026-11-30T10:11:12.345Z')), '2026-11-30T10:11:12.345000Z');
    assert.equal(microTime(new Date(0)), '1970-01-01T00:00:00.000000Z');
  });
});
