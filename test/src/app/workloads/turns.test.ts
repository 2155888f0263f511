import assert from 'node:assert/strict';
import { Turns } from '../../../../src/app/workloads/turns.ts';

const busyFor = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
};

describe('turns of the event loop', () => {
  it('come between objects that keep the process busy, so that what has happened meanwhile is heard', async () => {
    const controller = new AbortController();
    const turns = new Turns(controller.signal);
    setImmediate(() => controller.abort(new Error('interrupted')));
    await turns.next();
    assert.equal(controller.signal.aborted, false, 'no turn is due yet');
    busyFor(60);
    await assert.rejects(turns.next(), /interrupted/);
  });

  it('need no signal', async () => {
    const turns = new Turns(undefined);
    busyFor(60);
    await turns.next();
  });
});
