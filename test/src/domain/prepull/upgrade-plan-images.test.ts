import assert from 'node:assert/strict';
import { imagesOfUpgradePlan } from '../../../../src/domain/prepull/upgrade-plan-images.ts';

const plan = (...images: readonly unknown[]): unknown => ({ kind: 'UpgradePlan', images });
const clusters = (...contexts: readonly (string | null)[]): unknown => ({ kind: 'UpgradePlan', clusters: contexts.map((context) => ({ context, images: [{ image: `of-${context}:1`, verdict: 'runs', to: null }] })) });

describe('imagesOfUpgradePlan', () => {
  it('takes what runs on, and what others become, each once', () => {
    assert.deepEqual(imagesOfUpgradePlan(plan(
      { image: 'a:1', verdict: 'runs', to: null, because: '' }, { image: 'b:ltsc2019', verdict: 'retag', to: 'b:ltsc2022' }, { image: 'c:1', verdict: 'rebuild', to: 'c:2' }, { image: 'a:1', verdict: 'runs' },
    ), null), { images: ['a:1', 'b:ltsc2022', 'c:2'], leftOut: [] });
  });

  it('leaves out what the plan does not know', () => {
    assert.deepEqual(imagesOfUpgradePlan(plan({ image: 'a:1', verdict: 'unknown', to: null }, { image: 'b:1', verdict: 'rebuild', to: null }), null), {
      images: [], leftOut: [{ image: 'a:1', because: 'it is not known whether it will run' }, { image: 'b:1', because: 'it must be rebuilt, and the plan names no image for it yet' }],
    });
  });

  it('takes the cluster of the context', () => {
    const imagesOf = (document: unknown, context: string | null): unknown => (imagesOfUpgradePlan(document, context) as { images?: unknown }).images;
    assert.deepEqual([imagesOf(clusters('eu'), 'us'), imagesOf(clusters('eu', 'us'), 'us'), imagesOf(clusters(null), null)], [['of-eu:1'], ['of-us:1'], ['of-null:1']]);
    assert.equal(imagesOfUpgradePlan(clusters('eu', 'us'), 'ap'), 'clusters: has 2 entries, of which 0 are of the context "ap": images are pulled in one cluster');
    assert.match(imagesOfUpgradePlan(clusters('eu', 'eu'), 'eu') as string, /of which 2 are/);
    assert.match(imagesOfUpgradePlan(clusters('eu', null), null) as string, /of which 0 are of the context in use/);
  });

  for (const [document, problem] of [
    [null, 'is no object, and so no UpgradePlan'],
    [[], 'is no object, and so no UpgradePlan'],
    [{ kind: 'List' }, 'kind: has to be UpgradePlan, and is "List"'],
    [{}, 'kind: has to be UpgradePlan, and is missing'],
    [{ kind: 'UpgradePlan', apiVersion: 'v1' }, 'apiVersion: has to be of kubectl-win, and is "v1"'],
    [{ kind: 'UpgradePlan' }, 'images: has to be a list, and is missing'],
    [{ kind: 'UpgradePlan', clusters: 3 }, 'clusters: has to be a list, and is 3'],
    [{ kind: 'UpgradePlan', clusters: [{}] }, 'clusters[0].images: has to be a list, and is missing'],
    [{ kind: 'UpgradePlan', clusters: [7] }, 'clusters[0].images: has to be a list, and is missing'],
    [plan('a:1'), 'images[0]: has to be an object'],
    [plan({ image: 'a:1', verdict: 'runs' }, { verdict: 'runs' }), 'images[1].image: has to be the name of an image, and is missing'],
    [plan({ image: 'a:1', verdict: 'fine' }), 'images[0].verdict: has to be one of runs, retag, rebuild, unknown, and is "fine"'],
    [plan({ image: 'a:1', verdict: 'retag', to: 'x'.length }), 'images[0].to: has to be the name of an image or null, and is 1'],
    [plan({ image: 'a:1', verdict: 'retag' }), 'images[0].to: an image that is to be retagged needs the name it gets'],
    [plan({ image: 'a:1', verdict: 'z'.repeat(90) }), `images[0].verdict: has to be one of runs, retag, rebuild, unknown, and is "${'z'.repeat(59)}…`],
  ] as const) it(`says: ${problem}`, () => assert.equal(imagesOfUpgradePlan(document, null), problem));
});
