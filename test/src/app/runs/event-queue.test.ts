import assert from 'node:assert/strict';
import { EventQueue } from '../../../../src/app/runs/event-queue.ts';

describe('EventQueue', () => {
  it('gives what has come, in order, and waits for more', async () => {
    const queue = new EventQueue<number>();
    queue.push(1);
    queue.push(2);
    assert.deepEqual(await queue.take(), [1, 2]);
    const waiting = queue.take();
    queue.push(3);
    assert.deepEqual(await waiting, [3]);
    assert.deepEqual(queue.takeNow(), []);
    queue.push(4);
    assert.deepEqual(queue.takeNow(), [4]);
  });

  it('throws the first failure after all that came before it, to who waits and to who comes', async () => {
    const queue = new EventQueue<number>();
    const waiting = queue.take();
    queue.fail(new Error('first'));
    queue.fail(new Error('second'));
    await assert.rejects(waiting, /first/);
    queue.push(1);
    assert.deepEqual(await queue.take(), [1]);
    await assert.rejects(queue.take(), /first/);
    assert.throws(() => queue.takeNow(), /first/);
  });
});
