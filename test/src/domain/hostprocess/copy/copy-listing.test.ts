import assert from 'node:assert/strict';
import { readListing, readResult } from '../../../../../src/domain/hostprocess/copy/copy-listing.ts';

const HASH = 'ab'.repeat(32);

describe('readListing', () => {
  it('reads root, entries and what has arrived', () => {
    const text = ['r\td\tC:\\k\\logs', 'd\t0\t1764500000000\t', 'f\t5\t1764500000001\ta b.txt', 'l\t0\t-5\tsub\\link\tC:\\Windows', 'x\t0\t0\tsecret\tAccess is denied.', `c\t5\t${HASH}\t-\t-\ta b.txt`, `c\tn\t-\t3\t${HASH}\tsub\\b`, 'c\td\t-\t-\t-\tc', 'c\tl\t-\t-\t-\td', 'c\t9\t-\t-\t-\te', ''].join('\n');
    const { root, entries, arrived } = readListing(text);
    assert.deepEqual(root, { kind: 'folder', path: 'C:\\k\\logs' });
    assert.deepEqual(entries, [
      { path: '', kind: 'folder', sizeBytes: 0, modifiedMs: 1764500000000, message: null }, { path: 'a b.txt', kind: 'file', sizeBytes: 5, modifiedMs: 1764500000001, message: null },
      { path: 'sub\\link', kind: 'link', sizeBytes: 0, modifiedMs: -5, message: 'C:\\Windows' }, { path: 'secret', kind: 'unreadable', sizeBytes: 0, modifiedMs: 0, message: 'Access is denied.' },
    ]);
    assert.deepEqual([...arrived], [
      ['a b.txt', { obstacle: null, whole: HASH, part: null }], ['sub/b', { obstacle: null, whole: null, part: { sizeBytes: 3, sha256: HASH } }], ['c', { obstacle: 'folder', whole: null, part: null }], ['d', { obstacle: 'link', whole: null, part: null }], ['e', { obstacle: null, whole: null, part: null }],
    ]);
  });

  for (const text of ['', 'f\t5\t1\ta', 'r\tz\tC:\\', 'r\td\tC:\\\nq\t1', 'r\td\tC:\\\nf\tmany\t1\ta', 'r\td\tC:\\\nf\t5', `r\td\tC:\\\nc\t5\t${HASH.toUpperCase()}\t-\t-\ta`, 'r\td\tC:\\\nc\t5\t-\t3\t-\ta', 'WARNING: something']) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => readListing(text), /no part of a copy/));
  }
});

describe('readResult', () => {
  it('reads what became of a file', () => {
    assert.deepEqual([readResult('0\tok'), readResult('12\tfailed\tAccess to the path is denied.')], [{ index: 0, problem: null }, { index: 12, problem: 'Access to the path is denied.' }]);
    assert.deepEqual(readResult('a\t131072'), { receipt: 131_072 });
    assert.throws(() => readResult('ok'), /no part of a copy/);
  });
});
