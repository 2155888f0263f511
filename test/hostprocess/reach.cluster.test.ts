/** Which nodes a command reaches, whatever is wrong with them, and what is said of those that it does not; two people who reach the same ones at once. */
import assert from 'node:assert/strict';
import { arrayAt, recordAt, stringAt } from '../../src/domain/kubernetes/object.ts';
import { leftIn, nothingLeft } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { commandOf } from '../support/exec-run.ts';
import { installedProgram, type Ended } from '../support/installed-program.ts';
import { liveExec, type LiveExec, type LiveExecOptions } from './live-exec.ts';
import { loadPlayedNodes, loadUnplayedNodes, PLAYED_CLUSTER, playKubelet, renewLease, requestsSince } from './played-cluster.ts';

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

  it('are also those that are NotReady, given up, cordoned and tainted all at once, as long as their kubelet sends heartbeats', async () => {
    // what the controllers themselves add to such nodes, the effects, and keys that they do not know
    const taints = [
      'not-ready', 'unreachable', 'unschedulable', 'disk-pressure', 'memory-pressure', 'pid-pressure', 'network-unavailable', 'out-of-service',
    ].map((key) => ({ key: `node.kubernetes.io/${key}`, effect: key === 'not-ready' || key === 'unreachable' || key === 'out-of-service' ? 'NoExecute' : 'NoSchedule' }))
      .concat([{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }, { key: 'example.com/any', effect: 'PreferNoSchedule' }, { key: 'example.com/any', effect: 'NoExecute' }]);
    const nodes = ['reach-unready', 'reach-given-up', 'reach-gone'];
    loaded.push(...nodes);
    await loadUnplayedNodes(cluster(), nodes, { ready: false, taints });
    await cluster().kubectl(['cordon', ...nodes]);
    await cluster().kubectl(['patch', 'node', 'reach-given-up', '--subresource=status', '-p', JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } })]);
    const stop = new AbortController();
    const kubelets = nodes.slice(0, 2).map((node) => playKubelet(cluster(), 'reach', node, stop.signal));
    await renewLease(cluster(), 'reach-gone', 3600);
    try {
      for (const node of nodes.slice(0, 2)) await eventually(`the Lease of ${node}`, 20, async () => ((await cluster().api.send('GET', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node}`)).status === 200 ? true : undefined));
      const ran = await liveExec(cluster().kubeconfig, on(nodes, 'reach', 'unwell'));
      assert.equal(ran.error, null, String(ran.error));
      assert.deepEqual(outcomes(ran), ['0', '0', 'NotReady'], JSON.stringify(ran.report?.items));
      assert.match(ran.report?.items[2]?.outcome?.error?.message ?? '', /last sign of life was \d+m ago/);
      assert.match(ran.report?.notes.join('\n') ?? '', /not Ready; its kubelet is tried all the same/);
      await nothingLeft(cluster(), 'reach', 30);
    } finally {
      stop.abort(new Error('it is over'));
      await Promise.all(kubelets);
    }
  });

  it('of a site without a way to mcr.microsoft.com take the image of a mirror: by the configuration, which the environment beats, which a flag beats', async () => {
    await load(['reach-mirror']);
    const program = await installedProgram();
    const [inFile, inEnv, byFlag] = ['harbor.corp.example/mirror/hpc-base:v1.0.0', 'harbor.corp.example/mirror/hpc-base@sha256:b4c9637e032f667c52d1eccfa31ad8c63f1b035e8639f3f48a510536bf34032b', 'harbor.corp.example/nopull/hpc-base:v1.0.0'];
    const config = await program.write('mirror/kubectl-win.yaml', JSON.stringify({ hostProcess: { image: inFile, pullSecrets: ['harbor'], namespace: 'reach' } }));
    const exec = async (env: Readonly<Record<string, string>>, ...flags: readonly string[]): Promise<{ readonly ended: Ended; readonly pod: Readonly<Record<string, unknown>> }> => {
      const mark = await cluster().auditMark();
      const ended = await program.run(['hostprocess', 'exec', 'reach-mirror', '--kubeconfig', cluster().kubeconfig, ...flags, '--', 'echo', 'here'], { env: { KUBECTL_WIN_CONFIG: config, ...env } });
      const [job] = (await requestsSince(cluster(), mark)).filter(({ verb, resource, isDryRun }) => verb === 'create' && resource === 'jobs' && !isDryRun);
      assert.equal(job?.namespace, 'reach');
      return { ended, pod: recordAt(job?.body, 'spec', 'template', 'spec') };
    };
    const imageOf = (pod: Readonly<Record<string, unknown>>): string | undefined => stringAt(arrayAt(pod, 'containers')[0], 'image');
    for (const [env, image] of [[{}, inFile], [{ KUBECTL_WIN_HOSTPROCESS_IMAGE: inEnv }, inEnv]] as const) {
      const { ended, pod } = await exec(env);
      assert.deepEqual([ended.exitCode, ended.stdout, imageOf(pod), pod['imagePullSecrets']], [0, 'here\n', image, [{ name: 'harbor' }]], ended.stderr);
    }
    const { ended, pod } = await exec({ KUBECTL_WIN_HOSTPROCESS_IMAGE: inEnv }, '--image', byFlag, '--pull-secret', 'other');
    assert.deepEqual([ended.exitCode, imageOf(pod), pod['imagePullSecrets']], [3, byFlag, [{ name: 'harbor' }, { name: 'other' }]], ended.stderr);
    assert.match(ended.stderr, /^error: reach-mirror: PullFailed: /m);
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
