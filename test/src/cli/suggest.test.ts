import assert from 'node:assert/strict';
import { editDistance, nearest } from '../../../src/cli/suggest.ts';

describe('editDistance', () => {
  const cases: readonly [string, string, number][] = [
    ['nodes', 'nodes', 0], ['', 'abc', 3], ['abc', '', 3], ['nodse', 'nodes', 1], ['node', 'nodes', 1], ['kitten', 'sitting', 3], ['ca', 'abc', 3],
  ];
  for (const [left, right, distance] of cases) {
    it(`between "${left}" and "${right}" is ${distance}`, () => assert.equal(editDistance(left, right), distance));
  }
});

describe('nearest', () => {
  it('finds what was meant', () => {
    assert.equal(nearest('nodse', ['options', 'nodes', 'version']), 'nodes');
    assert.equal(nearest('NODES', ['options', 'nodes']), 'nodes');
    assert.equal(nearest('vers', ['options', 'version']), 'version');
  });

  it('suggests nothing for a word that is far from all', () => {
    assert.equal(nearest('frobnicate', ['options', 'nodes', 'version']), null);
    assert.equal(nearest('x', ['options']), null);
    assert.equal(nearest('x', []), null);
  });
});
