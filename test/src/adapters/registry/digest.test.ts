import assert from 'node:assert/strict';
import { digestLike, isDigest, sha256Digest } from '../../../../src/adapters/registry/digest.ts';

describe('isDigest', () => {
  const cases: readonly (readonly [text: unknown, expected: boolean])[] = [
    [`sha256:${'0'.repeat(64)}`, true], [`sha384:${'0'.repeat(96)}`, true], [`sha512:${'0'.repeat(128)}`, true], [`sha256:${'0'.repeat(63)}`, false], [`sha256:${'A'.repeat(64)}`, false],
    [`md5:${'0'.repeat(32)}`, false], ['constructor:', false], [`sha256:${'0'.repeat(64)}:x`, false], ['', false], [undefined, false], [`sha256:${'/'.repeat(64)}`, false],
  ];
  for (const [text, expected] of cases) it(`${String(text).slice(0, 30)}: ${expected}`, () => assert.equal(isDigest(text), expected));
});

describe('digestLike', () => {
  it('takes the algorithm of the other digest', () => {
    const content = Buffer.from('x');
    assert.equal(digestLike(`sha256:${'0'.repeat(64)}`, content), sha256Digest(content));
    for (const [algorithm, digits] of [['sha384', 96], ['sha512', 128]] as const) assert.ok(isDigest(digestLike(`${algorithm}:${'0'.repeat(digits)}`, content)));
  });
});
