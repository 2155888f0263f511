import assert from 'node:assert/strict';
import { answerError } from '../../../../src/adapters/registry/answer-error.ts';
import { Secrets } from '../../../../src/adapters/registry/secrets.ts';
import type { RegistryFailure } from '../../../../src/app/ports.ts';

describe('answerError', () => {
  const failure = (host: string, status: number, who?: string): RegistryFailure => answerError({ registry: 'docker.io', asked: host }, { status, statusText: '', headers: {}, body: Buffer.alloc(0), tries: 1 }, new Secrets(), who).failure;

  for (const status of [401, 403]) {
    it(`says after ${status} how to log in to a cloud's registry, and that nodes are another matter`, () => {
      assert.deepEqual(failure('shop.azurecr.io', status).suggestions, [
        'log in with `az acr login --name shop`, or use credentials that may pull it',
        'nodes may pull it with an identity of their own, which is not known here: this tells nothing of them',
      ]);
      assert.deepEqual(failure('registry.example', status).suggestions, ['log in with `docker login registry.example`, or use credentials that may pull it']);
    });
  }

  it('names who was asked, not the token server, as the one to log in to', () => {
    const { message, suggestions, reason } = failure('mirror.example', 401, 'its token server auth.example');
    assert.equal(message, 'mirror.example for docker.io got no token: its token server auth.example answered 401 Unauthorized');
    assert.deepEqual([reason, ...suggestions], ['Unauthorized', 'log in with `docker login mirror.example`, or use credentials that may pull it']);
  });

  it('takes a 404 for the image from the registry alone', () => {
    assert.deepEqual([failure('docker.io', 404).reason, failure('docker.io', 410).reason, failure('docker.io', 404, 'its token server auth.example').reason], ['NotFound', 'NotFound', 'Unauthorized']);
  });
});
