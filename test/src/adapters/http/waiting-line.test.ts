import assert from 'node:assert/strict';
import { WaitingLine } from '../../../../src/adapters/http/waiting-line.ts';

const reason = (): Error => new Error('gave up');

describe('WaitingLine', () => {
  it('gives turns in order, and none to who left', async () => {
    const line = new WaitingLine();
    const leaving = new AbortController();
    const turns: number[] = [];
    const waits = [0, 1, 2, 3].map((index) => line.wait(index === 1 ? leaving.signal : new AbortController().signal, reason).then(() => turns.push(index)));
    leaving.abort();
    await assert.rejects(waits[1] ?? Promise.resolve(), /gave up/);
    assert.deepEqual([line.next(), line.next(), line.next(), line.next()], [true, true, true, false]);
    await Promise.all([waits[0], waits[2], waits[3]]);
    assert.deepEqual(turns, [0, 2, 3]);
  });

  it('lets twenty thousand leave, and as many have their turn', async () => {
    const line = new WaitingLine();
    const controllers = Array.from({ length: 20_000 }, () => new AbortController());
    const staying = new AbortController().signal;
    const leaving = controllers.map(({ signal }) => line.wait(signal, reason).catch(() => undefined));
    let turns = 0;
    const last = line.wait(staying, reason).then(() => (turns += 1));
    for (const controller of controllers.toReversed()) controller.abort();
    assert.equal(line.next(), true);
    await Promise.all([...leaving, last]);
    const waits = controllers.map(() => line.wait(new AbortController().signal, reason));
    while (line.next()) turns += 1;
    await Promise.all(waits);
    assert.equal(turns, 20_001);
  });
});
