import assert from 'node:assert/strict';
import Nodes from '../../../../commands/nodes.ts';
import { runCommand } from '../../../support/run-command.ts';
import { type NodesRequest, readNodesRequest } from '../../../../src/cli/nodes/nodes-request.ts';
import { fakeCluster } from '../../../support/fake-cluster.ts';

/** The request that a command line becomes, read by the command's own parser. */
async function requestOf(...argv: string[]): Promise<NodesRequest> {
  let request: NodesRequest | null = null;
  class Probe extends Nodes {
    override async run(): Promise<number> {
      request = readNodesRequest(this.words, this.flags, await this.formatFile());
      return 0;
    }
  }
  const { stderr } = await runCommand(['nodes', ...argv], { commands: { nodes: Probe as never }, reader: fakeCluster() });
  assert.ok(request !== null, stderr);
  return request;
}

describe('readNodesRequest', () => {
  it('without anything: all Windows nodes as a table', async () => {
    const request = await requestOf();
    assert.deepEqual(request, {
      format: { name: 'table' },
      list: { names: [], labelSelector: undefined, fieldSelector: undefined, chunkSize: 500, allOs: false, pools: [], releases: [], kubernetesVersion: undefined, withPods: false },
      withIssue: null, failOn: null, failOnUnchanged: false, groupBy: null, deep: null,
    });
  });
  it('reads how --deep is to ask', async () => {
    const { deep } = await requestOf('--deep', '--parallel=0', '--timeout=90s', '--start-timeout=1m', '--image=registry.example/base:v1', '--pull-secret=a,b');
    assert.deepEqual(deep, {
      parallel: Number.MAX_SAFE_INTEGER, timeoutSeconds: 90, startTimeoutSeconds: 60,
      pod: { image: 'registry.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: ['a', 'b'], priorityClass: null, requests: {}, labels: {}, annotations: {} },
    });
    assert.deepEqual([(await requestOf('--deep')).deep?.parallel, (await requestOf('--deep')).deep?.timeoutSeconds], [20, 180]);
  });
  it('reads lists in commas and repeated', async () => {
    const { list } = await requestOf('--pool', 'a,b', '--pool=c', '--release', 'ltsc2019');
    assert.deepEqual([list.pools, list.releases], [['a', 'b', 'c'], ['ltsc2019']]);
  });
  it('knows the releases, in any case, and refuses what no node can be', async () => {
    assert.deepEqual((await requestOf('--release', '23h2,LTSC2019')).list.releases, ['23H2', 'ltsc2019']);
    const { stderr, exitCode } = await runCommand(['nodes', '--release', 'ltsc2091'], { reader: fakeCluster() });
    assert.equal(exitCode, 2);
    assert.match(stderr, /^error: invalid argument "ltsc2091" for "--release" flag: no Windows release has this name\ndid you mean ltsc2019\?\nvalid: ltsc2016, /);
  });
  it('reads --kubernetes-version before any cluster is asked', async () => {
    assert.equal((await requestOf('--kubernetes-version', '1.34')).list.kubernetesVersion, 'v1.34');
    assert.equal((await requestOf('--kubernetes-version', 'v1.34.2')).list.kubernetesVersion, 'v1.34.2');
    for (const text of ['banana', '', '1', 'latest']) {
      const { stderr, exitCode, readerOptions } = await runCommand(['nodes', '--kubernetes-version', text], { reader: fakeCluster() });
      assert.deepEqual([exitCode, readerOptions], [2, []]);
      assert.match(stderr, /^error: invalid argument "[^"]*" for "--kubernetes-version" flag: must be a version of Kubernetes\ngive it as 1\.34 or v1\.34\.2\n/);
    }
  });
  it('takes names in every form of kubectl', async () => assert.deepEqual((await requestOf('a', 'node/b', 'nodes/c', 'no/d')).list.names, ['a', 'b', 'c', 'd']));
  it('reads pods only for what shows them', async () => {
    assert.equal((await requestOf('-o', 'json')).list.withPods, false);
    assert.equal((await requestOf('-owide')).list.withPods, true);
    assert.equal((await requestOf('--show-agents')).list.withPods, true);
  });
  it('keeps what selects issues apart from words that do not', async () => {
    const request = await requestOf('--fail-on', 'none');
    assert.deepEqual([request.failOn, request.failOnUnchanged], [null, false]);
    const gate = await requestOf('--compare', 'f', '--fail-on', 'unchanged,eol');
    assert.equal(gate.failOnUnchanged, true);
    assert.equal(gate.failOn?.selects({ id: 'past-support', facts: ['NOD-002'], severity: 'info', message: '', remedy: '', reference: '' }), true);
    assert.equal(gate.failOn?.selects({ id: 'x', facts: ['NOD-009'], severity: 'error', message: '', remedy: '', reference: '' }), false);
  });
  it('knows the format of Prometheus', async () => assert.deepEqual((await requestOf('-o', 'prometheus')).format, { name: 'prometheus' }));
});
