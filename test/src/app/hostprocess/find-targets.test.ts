import assert from 'node:assert/strict';
import { findTargets, isSelection, type FindTargetsOptions, type TargetsFound } from '../../../../src/app/hostprocess/find-targets.ts';
import { readTarget } from '../../../../src/domain/hostprocess/target.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError, UsageError } from '../../../../src/errors.ts';
import { fakeCluster, forbidden, rawNode, type FakeCluster, type FakeClusterParts } from '../../../support/fake-cluster.ts';

const pod = (namespace: string, name: string, nodeName?: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, spec: nodeName === undefined ? {} : { nodeName } });
const lease = (name: string, renewTime: string): KubeObject => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: 'kube-node-lease', name }, spec: { renewTime } });

const NODES = [
  rawNode('linux-1', { os: 'linux' }), rawNode('win-1', { pool: 'a', labels: { disk: 'ssd' } }), rawNode('win-2', { pool: 'b', kernelVersion: '10.0.17763.7009' }), rawNode('win-3', { pool: 'b', labels: { disk: 'ssd' } }),
];

function cluster(parts: FakeClusterParts = {}): FakeCluster {
  return fakeCluster({ ...parts, objects: { nodes: NODES, pods: [pod('default', 'web', 'win-2'), pod('shop', 'web', 'win-3'), pod('default', 'waits'), pod('default', 'lost', 'gone-1')], ...parts.objects } });
}

function find(words: readonly string[], more: Partial<FindTargetsOptions> = {}, reader = cluster()): Promise<TargetsFound> {
  const targets = words.map((word) => {
    const target = readTarget(word);
    return typeof target === 'string' ? assert.fail(target) : target;
  });
  return findTargets({ targets, pools: [], releases: [], all: false, describe: { asOf: new Date('2026-11-30T12:00:00Z') }, ...more }, reader);
}

const short = ({ nodes, refusals }: TargetsFound): readonly string[] => [...nodes.map(({ node, by }) => `${node.name}${by === null ? '' : ` by ${by}`}`), ...refusals.map(({ node, reason }) => `${node} ${reason}`)];

async function refusal(words: readonly string[], more: Partial<FindTargetsOptions> = {}, reader = cluster()): Promise<string> {
  try {
    return assert.fail(`found ${short(await find(words, more, reader)).join()}`);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return [error.message, ...error.suggestions].join('\n');
  }
}

describe('the nodes of a run', () => {
  it('are those that are named, in that order, each once', async () => {
    const found = await find(['win-3', 'node/win-1', 'win-3']);
    assert.deepEqual(short(found), ['win-3', 'win-1']);
    assert.deepEqual([found.serverVersion, found.source.context, found.notes], ['v1.37.2', 'test', []]);
  });

  it('are those of pods, by the namespace of the context or one that is named', async () => {
    assert.deepEqual(short(await find(['pod/web', 'pod/shop/web', 'win-3'])), ['win-2 by pod/web', 'win-3 by pod/shop/web']);
  });

  it('are named for what they are: Linux, too, so that it is refused with a reason', async () => assert.deepEqual(short(await find(['linux-1'])), ['linux-1']));

  it('that are not there are said, with what was meant', async () => {
    const { refusals } = await find(['win-l', 'pod/nobody', 'pod/waits', 'pod/lost', 'other-machine', 'win-1']);
    assert.deepEqual(refusals.map(({ node, message, remedy }) => [node, message, remedy]), [
      ['pod/nobody', 'there is no such pod in the namespace default', undefined], ['pod/waits', 'the pod is on no node yet (namespace default)', undefined],
      ['win-l', 'there is no such node', 'Did you mean win-1?'], ['gone-1', 'the node of pod/lost is gone', undefined], ['other-machine', 'there is no such node', 'Windows nodes: win-1, win-2, win-3.'],
    ]);
    assert.ok(refusals.every(({ reason }) => reason === 'NotFound'));
  });

  it('that are not there are said without others where nodes may not be listed', async () => {
    const { refusals } = await find(['win-l', 'win-1'], {}, cluster({ errors: { 'list nodes': forbidden('list', 'nodes') } }));
    assert.deepEqual(refusals, [{ node: 'win-l', reason: 'NotFound', message: 'there is no such node', remedy: null }]);
  });

  const selections: readonly (readonly [what: string, more: Partial<FindTargetsOptions>, found: readonly string[]])[] = [
    ['all', { all: true }, ['win-1', 'win-2', 'win-3']], ['a pool', { pools: ['b'] }, ['win-2', 'win-3']], ['pools', { pools: ['a', 'b'] }, ['win-1', 'win-2', 'win-3']], ['a release', { releases: ['ltsc2019'] }, ['win-2']],
    ['a label', { selector: 'disk=ssd' }, ['win-1', 'win-3']], ['a label and a pool', { selector: 'disk=ssd', pools: ['b'] }, ['win-3']],
  ];
  for (const [what, more, found] of selections) {
    it(`are those of ${what}`, async () => {
      assert.equal(isSelection({ pools: [], releases: [], all: false, ...more }), true);
      assert.deepEqual(short(await find([], more)), found);
    });
  }

  it('are those that are named, and those that are selected, each once', async () => assert.deepEqual(short(await find(['win-3', 'linux-1'], { pools: ['b'] })), ['win-3', 'linux-1', 'win-2']));

  it('are none: what is asked for stands in the error, with the Windows nodes that there are', async () => {
    assert.equal(await refusal([], { selector: 'x=y', pools: ['c'], releases: ['ltsc2025'] }), 'no Windows node has what is asked for (-l x=y --pool c --release ltsc2025)\nWindows nodes: win-1, win-2, win-3');
    assert.equal(await refusal([], { all: true }, fakeCluster({ objects: { nodes: [rawNode('l', { os: 'linux' })] } })), 'the cluster has no Windows nodes');
    assert.match(await refusal([]), /^no node is named\nname some, or -l SELECTOR.*\nWindows nodes: win-1, win-2, win-3$/);
    assert.match(await refusal([], {}, cluster({ errors: { 'list nodes': forbidden('list', 'nodes') } })), /^no node is named\nname some[^\n]*$/);
    assert.match(await refusal([], {}, fakeCluster({ objects: { nodes: Array.from({ length: 30 }, (_, at) => rawNode(`w-${at}`)) } })), /w-9 and 20 more$/);
  });

  it('are not known to who may not read them', async () => {
    await assert.rejects(find(['win-1'], {}, cluster({ errors: { 'get nodes': forbidden('get', 'nodes') } })), ClusterError);
    await assert.rejects(find(['pod/web'], {}, cluster({ errors: { 'get pods': forbidden('get', 'pods') } })), ClusterError);
  });

  describe('that are not Ready', () => {
    const sick = rawNode('win-4', { ready: false });
    const beaten = { ...sick, metadata: { ...sick.metadata, deletionTimestamp: '2026-11-30T11:00:00Z' }, status: { conditions: [{ type: 'Ready', status: 'False', lastHeartbeatTime: '2026-11-30T11:00:00Z' }] } };
    const nodes = [...NODES, beaten];

    it('have their Lease looked up, and others not', async () => {
      const reader = cluster({ objects: { nodes, leases: [lease('win-4', '2026-11-30T11:59:55Z'), lease('win-1', '2026-11-30T11:59:55Z')] } });
      const found = await find([], { all: true }, reader);
      assert.deepEqual(found.nodes.map(({ heartbeat }) => heartbeat.from), [null, null, null, 'lease']);
      assert.deepEqual(found.nodes.at(-1)?.heartbeat.at, '2026-11-30T11:59:55Z');
      assert.deepEqual(found.nodes.map(({ isBeingDeleted }) => isBeingDeleted), [false, false, false, true]);
      assert.deepEqual(reader.calls.filter((call) => call.includes('leases')), ['get leases win-4']);
    });

    it('without a Lease are judged by their conditions', async () => assert.deepEqual((await find(['win-4'], {}, cluster({ objects: { nodes } }))).nodes[0]?.heartbeat, { at: '2026-11-30T11:00:00Z', from: 'condition' }));

    it('whose Lease may not be read are told of', async () => {
      const { notes, nodes: [node] } = await find(['win-4'], {}, cluster({ objects: { nodes }, errors: { 'get leases': forbidden('get', 'leases') } }));
      assert.match(notes.join(), /^Leases in kube-node-lease may not be read \(get leases\)/);
      assert.equal(node?.heartbeat.from, 'condition');
    });

    it('in a recording without Leases are not told of', async () => assert.deepEqual((await find(['win-4'], {}, cluster({ objects: { nodes }, source: 'files' }))).notes, []));
  });
});
