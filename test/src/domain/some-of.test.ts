import assert from 'node:assert/strict';
import { someOf } from '../../../src/domain/some-of.ts';

describe('someOf', () => {
  it('names some of many', () => assert.deepEqual([someOf(['a', 'b'], 2), someOf(['a', 'b', 'c'], 2), someOf([], 2)], ['a, b', 'a, b and 1 more', '']));
});
