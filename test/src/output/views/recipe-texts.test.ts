import assert from 'node:assert/strict';
import { RECIPES } from '../../../../src/domain/hostprocess/recipes/index.ts';
import { readNodeFacts } from '../../../../src/domain/hostprocess/recipes/node-facts.ts';
import type { RecipeDocument } from '../../../../src/domain/hostprocess/recipes/read-output.ts';
import { bootedText, diskText, hotfixesText, imageCacheText, rebootText, recipeSummary } from '../../../../src/output/views/recipe-texts.ts';
import { emptyRecipeOutput, RECIPE_OUTPUTS } from '../../../support/recipe-outputs.ts';

describe('the summary of a recipe', () => {
  const expected = {
    'node-facts': '2 updates (KB5094128), up 47d, restart pending (WindowsUpdate,FileRename), C:57.0Gi(44%) free, images 31:27.0Gi',
    logs: '2 events (1 error), 2 files',
    hns: 'service running, 1 network, 1 endpoint, 1 load balancer',
    images: '2 images, 27.0Gi',
    hotfixes: '2 updates, newest KB5094128 of 2026-10-13',
  };
  for (const { id } of RECIPES) {
    it(`${id} says what matters in a line`, () => assert.equal(recipeSummary(RECIPE_OUTPUTS[id] as RecipeDocument), expected[id]));
    it(`${id} says nothing where nothing could be read`, () => assert.equal(recipeSummary(emptyRecipeOutput(id) as RecipeDocument), ''));
  }

  it('names failed updates, and a restart that they wait for', () => {
    const document = { ...RECIPE_OUTPUTS.hotfixes, history: [{ result: 'failed' }, { result: 'succeeded' }, { result: 'aborted' }], pendingReboot: { isPending: true, reasons: [] } } as unknown as RecipeDocument;
    assert.match(recipeSummary(document), /, 2 failed, restart pending$/);
  });

  it('is empty for a recipe that is not known', () => assert.equal(recipeSummary({ recipe: 'other', schemaVersion: 1, problems: [] }), ''));
});

describe('facts of a node as cells', () => {
  const facts = readNodeFacts(RECIPE_OUTPUTS['node-facts'] as RecipeDocument);
  const fix = (id: string): { id: string; installedOn: null } => ({ id, installedOn: null });
  const cases: readonly [string, string | null, string | null][] = [
    ['two updates and a count of the rest', hotfixesText({ ...facts, hotfixes: ['KB1', 'KB2', 'KB3', 'KB4'].map(fix) }), 'KB1,KB2,+2'],
    ['no updates', hotfixesText({ ...facts, hotfixes: [] }), ''],
    ['updates that are not known', hotfixesText({ ...facts, hotfixes: null }), null],
    ['the time since the boot', bootedText(facts, new Date('2026-11-30T12:00:00Z')), '47d'],
    ['no restart', rebootText({ ...facts, pendingReboot: { isPending: false, reasons: [] } }), 'no'],
    ['a restart without a reason', rebootText({ ...facts, pendingReboot: { isPending: true, reasons: [] } }), 'yes'],
    ['a restart that is not known', rebootText({ ...facts, pendingReboot: null }), null],
    ['room on the fullest disk', diskText(facts), 'C:57.0Gi(44%)'],
    ['room that is not known', diskText({ ...facts, disks: null }), null],
    ['a disk of no size', diskText({ ...facts, disks: [{ drive: 'A:', sizeBytes: 0, freeBytes: 0 }] }), 'A:0.0Mi'],
    ['the cache by its downloads', imageCacheText({ ...facts, imageCache: { images: null, usedBytes: null, compressedBytes: 2 ** 31 } }), '2.0Gi(compressed)'],
    ['images of unknown size', imageCacheText({ ...facts, imageCache: { images: 3, usedBytes: null, compressedBytes: null } }), '3'],
    ['a cache that says nothing', imageCacheText({ ...facts, imageCache: { images: null, usedBytes: null, compressedBytes: null } }), null],
    ['a cache that is not known', imageCacheText({ ...facts, imageCache: null }), null],
  ];
  for (const [name, text, expected] of cases) it(`show ${name}`, () => assert.equal(text, expected));
});
