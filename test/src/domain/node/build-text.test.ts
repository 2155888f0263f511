import assert from 'node:assert/strict';
import { buildText } from '../../../../src/domain/node/build-text.ts';

describe('buildText', () => {
  it('is build and revision, as far as they are known', () => {
    assert.equal(buildText({ build: 20348, revision: 5499 }), '20348.5499');
    assert.equal(buildText({ build: 20348, revision: 0 }), '20348.0');
    assert.equal(buildText({ build: 20348, revision: null }), '20348');
    assert.equal(buildText({ build: null, revision: 5 }), null);
  });
});
