import assert from 'node:assert/strict';
import { nodeImagesView } from '../../../../src/output/views/node-images.ts';

describe('nodeImagesView', () => {
  it('a size that no node reports is unknown', () => {
    const view = nodeImagesView([{ image: 'a:1', names: ['a:1', 'a@sha256:1'], sizeBytes: null, nodes: ['x'] }, { image: 'b:1', names: ['b:1'], sizeBytes: 2 ** 20 * 1.25, nodes: ['x', 'y'] }], 3, () => ({ kind: 'k' }));
    assert.deepEqual(view.items.map((item) => view.columns.map(({ value }) => value(item))), [['a:1', '<unknown>', '1/3', 'a:1,a@sha256:1', 'x'], ['b:1', '1.3Mi', '2/3', 'b:1', 'x,y']]);
    assert.deepEqual(Object.keys(view.document()), ['kind', 'images']);
  });
});
