import assert from 'node:assert/strict';
import { nearest } from '../../../src/cli/suggest.ts';

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
