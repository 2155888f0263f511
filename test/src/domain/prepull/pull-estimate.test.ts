import assert from 'node:assert/strict';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { estimateByNode } from '../../../../src/domain/prepull/pull-estimate.ts';
import { planItem } from '../../../support/plan-item.ts';

const image = (name: string, bytes: number, base: string | null = 'base', more: Partial<PlanItem> = {}): Partial<PlanItem> => (
  { image: name, sizeBytes: 100 + bytes, layers: base === null ? null : [{ digest: base, sizeBytes: 100 }, { digest: name, sizeBytes: bytes }], ...more });

describe('what pulls fetch onto nodes', () => {
  it('is each layer once for a node, and again for the next', () => {
    assert.deepEqual(estimateByNode(['w1', 'w2'].flatMap((node) => [planItem({ node, ...image('a:1', 1) }), planItem({ node, ...image('b:1', 2) }), planItem({ node, ...image('c:1', 3, 'other') })])), [
      { node: 'w1', plannedBytes: 306 - 100, sharedBytes: 100, unknownSizes: 0 }, { node: 'w2', plannedBytes: 306 - 100, sharedBytes: 100, unknownSizes: 0 },
    ]);
  });

  it('is without what the node has', () => {
    const there = image('a:1', 1, 'base', { action: 'skip', reason: 'Present' });
    assert.deepEqual(estimateByNode([planItem({ node: 'w', ...image('b:1', 2) }), planItem({ node: 'w', ...there })]), [{ node: 'w', plannedBytes: 2, sharedBytes: 100, unknownSizes: 0 }]);
    assert.deepEqual(estimateByNode([planItem({ node: 'w', ...there })]), []);
    // held: pulled for its pod alone
    assert.deepEqual(estimateByNode([planItem({ node: 'w', ...there, action: 'pull' })]), []);
  });

  it('counts what is not known, and takes sizes without layers as they are', () => {
    assert.deepEqual(estimateByNode([planItem({ ...image('a:1', 1, null) }), planItem({ ...image('b:1', 1, null) }), planItem({ image: 'c:1', sizeBytes: null }), planItem({ action: 'refuse', sizeBytes: 9 })]), [{ node: 'win', plannedBytes: 202, sharedBytes: 0, unknownSizes: 1 }]);
  });
});
