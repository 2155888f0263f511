import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageRegistry } from '../../../../src/app/ports.ts';
import { announceWaiting } from '../../../../src/cli/images/slow-registries.ts';
import { failure } from '../../../support/answering-registry.ts';

/** Answers after as many milliseconds as the tag says. */
const REGISTRY: ImageRegistry = {
  async lookUp(image) {
    await sleep(Number(image.split(':').at(-1)));
    return failure('Timeout', 'late');
  },
  close: () => Promise.resolve(),
};

async function linesFor(images: readonly string[], registry = REGISTRY): Promise<readonly string[]> {
  const lines: string[] = [];
  const announcing = announceWaiting(registry, (line) => lines.push(line), { secondsPerImage: 15, afterMilliseconds: 40 });
  await Promise.allSettled(images.map((image) => announcing.lookUp(image)));
  await sleep(60);
  await announcing.close();
  return lines;
}

describe('announceWaiting', () => {
  it('says nothing of registries that answer', async () => assert.deepEqual(await linesFor(['r.example/a:1', 'r.example/b:5']), []));

  it('names once whom it waits for, without what has answered', async () => {
    assert.deepEqual(await linesFor(['r.example/a:90', 'b.example/c:1', 'nginx:120']), ['waiting for r.example, docker.io to tell of 2 images: 15 s for each at most (--request-timeout); --images=tags asks no registry']);
    assert.match((await linesFor(['r.example/a:90'])).join(), /^waiting for r\.example to tell of 1 image: /);
  });

  it('hands on answers and what is thrown', async () => {
    const answer = await announceWaiting(REGISTRY, () => undefined, { secondsPerImage: 15 }).lookUp('a/b:1');
    assert.equal(answer.kind, 'failure');
    await assert.rejects(announceWaiting({ ...REGISTRY, lookUp: () => Promise.reject(new Error('stop')) }, () => undefined, { secondsPerImage: 15 }).lookUp('a/b:1'), /stop/);
  });
});
