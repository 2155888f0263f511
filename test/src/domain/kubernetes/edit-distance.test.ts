import assert from 'node:assert/strict';
import { editDistance, nearestBy } from '../../../../src/domain/kubernetes/edit-distance.ts';

describe('editDistance', () => {
  const cases: readonly [string, string, number][] = [
    ['nodes', 'nodes', 0], ['', 'abc', 3], ['abc', '', 3], ['nodse', 'nodes', 1], ['node', 'nodes', 1], ['kitten', 'sitting', 3], ['ca', 'abc', 3],
  ];
  for (const [left, right, distance] of cases) {
    it(`between "${left}" and "${right}" is ${distance}`, () => assert.equal(editDistance(left, right), distance));
  }
});

describe('nearestBy', () => {
  it('gives the first of those that are as near, and nothing that is farther than a third of the letters', () => {
    assert.equal(nearestBy('abcdef', ['abcxyz', 'abcdxx', 'abxxef'], (candidate) => editDistance('abcdef', candidate)), 'abcdxx');
    assert.equal(nearestBy('abcdef', ['abcxyz'], () => 3), null);
  });

  it('tells the distance that is to be beaten', () => {
    const bounds: number[] = [];
    nearestBy('abcdef', ['a', 'b', 'c'], (candidate, bound) => {
      bounds.push(bound);
      return candidate === 'b' ? 1 : Infinity;
    });
    assert.deepEqual(bounds, [3, 3, 1]);
  });
});
