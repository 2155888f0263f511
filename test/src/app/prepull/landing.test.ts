import assert from 'node:assert/strict';
import { landingNotes, landingOf } from '../../../../src/app/prepull/landing.ts';
import type { UsedImage } from '../../../../src/app/images/image-usage.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import type { Placement } from '../../../../src/domain/scheduling/placement.ts';
import { settledNode } from '../../../../src/domain/scheduling/settled-node.ts';
import { rawNode } from '../../../support/fake-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const node = (name: string, ...keys: readonly string[]): WindowsNode => describeNode(rawNode(name, { taints: keys.map((key) => ({ key, effect: 'NoSchedule' })) }), { asOf: new Date('2026-11-30T12:00:00Z'), serverVersion: null });
const used = (candidates: readonly WindowsNode[] | null): UsedImage => ({ image: 'a:1', isForWindows: true, users: [], isolations: ['process'], landing: candidates === null ? null : new Map([['process', new Set([candidates])]]) });

describe('where the pods of images land', () => {
  const [fine, late, leaving] = [node('fine'), node('late', 'node.kubernetes.io/not-ready'), node('leaving', 'ToBeDeletedByClusterAutoscaler')];
  const later = [settledNode(late), settledNode(leaving)];
  const nodeOf = (name: string): WindowsNode | undefined => [fine, late, leaving].find((one) => one.name === name);

  it('is now, or when what keeps them off has passed, and not where a node is being removed', () => {
    const landing = landingOf(used([fine, ...later]), new Set(later), nodeOf);
    assert.deepEqual([[...landing?.nodes ?? []], [...landing?.now ?? []], [...landing?.leaving ?? []]], [['fine', 'late'], ['fine'], ['leaving']]);
  });

  it('is on a node that is being removed where they tolerate that', () => {
    const landing = landingOf(used([leaving, ...later]), new Set(later), nodeOf);
    assert.deepEqual([[...landing?.nodes ?? []].toSorted(), [...landing?.leaving ?? []]], [['late', 'leaving'], []]);
  });

  it('is not known where it is not, and nowhere where there is no candidate', () => {
    assert.equal(landingOf(used(null), new Set(), nodeOf), null);
    assert.deepEqual(landingNotes([{ image: 'a:1', landing: landingOf(used([]), new Set(), nodeOf) }], [fine], []), ['a:1: pods that use it land on none of the nodes that were asked for']);
  });

  it('says what keeps pods off most of the nodes that were asked for, for good', () => {
    const placed = (...nodes: readonly (readonly [WindowsNode, ...string[]])[]): Placement => ({
      nodes: nodes.map(([one, ...texts]) => ({ node: one, obstacles: texts.map((text) => ({ kind: 'taint', path: null, text })) })), candidates: [], windowsCandidates: [], notEvaluated: [],
    });
    const notes = (...placements: readonly Placement[]): readonly string[] => landingNotes([{ image: 'a:1', landing: { nodes: new Set(), now: new Set(), leaving: new Set() }, placements }], [fine, late], []);
    const NOWHERE = 'a:1: pods that use it land on none of the nodes that were asked for';
    assert.deepEqual(notes(placed([fine, 'no label', 'taint os is not tolerated'], [late, 'cordoned'], [settledNode(late), 'taint os is not tolerated'], [leaving, 'no label'])), [`${NOWHERE}: taint os is not tolerated`]);
    assert.deepEqual(notes(placed([fine, 'no label'], [late])), [`${NOWHERE}: no label (1 of 2 nodes)`]);
    assert.deepEqual(notes(), [NOWHERE]);
  });

  it('names nodes of which the same is said together, in one note', () => {
    const many = [1, 2, 3, 4].map((at) => node(`late-${at}`, 'node.kubernetes.io/memory-pressure'));
    const landing = landingOf(used(many.map(settledNode)), new Set(many.map(settledNode)), () => undefined);
    assert.deepEqual(landingNotes([{ image: 'a:1', landing: landing === null ? null : { ...landing, now: new Set() } }], many, many.map(({ name }) => planItem({ node: name }))), [
      'late-1, late-2, late-3 and 1 more: pulled onto although no pod of a workload lands there while they have the taint node.kubernetes.io/memory-pressure:NoSchedule (kubectl win nodes --show-issues)',
    ]);
  });
});
