import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { nodesFilledByPulls, SAFE_MIN_FREE } from '../../../../src/domain/prepull/garbage-collection.ts';
import { planPrepull, type NodeToPrepull, type PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { NodeImageList } from '../../../../src/domain/prepull/image-presence.ts';
import { rawNode } from '../../../support/fake-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const node = (name: string, availableBytes: number | null, capacityBytes = 100): NodeToPrepull => ({
  node: describeNode(rawNode(name), { asOf: new Date('2026-11-30T12:00:00Z'), serverVersion: null }), images: new NodeImageList([]), space: availableBytes === null ? null : { availableBytes, capacityBytes },
});
const item = (name: string, sizeBytes: number | null, more: Partial<PlanItem> = {}): PlanItem => planItem({ node: name, sizeBytes, ...more });

describe('R155: pulls that make a kubelet remove images', () => {
  const cases: readonly (readonly [what: string, free: number | null, items: readonly Parameters<typeof item>[1][], isFilled: boolean])[] = [
    // an image takes three times its compressed size
    ['leave 17% free', 47, [10], false], ['leave 16% free', 46, [10], false], ['leave 15% free', 45, [10], true], ['are several, each of which fits', 46, [5, 6], true],
    ['of unknown size onto a disk that is below already', 15, [null], true], ['of unknown size onto an empty disk', 90, [null], false], ['onto a disk that is not known', null, [10], false], ['onto a disk that they overfill', 5, [10], true],
  ];
  for (const [what, free, sizes, isFilled] of cases) {
    it(`${isFilled ? 'are' : 'are not'} those that ${what}`, () => assert.deepEqual(nodesFilledByPulls(sizes.map((size) => item('w', size)), [node('w', free)]), isFilled ? ['w'] : []));
  }

  it('are counted in whole percents, as the kubelet does', () => {
    assert.deepEqual([15_999, 16_000].map((free) => nodesFilledByPulls([item('w', null)], [node('w', free, 100_000)]).length), [1, 0]);
  });

  it('are none where nothing is fetched: skipped, refused, or there and held', () => {
    for (const more of [{ action: 'skip', reason: 'Present' }, { action: 'refuse', reason: 'NotEnoughSpace' }, { action: 'pull', reason: 'Present' }, { action: 'pull', reason: 'PulledBefore' }] as const) {
      assert.deepEqual(nodesFilledByPulls([item('w', 10, more)], [node('w', 20)]), []);
    }
    assert.deepEqual(nodesFilledByPulls([item('w', 10, { action: 'unknown', reason: 'PlatformsUnknown' })], [node('w', 20), node('other', 1)]), ['w']);
  });

  it('cannot be with the --min-free that is named against them', () => {
    const minFree = Number.parseFloat(SAFE_MIN_FREE) / 100;
    for (let free = 10; free <= 60; free += 1) {
      const nodes = [node('w', free)];
      const planned = planPrepull([{ image: 'a:1', isolation: 'process', platforms: { shape: 'manifest', confidence: 'registry', os: 'windows', because: '', platforms: [{ os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.1', digest: null, sizeBytes: 10 }] } }], nodes, { skipsCordoned: false, minFree, pulledBefore: () => null, asOf: new Date('2026-11-30T12:00:00Z') });
      assert.deepEqual(nodesFilledByPulls(planned, nodes), [], `${free}% free, ${planned[0]?.action}`);
      assert.equal(planned[0]?.action, free >= 46 ? 'pull' : 'refuse');
    }
  });
});
