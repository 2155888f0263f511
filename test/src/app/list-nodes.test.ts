import assert from 'node:assert/strict';
import { type ListNodesOptions, listNodes } from '../../../src/app/list-nodes.ts';
import { ClusterError } from '../../../src/errors.ts';
import { fakeCluster, forbidden, rawNode } from '../../support/fake-cluster.ts';

const options = (changes: Partial<ListNodesOptions> = {}): ListNodesOptions => ({
  names: [], allOs: false, pools: [], releases: [], withPods: false, describe: { asOf: new Date('2026-11-30T12:00:00Z') }, ...changes,
});

describe('listNodes', () => {
  const nodes = [
    rawNode('linux-0', { os: 'linux' }), rawNode('win-0', { pool: 'a' }),
    rawNode('win-1', { pool: 'b', kernelVersion: '10.0.26100.32995' }), rawNode('win-2', { pool: 'a', kernelVersion: '10.0.26100.4061' }),
  ];

  it('reads pages, keeps Windows nodes in order and counts the others', async () => {
    const report = await listNodes(options(), fakeCluster({ objects: { nodes } }));
    assert.deepEqual(report.nodes.map(({ name, release }) => [name, release]), [['win-0', 'ltsc2022'], ['win-1', 'ltsc2025'], ['win-2', 'ltsc2025']]);
    assert.equal(report.hiddenLinux, 1);
    assert.equal(report.serverVersion, 'v1.37.2');
    assert.equal(report.resourceVersion, '7');
  });

  it('judges a node against nodes of the cluster that are not shown', async () => {
    const report = await listNodes(options({ releases: ['ltsc2022'] }), fakeCluster({ objects: { nodes: nodes.slice(1) } }));
    assert.deepEqual(report.nodes.map(({ name }) => name), ['win-0']);
    const ids = report.nodes[0]?.issues.map(({ id }) => id) ?? [];
    assert.ok(ids.includes('no-linux-node'), `no-linux-node among ${ids.join(', ')}`);
    assert.ok(ids.includes('mixed-builds'), `mixed-builds among ${ids.join(', ')}`);
  });

  it('a selector leaves nodes unread, so their absence proves nothing', async () => {
    const report = await listNodes(options({ labelSelector: 'kubernetes.io/os=windows' }), fakeCluster({ objects: { nodes: nodes.slice(1) } }));
    assert.ok(!report.nodes.some((node) => node.issues.some(({ id }) => id === 'no-linux-node')));
  });

  it('filters by pool', async () => {
    const report = await listNodes(options({ pools: ['b', 'none'] }), fakeCluster({ objects: { nodes } }));
    assert.deepEqual(report.nodes.map(({ name }) => name), ['win-1']);
  });

  it('forgets the pages before a list that was begun anew (410 Expired)', async () => {
    const report = await listNodes(options({ allOs: true }), fakeCluster({ objects: { nodes }, restartsAfterFirstPage: true }));
    assert.deepEqual(report.nodes.map(({ name }) => name), ['linux-0', 'win-0', 'win-1', 'win-2']);
    assert.equal(report.resourceVersion, '2');
  });

  it('hands every raw node on, Linux ones too', async () => {
    const seen: unknown[] = [];
    await listNodes(options({ onRawNodes: async (raws) => void seen.push(...raws) }), fakeCluster({ objects: { nodes } }));
    assert.deepEqual(seen, nodes);
  });

  describe('by name', () => {
    it('gets each, so a Role for single nodes is enough (R181)', async () => {
      const cluster = fakeCluster({ objects: { nodes }, errors: { 'list nodes': forbidden('list', 'nodes') } });
      const report = await listNodes(options({ names: ['win-2', 'win-0', 'win-2'] }), cluster);
      assert.deepEqual(report.nodes.map(({ name }) => name), ['win-2', 'win-0']);
      assert.deepEqual(cluster.calls.filter((call) => call.startsWith('get')), ['get nodes win-2', 'get nodes win-0']);
    });

    it('says of a Linux node that it is one, and shows it with allOs', async () => {
      const report = await listNodes(options({ names: ['linux-0', 'win-0'] }), fakeCluster({ objects: { nodes } }));
      assert.deepEqual(report.nodes.map(({ name }) => name), ['win-0']);
      assert.deepEqual(report.failures.map(({ message, exitCode }) => [message, exitCode]), [['node "linux-0" runs Linux, not Windows', 2]]);
      const all = await listNodes(options({ names: ['linux-0'], allOs: true }), fakeCluster({ objects: { nodes } }));
      assert.deepEqual([all.nodes.map(({ name }) => name), all.failures], [['linux-0'], []]);
    });

    it('a missing one does not keep the others from being shown', async () => {
      const report = await listNodes(options({ names: ['nobody', 'win-0'] }), fakeCluster({ objects: { nodes } }));
      assert.deepEqual(report.nodes.map(({ name }) => name), ['win-0']);
      assert.deepEqual(report.failures.map(({ message }) => message), ['Error from server (NotFound): nodes "nobody" not found']);
    });
  });

  describe('with less rights than it wants (R179)', () => {
    it('goes on without the version of the server', async () => {
      const report = await listNodes(options(), fakeCluster({ objects: { nodes }, errors: { version: forbidden('get', '/version') } }));
      assert.equal(report.serverVersion, null);
      assert.equal(report.nodes.length, 3);
      assert.match(report.notes.join('\n'), /version of the API server may not be read/);
      const hidden = new ClusterError('Error from server (NotFound): no', { reason: 'NotFound', status: 404 });
      assert.match((await listNodes(options(), fakeCluster({ objects: { nodes }, errors: { version: hidden } }))).notes.join('\n'), /version of the API server is not there to be read/);
      await assert.rejects(listNodes(options(), fakeCluster({ objects: { nodes }, errors: { version: new ClusterError('x', { reason: 'InternalError' }) } })), { message: 'x' });
    });

    it('goes on without pods and says so (R180)', async () => {
      const report = await listNodes(options({ withPods: true }), fakeCluster({ objects: { nodes }, errors: { 'list pods': forbidden('list', 'pods') } }));
      assert.equal(report.pods, null);
      assert.match(report.notes.join('\n'), /pods may not be listed in all namespaces/);
    });

    it('fails when nodes may not be listed, and leaves no promise behind', async () => {
      const cluster = fakeCluster({ errors: { 'list nodes': forbidden('list', 'nodes'), version: new ClusterError('later', { reason: 'Unreachable' }) } });
      await assert.rejects(listNodes(options(), cluster), (error) => error instanceof ClusterError && error.reason === 'Forbidden');
    });
  });

  it('counts pods per node', async () => {
    const pod = (name: string, nodeName: string, phase = 'Running') => ({ metadata: { name, namespace: 'shop' }, spec: { nodeName, containers: [{ name: 'c' }] }, status: { phase } });
    const report = await listNodes(options({ withPods: true }), fakeCluster({ objects: { nodes, pods: [pod('a', 'win-0'), pod('b', 'win-0'), pod('c', 'win-0', 'Succeeded'), pod('d', 'win-1')] } }));
    assert.deepEqual([report.pods?.get('win-0')?.total, report.pods?.get('win-1')?.total, report.pods?.get('win-2')], [2, 1, undefined]);
  });

  it('kubernetesVersion replaces the server\'s', async () => {
    const cluster = fakeCluster({ objects: { nodes } });
    const report = await listNodes(options({ kubernetesVersion: 'v1.41.0' }), cluster);
    assert.equal(report.serverVersion, 'v1.41.0');
    assert.ok(!cluster.calls.includes('version'));
    assert.ok(report.nodes.every((node) => node.issues.some(({ facts }) => facts.includes('NOD-004'))));
  });

  it('notes where the table of updates ends before the last second Tuesday', async () => {
    const report = await listNodes(options(), fakeCluster({ objects: { nodes } }));
    assert.match(report.notes.join('\n'), /^the updates known for builds 26100, 20348 end with 2026-10: PATCH counts from there/m);
    const before = await listNodes(options({ describe: { asOf: new Date('2026-10-20T00:00:00Z') } }), fakeCluster({ objects: { nodes } }));
    assert.doesNotMatch(before.notes.join('\n'), /the updates known/);
  });

  it('notes that the tables have grown old', async () => {
    const report = await listNodes(options({ describe: { asOf: new Date('2027-09-01T00:00:00Z') } }), fakeCluster({ objects: { nodes } }));
    assert.match(report.notes.join('\n'), /the tables of releases, updates and end dates are of 20\d\d-\d\d-\d\d/);
  });
});
