import assert from 'node:assert/strict';
import { Semaphore } from '../../../../src/adapters/registry/semaphore.ts';

describe('Semaphore', () => {
  const never = new AbortController().signal;

  it('lets as many in as there are places, the others in their order', async () => {
    const semaphore = new Semaphore(2);
    const events: string[] = [];
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const runs = gates.map((gate, index) => semaphore.run(never, async () => {
      events.push(`in ${index}`);
      await gate.promise;
    }));
    await new Promise(setImmediate);
    assert.deepEqual(events, ['in 0', 'in 1']);
    gates[1]?.resolve();
    await runs[1];
    await new Promise(setImmediate);
    assert.deepEqual(events, ['in 0', 'in 1', 'in 2']);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs);
    assert.equal(events.length, 4);
  });

  it('gives the place back after a failure, and lets who waits give up', async () => {
    const semaphore = new Semaphore(1);
    await assert.rejects(semaphore.run(never, () => Promise.reject(new Error('failed'))), /failed/);
    const gate = Promise.withResolvers<void>();
    const first = semaphore.run(never, () => gate.promise);
    const controller = new AbortController();
    const second = semaphore.run(controller.signal, () => Promise.resolve());
    const third = semaphore.run(never, () => Promise.resolve('third'));
    controller.abort(new Error('gave up'));
    await assert.rejects(second, /gave up/);
    gate.resolve();
    await first;
    assert.equal(await third, 'third');
  });
});
