/** What comes between: an API server that goes away or sheds load, nodes that die or are full, other runs. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '../../src/app/prepull/clean-up.ts';
import { prepullSummary, type PrepullReport } from '../../src/app/prepull/prepull-report.ts';
import { ClusterError } from '../../src/errors.ts';
import { leftIn, LivePods, nothingLeft, open, PLAYED, realClock } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { optionsFor, PLAYED_CLUSTER, prepull } from './played-cluster.ts';

function outcomes(report: PrepullReport | null): Readonly<Record<string, string>> {
  return Object.fromEntries((report?.items ?? []).map(({ node, image, outcome, result, reason }) => [`${node} ${image.replace(/^.*\//, '')}`, `${result}: ${outcome?.reason ?? reason}`]));
}

describe('prepull where something comes between', function () {
  this.timeout(180_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const load = (names: readonly string[], parts: Parameters<typeof rawNode>[1] = {}): Promise<unknown> => cluster().loadNodes(names.map((name) => rawNode(name, parts)), { room: true, labels: { ...PLAYED, suite: 'trouble' } });
  const numbered = (prefix: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

  afterEach(async () => {
    await cluster().kubectl(['delete', 'nodes', '-l', 'suite=trouble', '--wait=false']);
  });

  it('goes on after a restart of the API server in the middle, within the window, and pulls nothing twice', async () => {
    await cluster().createNamespace('restart');
    await load(numbered('restart', 12));
    let finished = 0;
    const restarts: Promise<void>[] = [];
    const { report, steps, error } = await prepull(cluster().kubeconfig, optionsFor({ run: 'restart', namespace: 'restart', named: ['r.example/ok-a:1-400ms', 'r.example/ok-b:1-200ms'], nodes: numbered('restart', 12), parallel: 4, timeoutSeconds: 120 }), ({ type }) => {
      if (type === 'finished') finished += 1;
      if (finished === 6 && restarts.length === 0) {
        restarts.push((async () => {
          await cluster().stopComponent('kube-apiserver');
          await sleep(2_000);
          await cluster().restartComponent('kube-apiserver');
        })());
      }
    });
    await Promise.all(restarts);
    assert.equal(error, null, String(error));
    assert.equal(restarts.length, 1);
    assert.deepEqual([report?.phase, prepullSummary(report?.items ?? []).pulled], ['succeeded', 24]);
    const started = steps.flatMap((step) => (step.type === 'started' ? [`${step.item.node} ${step.item.image}`] : []));
    assert.equal(started.length, new Set(started).size);
    await nothingLeft(cluster(), 'restart', 30);
  });

  it('waits where the API server answers 429, for minutes of Retry-After and for none', async () => {
    await cluster().createNamespace('storm');
    await load(numbered('storm', 10));
    const storm = await startStorm(cluster().server, { ca: cluster().ca, cert: cluster().admin.identity.cert, key: cluster().admin.identity.key });
    try {
      const kubeconfig = await cluster().kubeconfigFor({}, { cluster: { server: storm.url, 'certificate-authority-data': undefined } });
      let finished = 0;
      const { report, error, steps } = await prepull(kubeconfig, optionsFor({ run: 'storm', namespace: 'storm', named: ['r.example/ok-a:1-100ms', 'r.example/ok-b:1-100ms'], nodes: numbered('storm', 10), parallel: 4, timeoutSeconds: 120 }), ({ type }) => {
        if (type === 'finished' && ++finished === 3) storm.begin(6_000);
      });
      assert.equal(error, null, String(error));
      assert.deepEqual([report?.phase, prepullSummary(report?.items ?? []).pulled], ['succeeded', 20]);
      assert.ok(storm.refused() > 3, `${storm.refused()} requests were refused`);
      assert.ok(steps.some((step) => step.type === 'paused'), 'nothing was said of it');
      await nothingLeft(cluster(), 'storm', 30);
    } finally {
      await storm.stop();
    }
  });

  it('gives a node that dies in the middle up, and the others have their images', async function () {
    this.timeout(240_000);
    await cluster().createNamespace('dies');
    await load(['dies-dead', 'dies-1', 'dies-2']);
    let hasDied = false;
    const { report, error } = await prepull(cluster().kubeconfig, optionsFor({ run: 'dies', namespace: 'dies', named: ['r.example/ok-a:1-300ms', 'r.example/ok-b:1-300ms'], nodes: ['dies-dead', 'dies-1', 'dies-2'], timeoutSeconds: 170 }), async (step) => {
      if (step.type !== 'scheduled' || step.item.node !== 'dies-dead' || hasDied) return;
      hasDied = true;
      await cluster().kubectl(['label', 'node', 'dies-dead', 'kubectl-win-test/played-']);
      await cluster().kubectl(['patch', 'node', 'dies-dead', '--subresource=status', '-p', JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }] } })]);
    });
    assert.equal(error, null, String(error));
    assert.deepEqual(outcomes(report), {
      'dies-dead ok-a:1-300ms': 'failed: NodeLost', 'dies-dead ok-b:1-300ms': 'failed: NodeLost',
      'dies-1 ok-a:1-300ms': 'pulled: Pulled', 'dies-1 ok-b:1-300ms': 'pulled: Pulled', 'dies-2 ok-a:1-300ms': 'pulled: Pulled', 'dies-2 ok-b:1-300ms': 'pulled: Pulled',
    });
    await nothingLeft(cluster(), 'dies', 30);
  });

  it('says of a node that is removed in the middle that it is gone', async () => {
    await cluster().createNamespace('gone');
    await load(['gone-dead', 'gone-1']);
    const { report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'gone', namespace: 'gone', named: ['r.example/ok:1'], nodes: ['gone-dead', 'gone-1'], timeoutSeconds: 60 }), async (step) => {
      if (step.type === 'scheduled' && step.item.node === 'gone-dead') await cluster().kubectl(['delete', 'node', 'gone-dead', '--wait=false']);
    });
    assert.deepEqual(outcomes(report), { 'gone-dead ok:1': 'failed: NodeLost', 'gone-1 ok:1': 'pulled: Pulled' });
    await nothingLeft(cluster(), 'gone', 30);
  });

  it('R148 R081: pulls onto tainted nodes, whatever the taint and its effect, and stays on them', async () => {
    await cluster().createNamespace('taints');
    const taints = {
      'taint-none': [], 'taint-os': [{ key: 'os', value: 'windows', effect: 'NoSchedule' }], 'taint-evicts': [{ key: 'team', value: 'x', effect: 'NoExecute' }, { key: 'rather-not', effect: 'PreferNoSchedule' }],
      'taint-cloud': [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
    };
    for (const [name, own] of Object.entries(taints)) await load([name], { taints: own });
    const { report, error, steps } = await prepull(cluster().kubeconfig, optionsFor({ run: 'taints', namespace: 'taints', named: ['r.example/ok:1-1500ms'], nodes: Object.keys(taints) }));
    assert.equal(error, null, String(error));
    assert.deepEqual(outcomes(report), Object.fromEntries(Object.keys(taints).map((name) => [`${name} ok:1-1500ms`, 'pulled: Pulled'])));
    assert.deepEqual(steps.filter(({ type }) => type === 'retry'), []);
    await nothingLeft(cluster(), 'taints', 30);
  });

  it('R154: refuses a node under DiskPressure before anything is created for it', async () => {
    await cluster().createNamespace('pressed');
    await load(['pressed-free']);
    const pressed = rawNode('pressed-full');
    await cluster().loadNodes([{ ...pressed, status: { ...pressed['status'] as object, conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }, { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure' }] } }], { room: true, labels: { suite: 'trouble' } });
    const mark = await cluster().auditMark();
    const { report, error } = await prepull(cluster().kubeconfig, optionsFor({ run: 'pressed', namespace: 'pressed', named: ['r.example/ok:1'], nodes: ['pressed-free', 'pressed-full'] }));
    assert.equal(error, null, String(error));
    assert.deepEqual(outcomes(report), { 'pressed-free ok:1': 'pulled: Pulled', 'pressed-full ok:1': 'refused: DiskPressure' });
    const pulls = (await cluster().auditEvents(mark)).filter(({ verb, requestURI, stage, userAgent }) => verb === 'create' && stage === 'ResponseComplete' && requestURI.startsWith('/apis/batch/v1/namespaces/pressed/jobs') && !requestURI.includes('dryRun') && userAgent?.includes('kubectl-win') === true);
    // that of the run, and one pull
    assert.equal(pulls.length, 2);
    await nothingLeft(cluster(), 'pressed', 30);
  });

  it('leaves cordoned nodes out or pulls onto them, as it is asked, and says which are full', async function () {
    this.timeout(150_000);
    await cluster().createNamespace('full');
    await load(['full-cordoned', 'full-free']);
    const full = rawNode('full-full');
    await cluster().loadNodes([{ ...full, status: { ...full['status'] as object, capacity: { cpu: '4', memory: '16Gi', pods: '1' }, allocatable: { cpu: '4', memory: '16Gi', pods: '1' } } }], { labels: { ...PLAYED, suite: 'trouble' } });
    await cluster().kubectl(['cordon', 'full-cordoned']);
    await cluster().api.create('/api/v1/namespaces/full/pods', {
      metadata: { name: 'holds-the-place' }, spec: { nodeName: 'full-full', os: { name: 'windows' }, containers: [{ name: 'c', image: 'r.example/hang:1' }] },
    });
    const nodes = ['full-cordoned', 'full-free', 'full-full'];
    const { report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'full', namespace: 'full', named: ['r.example/ok:1'], nodes, timeoutSeconds: 100 }));
    assert.deepEqual(outcomes(report), { 'full-cordoned ok:1': 'refused: NodeCordoned', 'full-free ok:1': 'pulled: Pulled', 'full-full ok:1': 'failed: NodeFull' });
    assert.match(report?.items.find(({ node }) => node === 'full-full')?.outcome?.message ?? '', /Too many pods/);
    const anyway = await prepull(cluster().kubeconfig, optionsFor({ run: 'anyway', namespace: 'full', named: ['r.example/ok:2'], nodes: ['full-cordoned'], skipsCordoned: false }));
    assert.deepEqual(outcomes(anyway.report), { 'full-cordoned ok:2': 'pulled: Pulled' });
    await nothingLeft(cluster(), 'full', 30);
  });

  it('two runs at once: one is cleaned up and ends, the other is untouched', async () => {
    await cluster().createNamespace('two');
    await load(numbered('two', 6));
    const watching = await open(cluster().kubeconfig);
    const live = await LivePods.watch(watching, 'two', 'kubectl-win/run=second');
    try {
      const options = { namespace: 'two', nodes: numbered('two', 6), parallel: 2, timeoutSeconds: 60 };
      const first = prepull(cluster().kubeconfig, optionsFor({ ...options, run: 'first', named: ['r.example/ok-a:1-900ms', 'r.example/ok-b:1-900ms'] }));
      const second = prepull(cluster().kubeconfig, optionsFor({ ...options, run: 'second', named: ['r.example/ok-c:1-600ms', 'r.example/ok-d:1-600ms'] }));
      await sleep(2_500);
      const { removed, refusals } = await cleanUp({ namespace: 'two', runs: ['first'], signal: new AbortController().signal }, { reader: watching, writer: watching.writer, clock: realClock });
      assert.deepEqual([removed.map(({ run, namespace }) => [run, namespace]), refusals], [[['first', 'two']], []]);
      const { error, report } = await first;
      assert.ok(error instanceof ClusterError, String(error));
      assert.match(error.message, /the run first was removed/);
      assert.equal(report?.phase, 'interrupted');
      await sleep(500);
      assert.deepEqual((await leftIn(cluster(), 'two')).filter((name) => name.includes('prepull-first')), []);
      const other = await second;
      assert.equal(other.error, null);
      assert.deepEqual([other.report?.phase, prepullSummary(other.report?.items ?? []).pulled, live.seen], ['succeeded', 12, 12]);
      await nothingLeft(cluster(), 'two', 30);
    } finally {
      await live.stop();
      await watching.close();
    }
  });
});

interface Storm {
  readonly url: string;
  /** For so long most requests are answered with 429. */
  begin(milliseconds: number): void;
  refused(): number;
  stop(): Promise<void>;
}

/** A proxy on loopback that answers as an API server does which sheds load. */
async function startStorm(server: string, identity: { readonly ca: string; readonly cert: string; readonly key: string }): Promise<Storm> {
  let until = 0;
  let refused = 0;
  let count = 0;
  const proxy: Server = createServer((incoming, outgoing) => {
    count += 1;
    if (Date.now() < until && count % 5 !== 0) {
      refused += 1;
      const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'too many requests, please try again later', reason: 'TooManyRequests', code: 429 });
      incoming.resume();
      outgoing.writeHead(429, { 'Content-Type': 'application/json', ...(count % 2 === 0 ? { 'Retry-After': '1' } : {}) }).end(body);
      return;
    }
    const onward = request(`${server}${incoming.url ?? ''}`, { method: incoming.method, headers: Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => name !== 'host')), ...identity }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => { proxy.listen(0, '127.0.0.1', resolve); });
  const { port } = proxy.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    begin: (milliseconds) => { until = Date.now() + milliseconds; },
    refused: () => refused,
    stop: async () => {
      proxy.closeAllConnections();
      await new Promise<void>((resolve) => { proxy.close(() => resolve()); });
    },
  };
}
