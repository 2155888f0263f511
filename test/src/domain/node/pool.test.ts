import assert from 'node:assert/strict';
import { POOL_LABELS, poolOf } from '../../../../src/domain/node/pool.ts';

describe('poolOf', () => {
  for (const { label } of POOL_LABELS) it(`reads ${label}`, () => assert.equal(poolOf({ metadata: { labels: { [label]: 'win' } } }), 'win'));

  it('has unique labels with sources', () => {
    assert.equal(new Set(POOL_LABELS.map((row) => row.label)).size, POOL_LABELS.length);
    for (const row of POOL_LABELS) assert.match(row.source, /^https:\/\//, row.label);
  });

  it('puts the user\'s own labels first, in their order', () => {
    const node = { metadata: { labels: { agentpool: 'aks', team: 'blue', 'example.com/pool': 'own' } } };
    assert.equal(poolOf(node, ['example.com/pool', 'team']), 'own');
    assert.equal(poolOf(node, ['missing', 'team']), 'blue');
    assert.equal(poolOf(node, ['missing']), 'aks');
  });

  it('takes the MachineSet of Cluster API and of OpenShift', () => {
    assert.equal(poolOf({ metadata: { annotations: { 'cluster.x-k8s.io/owner-kind': 'MachineSet', 'cluster.x-k8s.io/owner-name': 'md-win-7d5f' } } }), 'md-win-7d5f');
    assert.equal(poolOf({ metadata: { annotations: { 'machine.openshift.io/machine': 'openshift-machine-api/prod-windows-worker-a-x7f2p' } } }), 'prod-windows-worker-a');
  });

  it('knows none where nothing tells', () => {
    for (const node of [{}, null, 5, { metadata: { labels: { agentpool: '' } } }, { metadata: { labels: { agentpool: 3 } } }, { metadata: { annotations: { 'cluster.x-k8s.io/owner-kind': 'KubeadmControlPlane', 'cluster.x-k8s.io/owner-name': 'cp' } } }]) assert.equal(poolOf(node), null, JSON.stringify(node));
  });
});
