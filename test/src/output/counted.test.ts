import assert from 'node:assert/strict';
import { counted } from '../../../src/output/counted.ts';

describe('counted', () => {
  it('has one thing alone in the singular', () => {
    assert.deepEqual([0, 1, 2].map((count) => counted(count, 'other node')), ['0 other nodes', '1 other node', '2 other nodes']);
  });
});
