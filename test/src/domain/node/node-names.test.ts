import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { nodeNames } from '../../../../src/domain/node/node-names.ts';

describe('nodeNames', () => {
  it('gives the same array for the same list, and another for another list', () => {
    const nodes = ['win-0', 'win-1'].map((name) => describeNode({ metadata: { name } }, { serverVersion: null, asOf: new Date('2026-11-30') }));
    assert.deepEqual(nodeNames(nodes), ['win-0', 'win-1']);
    assert.equal(nodeNames(nodes), nodeNames(nodes));
    assert.notEqual(nodeNames(nodes), nodeNames([...nodes]));
  });
});
