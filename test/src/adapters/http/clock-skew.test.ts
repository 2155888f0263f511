import assert from 'node:assert/strict';
import { clockSkewWarning } from '../../../../src/adapters/http/clock-skew.ts';

describe('clockSkewWarning', () => {
  const SENT = new Date('2026-11-30T10:00:00.500Z');
  const RECEIVED = new Date('2026-11-30T10:00:02.500Z');
  const warning = (date: string | undefined, headers: Readonly<Record<string, string>> = {}): string | null =>
    clockSkewWarning('https://h:6443', { 'content-type': 'application/json', ...(date === undefined ? {} : { date }), ...headers }, SENT, RECEIVED);
  const JUDGED = ": ages, and whether certificates and tokens have expired, are judged by this machine's";

  for (const [title, date, expected] of [
    ['the same time', 'Mon, 30 Nov 2026 10:00:01 GMT', null],
    // A header may mean any time of its second, and the answer was made at any time between request and arrival.
    ['a minute less', 'Mon, 30 Nov 2026 09:59:00 GMT', null],
    ['more than a minute less', 'Mon, 30 Nov 2026 09:58:59 GMT', `the clock of this machine is 60s ahead of that of the server https://h:6443${JUDGED}`],
    ['a minute more', 'Mon, 30 Nov 2026 10:01:02 GMT', null],
    ['more than a minute more', 'Mon, 30 Nov 2026 10:01:03 GMT', `the clock of this machine is 60s behind that of the server https://h:6443${JUDGED}`],
    ['another year', 'Sun, 30 Nov 2025 10:00:00 GMT', `the clock of this machine is 364d ahead of that of the server https://h:6443${JUDGED}`],
    ['no date', undefined, null],
    ['a date that is none', 'yesterday', null],
  ] as const) {
    it(`of an answer with ${title}: ${expected === null ? 'nothing to say' : expected.slice(0, 48)}`, () => {
      assert.equal(warning(date), expected);
    });
  }

  it('believes neither a cache nor a page that is not from the API server', () => {
    const old = 'Mon, 30 Nov 2026 09:00:00 GMT';
    assert.notEqual(warning(old), null);
    assert.equal(warning(old, { age: '3600' }), null);
    assert.equal(warning(old, { 'content-type': 'text/html' }), null);
  });
});
