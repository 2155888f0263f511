import assert from 'node:assert/strict';
import { NodeLayers, unpackedBytes } from '../../../../src/domain/prepull/node-layers.ts';

const layered = (...layers: readonly (readonly [digest: string, sizeBytes: number])[]): { readonly layers: readonly { readonly digest: string; readonly sizeBytes: number }[]; readonly sizeBytes: number } => (
  { layers: layers.map(([digest, sizeBytes]) => ({ digest, sizeBytes })), sizeBytes: layers.reduce((sum, [, sizeBytes]) => sum + sizeBytes, 0) });

describe('layers on a node', () => {
  it('are fetched once', () => {
    const node = new NodeLayers();
    const [web, api] = [layered(['base', 100], ['web', 1]), layered(['base', 100], ['api', 2])];
    assert.equal(node.missingBytes(web), 101);
    node.add(web);
    assert.deepEqual([web, api].map((image) => node.missingBytes(image)), [0, 2]);
  });

  it('are not known of what has no layers, whose size counts as it is', () => {
    const node = new NodeLayers();
    node.add({ layers: null, sizeBytes: 7 });
    assert.deepEqual([node.missingBytes({ layers: null, sizeBytes: 7 }), node.missingBytes({ layers: null, sizeBytes: null })], [7, null]);
  });

  it('take three times their size on disk', () => assert.deepEqual([unpackedBytes(2), unpackedBytes(null)], [6, 0]));
});
