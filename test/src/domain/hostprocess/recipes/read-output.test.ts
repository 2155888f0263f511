import assert from 'node:assert/strict';
import { readRecipeOutput } from '../../../../../src/domain/hostprocess/recipes/read-output.ts';
import { recipeOutput, RECIPE_OUTPUTS } from '../../../../support/recipe-outputs.ts';

const RECIPE = { id: 'hns', schemaVersion: 1 };

describe('the output of a recipe', () => {
  const readable: readonly [string, string][] = [
    ['is its document', recipeOutput('hns')],
    ['may have no line break at its end', recipeOutput('hns').trimEnd()],
    ['may have the line breaks of Windows', recipeOutput('hns').replace('\n', '\r\n')],
    ['may begin with a byte order mark', `\u{FEFF}${recipeOutput('hns')}`],
    ['may have lines of a profile before it', `Welcome!\n{"some":"json"}\n${recipeOutput('hns')}`],
    ['may have lines of a tool behind it', `${recipeOutput('hns')}WARNING: {"recipe" is deprecated}\n`],
    ['counts as the last of two', `{"recipe":"hns","schemaVersion":1,"problems":[]}\n${recipeOutput('hns')}`],
  ];
  for (const [name, stdout] of readable) it(name, () => assert.deepEqual(readRecipeOutput(RECIPE, stdout), { data: RECIPE_OUTPUTS.hns }));

  const unreadable: readonly [string, string, RegExp][] = [
    ['nothing', ' \r\n', /^recipe hns has printed nothing$/],
    ['an error in its place', 'pwsh : access denied', /^recipe hns has printed no document, but "pwsh : access denied"$/],
    ['a document of another recipe', recipeOutput('images'), /^recipe hns has printed no document/],
    ['a document that is cut off', recipeOutput('hns').slice(0, -20), /^the document of recipe hns is cut off or damaged after \d+ characters$/],
    ['a document with a line break in it', recipeOutput('hns').replace('"networks"', '\n"networks"'), /cut off or damaged/],
    ['a document of a later schema', recipeOutput('hns').replace('"schemaVersion":1', '"schemaVersion":2'), /has schemaVersion 2, and this program reads 1$/],
    ['a document without problems', recipeOutput('hns').replace('"problems":[]', '"problems":null'), /has no list of problems$/],
    ['a document whose problems have another shape', recipeOutput('hns').replace('"problems":[]', '"problems":[{"part":1,"message":"x"}]'), /has no list of problems$/],
  ];
  for (const [name, stdout, problem] of unreadable) {
    it(`is not ${name}, which is said`, () => {
      const output = readRecipeOutput(RECIPE, stdout);
      assert.match('problem' in output ? output.problem : '', problem);
    });
  }

  it('is quoted in short and without controls where it is none', () => {
    const output = readRecipeOutput(RECIPE, `\u001b[2J${'x'.repeat(5_000)}`);
    assert.ok('problem' in output && output.problem.length < 300 && output.problem.includes('\\u001b'));
  });
});
