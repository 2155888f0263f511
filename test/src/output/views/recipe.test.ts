import assert from 'node:assert/strict';
import type { RecipeItem, RecipeReport } from '../../../../src/app/hostprocess/recipe-report.ts';
import { notBegun } from '../../../../src/domain/hostprocess/outcome.ts';
import { RECIPES } from '../../../../src/domain/hostprocess/recipes/index.ts';
import type { RecipeDocument } from '../../../../src/domain/hostprocess/recipes/read-output.ts';
import { recipeItemLine, recipeLastLine, recipeListView, recipeView } from '../../../../src/output/views/recipe.ts';
import { emptyRecipeOutput, RECIPE_OUTPUTS } from '../../../support/recipe-outputs.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const OPTIONS = { asOf: new Date('2026-11-30T12:00:00Z'), generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0' };
const done: RecipeItem = { node: 'win-1', pod: 'p-1', outcome: { exitCode: 0, error: null, pid: 9, durationSeconds: 4.2 }, data: RECIPE_OUTPUTS.images as RecipeDocument, stderr: null };
const items: readonly RecipeItem[] = [
  done,
  { ...done, node: 'win-2', data: emptyRecipeOutput('images') as RecipeDocument },
  { ...done, node: 'win-3', outcome: { exitCode: 0, error: { reason: 'OutputUnreadable', message: 'recipe images has printed nothing' }, pid: 9, durationSeconds: 1 }, data: null },
  { node: 'linux', pod: null, outcome: notBegun({ reason: 'NotWindows', message: 'it runs linux', remedy: null }), data: null, stderr: null },
  { node: 'win-4', pod: null, outcome: null, data: null, stderr: null },
];
const report: RecipeReport = {
  source: { source: 'cluster', context: 'c', location: 'https://c' }, serverVersion: 'v1.37.2', run: 'a1b2c3', namespace: 'ops', phase: 'failed', items, notes: ['a note'],
  recipe: { id: 'images', version: 1, schemaVersion: 1 }, parameters: {},
};

describe('the report of a recipe', () => {
  const rows = (): readonly (readonly string[])[] => items.map((item) => recipeView(report, OPTIONS).columns.map(({ value }) => value(item)));

  it('has a row per node: what became of it, what could not be read, and what it says', () => {
    assert.deepEqual(rows(), [
      ['win-1', 'succeeded', '4.2s', '0', '2 images, 27.0Gi', '', 'p-1', 'a1b2c3'],
      ['win-2', 'succeeded', '4.2s', '2', '', 'images: access is denied; fileSystems: access is denied', 'p-1', 'a1b2c3'],
      ['win-3', 'failed', '1s', '', 'OutputUnreadable', 'recipe images has printed nothing', 'p-1', 'a1b2c3'],
      ['linux', 'refused', '', '', 'NotWindows', 'it runs linux', '', 'a1b2c3'],
      ['win-4', 'pending', '', '', '', '', '', 'a1b2c3'],
    ]);
  });

  it('is a RecipeReport with the documents of its nodes', () => {
    const document = recipeView(report, OPTIONS).document();
    assertMatchesSchema('RecipeReport', document);
    assert.deepEqual(document['summary'], { nodes: 5, succeeded: 2, failed: 1, refused: 1, skipped: 0, pending: 1 });
  });

  it('says which files were brought, and which not', () => {
    const left = { path: 'C/k/a.log', sizeBytes: 7, sentBytes: 0, result: 'failed', sha256: null, message: 'it is gone' } as const;
    const fetched = { items: [left], left: [left], totals: { files: 4, sizeBytes: 4e6, sentBytes: 3e6, doneBytes: 3 * 2 ** 20, doneFiles: 3 }, problem: '1 file not copied' };
    const view = recipeView({ ...report, items: [{ ...done, fetched }] }, OPTIONS);
    assert.equal(view.columns.find(({ header }) => header === 'SUMMARY')?.value({ ...done, fetched }), '2 images, 27.0Gi; 3 of 4 files fetched, 3.0Mi');
    assertMatchesSchema('RecipeReport', view.document());
    assert.deepEqual((view.document()['items'] as readonly { readonly fetched: unknown }[])[0]?.fetched, { files: 4, fetchedFiles: 3, fetchedBytes: 3 * 2 ** 20, left: [{ path: 'C/k/a.log', result: 'failed', message: 'it is gone' }] });
  });

  it('is a line per node, and a last one without them', () => {
    const lines = [...items.map(recipeItemLine), recipeLastLine(report, OPTIONS)];
    assert.ok(lines.every((line) => line.indexOf('\n') === line.length - 1));
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assertMatchesSchema('RecipeReport', { ...parsed.at(-1), items: parsed.slice(0, -1) });
    assert.equal(parsed.at(-1)?.['items'], undefined);
  });
});

describe('the list of recipes', () => {
  it('is a RecipeList', () => {
    const view = recipeListView(RECIPES);
    assertMatchesSchema('RecipeList', view.document());
    assert.equal(view.columns.find(({ header }) => header === 'PARAMETERS')?.value(RECIPES[1]), 'minutes=60,events=200,lines=100');
    assert.equal(view.nameOf(RECIPES[0]), 'recipe/node-facts');
  });
});
