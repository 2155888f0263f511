import assert from 'node:assert/strict';
import type { ExecItem } from '../../../../src/app/hostprocess/exec-report.ts';
import { recipeItem, type RecipeOutputs } from '../../../../src/app/hostprocess/recipe-report.ts';
import type { KeptOutput } from '../../../../src/domain/hostprocess/fold.ts';
import { notBegun, type ExecOutcome } from '../../../../src/domain/hostprocess/outcome.ts';
import { findRecipe } from '../../../../src/domain/hostprocess/recipes/index.ts';
import { recipeOutput, RECIPE_OUTPUTS } from '../../../support/recipe-outputs.ts';

const RECIPE = findRecipe('images') ?? assert.fail();
const DONE: ExecOutcome = { exitCode: 0, error: null, pid: 7, durationSeconds: 2 };
const kept = (text: string, more: Partial<KeptOutput> = {}): KeptOutput => ({ text, base64: null, isTruncated: false, sizeBytes: text.length, digest: '', ...more });
const outputs = (stdout: KeptOutput | null, stderr: KeptOutput | null = kept('')): RecipeOutputs => ({ stdout, stderr });
const item = (outcome: ExecOutcome | null): ExecItem => ({ node: 'win-1', pod: 'p', outcome });

describe('what a recipe has brought from a node', () => {
  it('is its document', () => {
    assert.deepEqual(recipeItem(RECIPE, item(DONE), outputs(kept(recipeOutput('images')))), { node: 'win-1', pod: 'p', outcome: DONE, data: RECIPE_OUTPUTS.images, stderr: null });
  });

  it('is its document also where the script failed afterwards, with its code and what it said', () => {
    const { data, outcome, stderr } = recipeItem(RECIPE, item({ ...DONE, exitCode: 1 }), outputs(kept(recipeOutput('images')), kept('it broke\r\n')));
    assert.deepEqual([data, outcome?.exitCode, outcome?.error, stderr], [RECIPE_OUTPUTS.images, 1, null, 'it broke']);
  });

  const missing: readonly [string, KeptOutput, RegExp][] = [
    ['no document', kept(''), /^recipe images has printed nothing$/],
    ['more than was kept', kept(recipeOutput('images'), { isTruncated: true, sizeBytes: 9_000_000 }), /^recipe images has printed 9000000 bytes, more than are kept/],
    ['bytes of another encoding', kept('', { text: null, base64: '/w==' }), /not UTF-8$/],
  ];
  for (const [name, stdout, message] of missing) {
    it(`is a failure with ${name} of a script that ended well`, () => {
      const { data, outcome } = recipeItem(RECIPE, item(DONE), outputs(stdout));
      assert.deepEqual([data, outcome?.exitCode, outcome?.error?.reason], [null, 0, 'OutputUnreadable']);
      assert.match(outcome?.error?.message ?? '', message);
    });
  }

  it('keeps the reason of a script that failed before it had a document', () => {
    const failed: ExecOutcome = { ...DONE, exitCode: null, error: { reason: 'Timeout', message: 'not ended within 3m' } };
    assert.deepEqual(recipeItem(RECIPE, item(failed), outputs(kept(''))).outcome, failed);
    assert.deepEqual(recipeItem(RECIPE, item({ ...DONE, exitCode: 9 }), outputs(kept(''))).outcome, { ...DONE, exitCode: 9 });
  });

  it('is nothing where it was not begun, or has not ended', () => {
    const refused = notBegun({ reason: 'NotWindows', message: 'linux' });
    assert.deepEqual(recipeItem(RECIPE, item(refused), outputs(null, null)), { node: 'win-1', pod: 'p', outcome: refused, data: null, stderr: null });
    assert.equal(recipeItem(RECIPE, item(null), outputs(null, null)).data, null);
  });
});
