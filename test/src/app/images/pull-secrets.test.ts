import assert from 'node:assert/strict';
import { pullScopeKey, pullScopeOf, PullSecretReader } from '../../../../src/app/images/pull-secrets.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { fakeCluster, forbidden } from '../../../support/fake-cluster.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (name: string, type: string, data: Readonly<Record<string, string>>): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'shop' }, type, data });
const JSON_TYPE = 'kubernetes.io/dockerconfigjson';
const CFG_TYPE = 'kubernetes.io/dockercfg';
const account = (name: string, ...names: readonly string[]): KubeObject => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'shop' }, imagePullSecrets: names.map((one) => ({ name: one })) });

describe('pullScopeOf', () => {
  it('is the pod\'s secrets and its service account', () => {
    assert.deepEqual(pullScopeOf({ serviceAccountName: 'web', imagePullSecrets: [{ name: 'a' }, {}, 'x', { name: '' }] }, 'shop'), { namespace: 'shop', serviceAccount: 'web', secretNames: ['a'] });
    assert.deepEqual(pullScopeOf({ serviceAccountName: '' }, 'shop'), { namespace: 'shop', serviceAccount: 'default', secretNames: [] });
  });

  it('takes the old name of the service account where the new one is empty', () => {
    const accountOf = (spec: unknown): string => pullScopeOf(spec, 'shop').serviceAccount;
    assert.deepEqual([accountOf({ serviceAccount: 'web' }), accountOf({ serviceAccount: 'web', serviceAccountName: '' }), accountOf({ serviceAccount: 'web', serviceAccountName: 'db' })], ['web', 'web', 'db']);
  });

  it('has one key for equal ones', () => {
    assert.equal(pullScopeKey(pullScopeOf({}, 'a')), pullScopeKey(pullScopeOf({ serviceAccountName: 'default' }, 'a')));
    assert.notEqual(pullScopeKey(pullScopeOf({}, 'a')), pullScopeKey(pullScopeOf({}, 'b')));
  });
});

describe('PullSecretReader', () => {
  const objects = { secrets: [secret('new', JSON_TYPE, { '.dockerconfigjson': base64('{"auths":{}}') }), secret('old', CFG_TYPE, { '.dockercfg': base64('{}') }), secret('other', 'Opaque', { token: 'x' })], serviceaccounts: [account('default', 'old'), account('bare')] };

  it('reads those of the pod, of both types', async () => {
    const reader = new PullSecretReader(fakeCluster({ objects }), undefined);
    assert.deepEqual(await reader.textsFor({ namespace: 'shop', serviceAccount: 'default', secretNames: ['new', 'old', 'other', 'gone'] }), ['{"auths":{}}', '{}']);
    assert.deepEqual(reader.notes, ['secret gone of the namespace shop does not exist']);
  });

  it('passes over those whose type and key do not agree, as the kubelet does', async () => {
    const both = { '.dockerconfigjson': base64('{"auths":{}}'), '.dockercfg': base64('{}') };
    const secrets = [
      secret('opaque', 'Opaque', both), secret('crossed', JSON_TYPE, { '.dockercfg': base64('{}') }), secret('crossed-too', CFG_TYPE, { '.dockerconfigjson': base64('{"auths":{}}') }),
      secret('empty', JSON_TYPE, { '.dockerconfigjson': '' }), secret('json', JSON_TYPE, both), secret('cfg', CFG_TYPE, both),
    ];
    const reader = new PullSecretReader(fakeCluster({ objects: { secrets } }), undefined);
    assert.deepEqual(await reader.textsFor({ namespace: 'shop', serviceAccount: 'default', secretNames: ['opaque', 'crossed', 'crossed-too', 'empty', 'json', 'cfg'] }), ['{"auths":{}}', '{}']);
  });

  it('reads those of the service account where the pod has none, and only then', async () => {
    const reader = new PullSecretReader(fakeCluster({ objects }), undefined);
    assert.deepEqual(await reader.textsFor({ namespace: 'shop', serviceAccount: 'default', secretNames: [] }), ['{}']);
    assert.deepEqual(await reader.textsFor({ namespace: 'shop', serviceAccount: 'bare', secretNames: [] }), []);
    assert.deepEqual(await reader.textsFor({ namespace: 'shop', serviceAccount: 'nobody', secretNames: [] }), []);
  });

  it('reads each once', async () => {
    const cluster = fakeCluster({ objects });
    const reader = new PullSecretReader(cluster, undefined);
    const scope = { namespace: 'shop', serviceAccount: 'default', secretNames: [] };
    await Promise.all([reader.textsFor(scope), reader.textsFor(scope), reader.textsFor({ ...scope, secretNames: ['old'] })]);
    assert.deepEqual(cluster.calls, ['get serviceaccounts default', 'get secrets old']);
  });

  it('goes on without what may not be read, and says so once for all', async () => {
    const reader = new PullSecretReader(fakeCluster({ objects, errors: { 'get secrets': forbidden('get', 'secrets') } }), undefined);
    for (const namespace of ['shop', 'b', 'shop']) assert.deepEqual(await reader.textsFor({ namespace, serviceAccount: 'default', secretNames: ['new', 'old'] }), []);
    assert.deepEqual(reader.notes, ['secrets of the namespaces b, shop may not be read: registries that want imagePullSecrets were asked without']);
  });

  it('says which secrets do not exist, and which could not be read for another reason', async () => {
    const scope = { namespace: 'other', serviceAccount: 'default', secretNames: [] };
    const missing = new PullSecretReader(fakeCluster({ objects }), undefined);
    for (const secretNames of [['nope'], ['nope', 'a', 'b', 'c']]) await missing.textsFor({ ...scope, secretNames });
    await missing.textsFor({ ...scope, serviceAccount: 'nobody' });
    assert.deepEqual(missing.notes, ['secrets a, b, c and 1 more of the namespace other do not exist']);
    const silent = new PullSecretReader(fakeCluster({ objects, errors: { 'get secrets': new ClusterError('no answer', { reason: 'DeadlineExceeded' }) } }), undefined);
    await silent.textsFor({ ...scope, secretNames: ['nope'] });
    assert.deepEqual(silent.notes, ['secrets of the namespace other could not be read (no answer): registries that want imagePullSecrets were asked without']);
  });

  it('throws what is no refusal of the cluster, and what it was aborted with', async () => {
    const broken = new PullSecretReader(fakeCluster({ errors: { 'get secrets': new Error('bug') } }), undefined);
    await assert.rejects(broken.textsFor({ namespace: 'a', serviceAccount: 'default', secretNames: ['x'] }), /bug/);
    const aborted = new PullSecretReader(fakeCluster({ errors: { 'get secrets': new ClusterError('gone', { reason: 'ConnectionLost' }) } }), AbortSignal.abort(new Error('stop')));
    await assert.rejects(aborted.textsFor({ namespace: 'a', serviceAccount: 'default', secretNames: ['x'] }), /stop/);
  });
});
