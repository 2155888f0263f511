import assert from 'node:assert/strict';
import type { PullScope } from '../../../../src/app/images/pull-secrets.ts';
import { identitiesOf, type Identities, type IdentityOptions } from '../../../../src/app/prepull/pull-identity.ts';
import { fakeCluster, forbidden, type FakeClusterParts } from '../../../support/fake-cluster.ts';

const scope = (serviceAccount: string, secretNames: readonly string[] = [], namespace = 'shop'): PullScope => ({ namespace, serviceAccount, secretNames });
const serviceaccounts = [
  { metadata: { name: 'web', namespace: 'shop' }, imagePullSecrets: [{ name: 'of-web' }] }, { metadata: { name: 'default', namespace: 'shop' }, imagePullSecrets: [{ name: 'of-default' }] }, { metadata: { name: 'bare', namespace: 'shop' } },
];

async function identities(scopes: Readonly<Record<string, PullScope>>, options: Partial<IdentityOptions> = {}, parts: FakeClusterParts = {}): Promise<Identities> {
  return identitiesOf(new Map(Object.entries(scopes)), { namespace: 'shop', serviceAccount: null, pullSecrets: [], isShared: false, mustNameSecrets: false, signal: new AbortController().signal, ...options }, fakeCluster({ objects: { serviceaccounts }, ...parts }));
}

describe('identitiesOf', () => {
  it('is that of the workload of each image', async () => {
    const { own, byImage } = await identities({ 'a:1': scope('web'), 'b:1': scope('web'), 'c:1': scope('job', ['s']), 'd:1': scope('elsewhere', ['t'], 'ops') });
    assert.deepEqual([own, [...byImage]], [{ serviceAccount: 'web', pullSecrets: [] }, [['c:1', { serviceAccount: 'job', pullSecrets: ['s'] }]]]);
  });

  it('is the default of the namespace without workloads', async () => assert.deepEqual((await identities({})).own, { serviceAccount: null, pullSecrets: [] }));

  it('is what is asked for, for all', async () => {
    const { own, byImage } = await identities({ 'a:1': scope('web', ['s']), 'b:1': scope('job', ['s']) }, { serviceAccount: 'puller' });
    assert.deepEqual([own, byImage.size], [{ serviceAccount: 'puller', pullSecrets: ['s'] }, 0]);
  });

  it('names the secrets of the account, too, beside those that are asked for', async () => {
    assert.deepEqual((await identities({ 'a:1': scope('web') }, { pullSecrets: ['more'] })).own.pullSecrets, ['of-web', 'more']);
    assert.deepEqual((await identities({ 'a:1': scope('web', ['s']) }, { pullSecrets: ['more'] })).own.pullSecrets, ['s', 'more']);
    for (const account of ['bare', 'gone']) assert.deepEqual((await identities({ 'a:1': scope(account) }, { pullSecrets: ['more'] })).own.pullSecrets, ['more']);
    assert.deepEqual((await identities({}, { pullSecrets: ['more'] })).own.pullSecrets, ['of-default', 'more']);
  });

  it('is one for all where it is shared, with all secrets', async () => {
    const { own, byImage } = await identities({ 'a:1': scope('web'), 'b:1': scope('job', ['s']) }, { isShared: true });
    assert.deepEqual([own, byImage.size], [{ serviceAccount: 'web', pullSecrets: ['of-web', 's'] }, 0]);
    assert.deepEqual((await identities({ 'a:1': scope('web') }, { isShared: true })).own.pullSecrets, []);
    assert.deepEqual((await identities({ 'a:1': scope('web') }, { isShared: true, mustNameSecrets: true })).own.pullSecrets, ['of-web']);
  });

  it('says which account may not be read', async () => {
    const { own, notes } = await identities({ 'a:1': scope('web') }, { pullSecrets: ['more'] }, { errors: { 'get serviceaccounts': forbidden('get', 'serviceaccounts') } });
    assert.deepEqual([own.pullSecrets, notes], [['more'], ['the service account web in shop may not be read: its pull secrets are not used beside those that are named']]);
  });
});
