import assert from 'node:assert/strict';
import { compareNodes } from '../../../../src/domain/node/compare-nodes.ts';
import { nodeComparisonView } from '../../../../src/output/views/node-comparison.ts';
import { READY_NODE } from '../sample-view.ts';

describe('nodeComparisonView', () => {
  it('an absent side is empty, an unknown value is unknown', () => {
    const view = nodeComparisonView(compareNodes([{ ...READY_NODE, build: null }], [READY_NODE, { ...READY_NODE, name: 'new' }]), () => ({}));
    const row = (index: number): string[] => view.columns.slice(0, 4).map(({ value }) => value(view.items[index] ?? assert.fail()));
    assert.deepEqual(row(0), ['akswin000000', 'changed', '<unknown>', '20348.2340']);
    assert.deepEqual(row(1), ['new', 'added', '', '20348.2340']);
    assert.equal(view.nameOf(view.items[1] ?? assert.fail()), 'node/new');
  });
});
