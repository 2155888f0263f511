import assert from 'node:assert/strict';
import { gatherImages, imagesOf } from '../../../../src/domain/node/node-images.ts';

describe('imagesOf', () => {
  it('reads names and sizes, and leaves out what has no name', () => {
    assert.deepEqual(imagesOf({ status: { images: [{ names: ['a@sha256:1', 'a:1'], sizeBytes: 5 }, { names: [], sizeBytes: 9 }, { names: ['b:1'], sizeBytes: '7' }, 'x'] } }), [
      { names: ['a@sha256:1', 'a:1'], sizeBytes: 5 }, { names: ['b:1'], sizeBytes: null },
    ]);
    assert.deepEqual(imagesOf({ status: { images: null } }), []);
  });
});

describe('gatherImages', () => {
  it('one row per image over the nodes, largest first', () => {
    const gathered = gatherImages(new Map([
      ['win-0', [{ names: ['a@sha256:1', 'a:1'], sizeBytes: 5 }, { names: ['b:1'], sizeBytes: 9 }]],
      ['win-1', [{ names: ['a@sha256:2', 'a:1'], sizeBytes: 8 }, { names: ['c@sha256:3'], sizeBytes: null }]],
    ]));
    assert.deepEqual(gathered, [
      { image: 'b:1', names: ['b:1'], sizeBytes: 9, nodes: ['win-0'] },
      { image: 'a:1', names: ['a@sha256:1', 'a:1', 'a@sha256:2'], sizeBytes: 8, nodes: ['win-0', 'win-1'] },
      { image: 'c@sha256:3', names: ['c@sha256:3'], sizeBytes: null, nodes: ['win-1'] },
    ]);
  });
});
