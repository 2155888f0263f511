import assert from 'node:assert/strict';
import { otherContentNotes, pulledContent, type PulledItem } from '../../../../src/domain/prepull/pulled-content.ts';

const [INDEX, ENTRY, OTHER] = ['1', '2', '3'].map((letter) => `sha256:${letter.repeat(64)}`) as [string, string, string];

function item(digest: string | null, parts: Partial<PulledItem> = {}): PulledItem {
  return { node: 'w', image: 'a:1', variants: [{ build: 20348, osVersion: '10.0.20348.1', digest: ENTRY }], registryDigest: INDEX, outcome: { digest }, ...parts };
}

describe('what came onto a node', () => {
  for (const [name, pulled, content] of [
    ['under the digest of the index, as of containerd', item(INDEX), 'expected'],
    ['under the digest of its entry', item(ENTRY), 'expected'],
    ['under another one', item(OTHER), 'other'],
    ['of an image of which no variant is known', item(OTHER, { variants: [] }), 'other'],
    ['under another one, of an index with a version several times', item(OTHER, { variants: [{ build: 20348, osVersion: '10.0.20348.1', digest: null }] }), null],
    ['under no digest', item(null), null],
    ['where the registry did not tell', item(INDEX, { registryDigest: null }), null],
    ['where nothing was pulled', item(null, { outcome: null }), null],
  ] as const) it(`${name}: ${content}`, () => assert.equal(pulledContent(pulled), content));

  it('is told by image where it is something else', () => {
    const items = ['w1', 'w2', 'w3', 'w4'].map((node) => item(OTHER, { node }));
    assert.deepEqual(otherContentNotes([item(INDEX), ...items, item(OTHER, { image: 'b:1' })]), [
      'a:1: w1, w2, w3 and 1 more have other content than the registry named: the tag has moved since, or a mirror of the nodes has something else',
      'b:1: w has other content than the registry named: the tag has moved since, or a mirror of the nodes has something else',
    ]);
  });
});
