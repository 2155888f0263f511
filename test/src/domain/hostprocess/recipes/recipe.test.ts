import assert from 'node:assert/strict';
import { findRecipe } from '../../../../../src/domain/hostprocess/recipes/index.ts';
import { readParameters, type Recipe } from '../../../../../src/domain/hostprocess/recipes/recipe.ts';

function recipe(id: string): Recipe {
  return findRecipe(id) ?? assert.fail(id);
}

describe('parameters of a recipe', () => {
  it('have values of their own where none are given', () => assert.deepEqual(readParameters(recipe('logs'), []), { minutes: 60, events: 200, lines: 100 }));
  it('are set one by one, the last of a name', () => assert.deepEqual(readParameters(recipe('logs'), ['lines=0', 'minutes=5', 'minutes=10']), { minutes: 10, events: 200, lines: 0 }));

  const refused: readonly [string, string, string][] = [
    ['logs', 'hours=1', 'recipe logs has no parameter "hours"; it has minutes, events, lines'],
    ['hns', 'minutes=1', 'recipe hns takes no parameters'],
    ['logs', 'minutes', 'minutes of recipe logs is a whole number from 1 to 43200, and none is given: minutes=60'],
    ['logs', 'minutes=', 'minutes of recipe logs is a whole number from 1 to 43200, and not "": minutes=60'],
    ['logs', 'minutes=-5', 'minutes of recipe logs is a whole number from 1 to 43200, and not "-5": minutes=60'],
    ['logs', 'minutes=0', 'minutes of recipe logs is a whole number from 1 to 43200, and not "0": minutes=60'],
    ['logs', 'minutes=43201', 'minutes of recipe logs is a whole number from 1 to 43200, and not "43201": minutes=60'],
    ['logs', "minutes=1';calc;'", 'minutes of recipe logs is a whole number from 1 to 43200, and not "1\';calc;\'": minutes=60'],
    ['logs', 'minutes=1e1', 'minutes of recipe logs is a whole number from 1 to 43200, and not "1e1": minutes=60'],
  ];
  for (const [id, text, problem] of refused) it(`${id} refuses ${text}`, () => assert.equal(readParameters(recipe(id), [text]), problem));
});
