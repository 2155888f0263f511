import assert from 'node:assert/strict';
import { listText } from '../../../src/domain/list-text.ts';

describe('listText', () => {
  it('joins as people write, and cuts what is long', () => {
    assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd', 'e', 'f']].map((items) => listText(items)), ['', 'a', 'a and b', 'a, b and c', 'a, b, c and 3 more']);
    assert.equal(listText(['a', 'b', 'c', 'd'], 3), 'a and 3 more');
  });
});
