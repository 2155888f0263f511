import assert from 'node:assert/strict';
import { DeadlineExceeded } from '../../../../src/adapters/http/network-error.ts';
import { TimeLimit } from '../../../../src/adapters/registry/time-limit.ts';
import { fakeClock } from './loopback-registry.ts';

const never = new AbortController().signal;

describe('TimeLimit', () => {
  it('knows what fits into the rest of it, and shares that', () => {
    const clock = fakeClock();
    const limit = new TimeLimit(clock, 15, never);
    assert.deepEqual([limit.fits(14_999), limit.fits(15_000)], [true, false]);
    clock.pass(5000);
    assert.deepEqual([limit.fits(9_999), limit.fits(10_000)], [true, false]);
    const share = limit.share(2);
    assert.equal(share.seconds, 5);
    share.end();
    limit.end();
  });

  it('aborts when it is over, and its shares with it', async () => {
    const limit = new TimeLimit(fakeClock(), 0.02, never);
    const share = limit.share(1);
    await new Promise((resolve) => share.signal.addEventListener('abort', resolve));
    assert.ok(share.signal.reason instanceof DeadlineExceeded);
    share.end();
  });

  it('is as long as a timer can be where it is longer', async () => {
    for (const seconds of [2_147_484, Number.POSITIVE_INFINITY]) {
      const limit = new TimeLimit(fakeClock(), seconds, never);
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(limit.signal.aborted, false);
      limit.end();
    }
  });

  it('aborts with the outer signal, for its reason, and not any more after its end', async () => {
    const controller = new AbortController();
    const limit = new TimeLimit({ now: () => 0, sleep: () => Promise.reject(new Error('aborted')) }, 15, controller.signal);
    const ended = new TimeLimit(fakeClock(), 15, controller.signal);
    ended.end();
    controller.abort(new Error('Ctrl-C'));
    await assert.rejects(limit.sleep(1), /Ctrl-C/);
    assert.equal(ended.signal.aborted, false);
    limit.end();
    const late = new TimeLimit(fakeClock(), 15, controller.signal);
    assert.match(String(late.signal.reason), /Ctrl-C/);
    late.end();
  });
});
