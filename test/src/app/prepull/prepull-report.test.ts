import assert from 'node:assert/strict';
import { PrepullProgress, prepullSummary } from '../../../../src/app/prepull/prepull-report.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { planItem } from '../../../support/plan-item.ts';

function item(node: string, action: PlanItem['action'], sizeBytes: number | null = null, image = 'a:1'): PlanItem {
  return planItem({ node, image, action, reason: action === 'skip' ? 'Present' : action === 'refuse' ? 'NodeNotReady' : 'NotListed', sizeBytes });
}

describe('the report of a prepull', () => {
  it('follows a run, in the order of the plan', () => {
    const plan = [item('a', 'pull', 10), item('b', 'unknown'), item('c', 'skip', 10), item('d', 'refuse', 10), item('e', 'pull', 5, 'b:1')];
    const progress = new PrepullProgress(plan);
    assert.deepEqual(progress.items.map(({ result }) => result), ['pending', 'pending', 'skipped', 'refused', 'pending']);
    const outcome = { reason: 'x', message: 'x', seconds: 1, sizeBytes: 1, digest: null };
    progress.take({ type: 'started', item: plan[0] as PlanItem, attempt: 1 });
    progress.take({ type: 'finished', item: plan[0] as PlanItem, outcome: { ...outcome, result: 'pulled' } });
    progress.take({ type: 'finished', item: plan[1] as PlanItem, outcome: { ...outcome, result: 'failed' } });
    progress.take({ type: 'finished', item: plan[4] as PlanItem, outcome: { ...outcome, result: 'present' } });
    assert.deepEqual(progress.items.map(({ node, result }) => `${node} ${result}`), ['a pulled', 'b failed', 'c skipped', 'd refused', 'e present']);
    assert.deepEqual(prepullSummary(progress.items), { nodes: 5, images: 2, items: 5, pulled: 1, present: 1, skipped: 1, failed: 1, refused: 1, pending: 0, plannedBytes: 15, unknownSizes: 1, sharedBytes: 0, mostBytesOnNode: 10, success: 0.6 });
  });

  it('of no items is no success', () => {
    assert.equal(prepullSummary([]).success, 0);
  });
});
