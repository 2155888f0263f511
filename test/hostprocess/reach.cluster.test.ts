/** Which nodes a command reaches, whatever is wrong with them, and what is said of those that it does not; two people who reach the same ones at once. */
import assert from 'node:assert/strict';
import { stringAt } from '../../src/domain/kubernetes/object.ts';
import { leftIn, nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { commandOf } from '../support/exec-run.ts';
import { liveExec, type LiveExec, type LiveExecOptions } from './live-exec.ts';
import { loadPlayedNodes, PLAYED_CLUSTER, requestsSince } from './played-cluster.ts';

function on(nodes: readonly string[], namespace: string, run: string, more: LiveExecOptions = {}): LiveExecOptions {
  return { run, all: false, targets: nodes.map((name) => ({ kind: 'node', name })), namespace: { given: namespace, configured: null }, parallel: 4, timeoutSeconds: 60, startTimeoutSeconds: 60, command: commandOf('echo', 'here'), ...more };
}

function outcomes({ report }: LiveExec): readonly string[] {
  return (report?.items ?? []).map(({ outcome }) => outcome?.error?.reason ?? String(outcome?.exitCode ?? null));
}

describe('nodes that a command reaches', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const loaded: string[] = [];

  const load = async (nodes: readonly string[], parts: Parameters<typeof loadPlayedNodes>[2] = {}): Promise<void> => {
    loaded.push(...nodes);
    await loadPlayedNodes(cluster(), nodes, parts);
  };
  before(async () => {
    for (const name of ['reach', 'two-people']) await cluster().createNamespace(name);
  });
  afterEach(async () => {
    for (const node of loaded.splice(0)) await cluster().api.delete(`/api/v1/nodes/${node}`);
  });

  it('R081: are also those that are cordoned, and those with taints of every effect', async () => {
    await load(['reach-cordoned', 'reach-plain']);
    await load(['reach-tainted'], { taints: [{ key: 'team', value: 'x', effect: 'NoExecute' }, { key: 'os', value: 'windows', effect: 'NoSchedule' }, { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] });
    await cluster().kubectl(['cordon', 'reach-cordoned']);
    const ran = await liveExec(cluster().kubeconfig, on(['reach-cordoned', 'reach-plain', 'reach-tainted'], 'reach', 'taints'));
    assert.equal(ran.error, null, String(ran.error));
    assert.deepEqual(outcomes(ran), ['0', '0', '0']);
    await nothingLeft(cluster(), 'reach', 30);
  });

  it('are told apart from those that have no room, no image or no account, each with what is its own', async () => {
    const nodes = ['reach-1', 'reach-full', 'reach-nopull', 'reach-account', 'reach-slow'];
    await load(nodes);
    const ran = await liveExec(cluster().kubeconfig, on(nodes, 'reach', 'own', { command: commandOf('code.exe', '7') }));
    assert.deepEqual(outcomes(ran), ['7', 'NodeFull', 'PullFailed', 'StartFailed', '7']);
    for (const { node, outcome } of ran.report?.items ?? []) if (outcome?.exitCode === null) assert.match(outcome.error?.remedy ?? '', /\.$/, `${node}: what to do`);
    await nothingLeft(cluster(), 'reach', 30);
  });

  it('are shared by two people: one interrupts, and the other has all of it', async () => {
    const nodes = Array.from({ length: 6 }, (_, index) => `two-${index}`);
    await load(nodes);
    const mark = await cluster().auditMark();
    const stop = new AbortController();
    const first = liveExec(cluster().kubeconfig, on(nodes, 'two-people', 'first', { command: commandOf('sleep', '30'), signal: stop.signal }), ({ type }) => { if (type === 'started') stop.abort(new Error('Ctrl-C')); });
    const second = liveExec(cluster().kubeconfig, on(nodes, 'two-people', 'second', { command: commandOf('sleep', '2') }));
    assert.equal((await first).report?.phase, 'interrupted');
    const other = await second;
    assert.deepEqual([other.report?.phase, outcomes(other)], ['succeeded', nodes.map(() => '0')]);
    assert.deepEqual(await leftIn(cluster(), 'two-people'), []);
    const deleted = (await requestsSince(cluster(), mark)).filter(({ verb, namespace }) => verb === 'delete' && namespace === 'two-people');
    for (const { name, body } of deleted) {
      assert.match(name, /^kubectl-win-hostprocess-(?:first|second)-\d/);
      // its own, and no namesake
      assert.notEqual(stringAt(body, 'preconditions', 'uid') ?? '', '', name);
    }
    assert.deepEqual(new Set(deleted.filter(({ name }) => name.includes('-second-')).map(({ name }) => name)).size, nodes.length);
  });
});
