import assert from 'node:assert/strict';
import { recordAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { readSecretPlace, secretCopy } from '../../../../src/domain/prepull/secret-copies.ts';

const OPTIONS = { run: 'ab12c', namespace: 'web', origin: 'kubectl win 1 prepull' };
const OWNER = { name: 'kubectl-win-prepull-ab12c', uid: 'u1' };

function secret(type: string, data: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', type, data, metadata: { name: 'pull', namespace: 'vault', labels: { team: 'a' }, annotations: { note: 'x' } } };
}

describe('copies of pull secrets', () => {
  it('have the credentials of registries alone, no labels of the source, and the run for an owner', () => {
    assert.deepEqual(secretCopy(OPTIONS, 1, secret('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': 'e30=', other: 'cHc=' }), OWNER), {
      apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson', immutable: true, data: { '.dockerconfigjson': 'e30=' },
      metadata: {
        name: 'kubectl-win-prepull-ab12c-secret-1', namespace: 'web', annotations: { 'kubectl-win/origin': 'kubectl win 1 prepull' },
        labels: { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'prepull', 'kubectl-win/run': 'ab12c', 'kubectl-win/role': 'secret' },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'kubectl-win-prepull-ab12c', uid: 'u1', controller: false, blockOwnerDeletion: false }],
      },
    });
    assert.deepEqual(recordAt(secretCopy(OPTIONS, 0, secret('kubernetes.io/dockercfg', { '.dockercfg': 'e30=' }), OWNER), 'data'), { '.dockercfg': 'e30=' });
  });

  it('are made of nothing else', () => {
    for (const [type, key] of [['Opaque', '.dockerconfigjson'], ['kubernetes.io/dockerconfigjson', '.dockercfg'], ['kubernetes.io/service-account-token', 'token'], ['toString', 'toString']] as const) {
      assert.equal(secretCopy(OPTIONS, 0, secret(type, { [key]: 'e30=' }), OWNER), null, type);
    }
  });

  it('are named by namespace and name', () => {
    assert.deepEqual(readSecretPlace('vault/my.registry'), { namespace: 'vault', name: 'my.registry' });
    for (const text of ['vault/', '/x', 'a/b/c', 'Vault/x', 'vault/x_y', 'vault/..', 'x', '', `v/${'a'.repeat(254)}`]) assert.equal(readSecretPlace(text), null, text);
  });
});
