import assert from 'node:assert/strict';
import { aFewAtATime, afterwards, patiently } from '../../../../src/app/runs/patience.ts';
import { ClusterError, type ClusterErrorReason } from '../../../../src/errors.ts';

const waited: number[] = [];
const clock = { sleep: async (milliseconds: number, signal: AbortSignal) => {
  signal.throwIfAborted();
  waited.push(milliseconds);
} };
const { signal } = new AbortController();

/** Fails so often, and gives how often it was asked. */
function failing(times: number, reason: ClusterErrorReason, details: unknown = null): () => Promise<number> {
  let count = 0;
  return async () => {
    count += 1;
    if (count <= times) throw new ClusterError('no', { reason, details });
    return count;
  };
}

describe('patiently', () => {
  beforeEach(() => void waited.splice(0));

  it('asks again after failures that pass, each time later', async () => {
    assert.equal(await patiently(failing(3, 'TooManyRequests'), { clock, signal }), 4);
    assert.deepEqual(waited, [1000, 2000, 4000]);
  });

  it('waits as long as the server asks for, unless that is for ever', async () => {
    await patiently(failing(1, 'TooManyRequests', { retryAfterSeconds: 7 }), { clock, signal });
    assert.deepEqual(waited, [7000]);
    await assert.rejects(patiently(failing(1, 'TooManyRequests', { retryAfterSeconds: 3600 }), { clock, signal }));
  });

  it('gives up at last, and at once what does not pass', async () => {
    await assert.rejects(patiently(failing(5, 'ServiceUnavailable'), { clock, signal }));
    assert.equal(waited.length, 4);
    await assert.rejects(patiently(failing(1, 'Forbidden'), { clock, signal }));
    assert.equal(waited.length, 4);
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    controller.abort(new Error('Ctrl-C'));
    await assert.rejects(patiently(failing(1, 'Timeout'), { clock, signal: controller.signal }), /Ctrl-C/);
  });
});

describe('aFewAtATime', () => {
  it('does all, eight at once, and throws what failed first', async () => {
    let atOnce = 0;
    let most = 0;
    const done: number[] = [];
    await assert.rejects(aFewAtATime(Array.from({ length: 20 }, (_, at) => at), async (item) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await Promise.resolve();
      atOnce -= 1;
      if (item === 3) throw new Error('three');
      done.push(item);
    }), /three/);
    assert.deepEqual([most, done.length], [8, 19]);
  });
});

describe('afterwards', () => {
  it('is aborted some time after the other, with its reason', async () => {
    const first = new AbortController();
    const later = afterwards(first.signal, 1);
    first.abort(new Error('Ctrl-C'));
    assert.equal(later.aborted, false);
    await new Promise<void>((resolve) => later.addEventListener('abort', () => resolve(), { once: true }));
    assert.equal((later.reason as Error).message, 'Ctrl-C');
  });
});
