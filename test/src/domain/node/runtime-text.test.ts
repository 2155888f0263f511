import assert from 'node:assert/strict';
import { runtimeText } from '../../../../src/domain/node/runtime-text.ts';

describe('runtimeText', () => {
  it('is the runtime as the node writes it', () => {
    assert.equal(runtimeText({ containerRuntime: { name: 'containerd', version: '2.0.4+azure', supportEnd: null } }), 'containerd://2.0.4+azure');
    assert.equal(runtimeText({ containerRuntime: null }), null);
  });
});
