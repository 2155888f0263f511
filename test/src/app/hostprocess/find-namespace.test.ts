import assert from 'node:assert/strict';
import { findNamespace } from '../../../../src/app/hostprocess/find-namespace.ts';
import { ClusterError, UsageError } from '../../../../src/errors.ts';
import { fakeCluster, forbidden, type FakeClusterParts } from '../../../support/fake-cluster.ts';

const OWN = { objects: { namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubectl-win' } }] } };

async function found(given: string | null, configured: string | null, parts: FakeClusterParts = {}): Promise<string> {
  const { namespace, because } = await findNamespace(given, { namespace: configured }, fakeCluster(parts));
  return `${namespace}: ${because}`;
}

describe('the namespace of a run on nodes', () => {
  it('is the one that is named, before all others', async () => assert.equal(await found('ops', 'configured', OWN), 'ops: as named (-n)'));
  it('is the configured one', async () => assert.equal(await found(null, 'configured', OWN), 'configured: as configured (hostProcess.namespace)'));
  it('is that for it alone, where it is there', async () => assert.equal(await found(null, null, OWN), 'kubectl-win: which is there for it'));
  it('is that of the context otherwise', async () => assert.equal(await found(null, null), 'default: that of the context: there is no kubectl-win'));
  it('is that of the context, and says so, where namespaces may not be looked at', async () => assert.match(await found(null, null, { errors: { 'get namespaces': forbidden('get', 'namespaces') } }), /^default: that of the context: whether .* \(get namespaces\); -n kubectl-win names it$/));
  it('of a recording is any', async () => assert.equal(await found(null, null, { source: 'files' }), 'default: that of the context'));

  it('can be none', async () => {
    for (const [given, configured] of [['a b', null], [null, 'Ops']] as const) await assert.rejects(found(given, configured), UsageError);
    const gone = new ClusterError('gone', { reason: 'Unreachable' });
    await assert.rejects(found(null, null, { errors: { 'get namespaces': gone } }), gone);
  });
});
