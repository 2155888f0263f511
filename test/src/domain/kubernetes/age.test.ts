import assert from 'node:assert/strict';
import { formatAge } from '../../../../src/domain/kubernetes/age.ts';

describe('formatAge', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const second = 1;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  for (const [seconds, text] of [
    [0, '0s'], [1, '1s'], [119, '119s'], [2 * minute, '2m'], [2 * minute + 1, '2m1s'], [9 * minute + 59, '9m59s'], [10 * minute + 5, '10m'],
    [179 * minute, '179m'], [3 * hour, '3h'], [3 * hour + 4 * minute, '3h4m'], [8 * hour + 30 * minute, '8h'], [47 * hour, '47h'],
    [2 * day, '2d'], [3 * day + 4 * hour, '3d4h'], [8 * day + 5 * hour, '8d'], [729 * day, '729d'], [730 * day, '2y'],
    [731 * day, '2y1d'], [8 * 365 * day, '8y'], [-1, '0s'], [-5, '<invalid>'],
  ] as const) {
    it(`${seconds} s is ${text}`, () => {
      assert.equal(formatAge(new Date(now.getTime() - seconds * 1000).toISOString(), now), text);
    });
  }
  it('text that is no time is unknown', () => assert.equal(formatAge('yesterday', now), '<unknown>'));
});
