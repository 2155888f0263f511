/** What comes between a command and its end: a line that is cut or falls silent, an API server that restarts, kubelets that go. It is said, and nothing stays. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocalRuns } from '../../src/adapters/files/local-runs.ts';
import { realPorts } from '../../src/cli/wiring.ts';
import { deadlinesOf, ENDED_TTL_SECONDS } from '../../src/domain/hostprocess/run-objects.ts';
import { nameOf, stringAt } from '../../src/domain/kubernetes/object.ts';
import { leftIn, nothingLeft } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { commandOf } from '../support/exec-run.ts';
import { startLoopbackRelay, type LoopbackRelay } from '../support/loopback-relay.ts';
import { runCommand } from '../support/run-command.ts';
import { liveExec, type LiveExec, type LiveExecOptions } from './live-exec.ts';
import { loadPlayedNodes, loadUnplayedNodes, objectsOfRuns, PLAYED_CLUSTER, recordsOf, renewLease, reportGone, reportRunning } from './played-cluster.ts';

const PLAYED_NODES = ['trouble-1', 'trouble-2', 'trouble-slow'] as const;
const SILENT = 'trouble-silent';
/** Deadlines that are soon over. */
const SHORT = { timeoutSeconds: 3, startTimeoutSeconds: 5 } as const;
/** The kubelet ends the pod, the Job has failed with it, and goes. */
const LAST_SECONDS = deadlinesOf({ ...SHORT, isLeased: false }).sessionSeconds + ENDED_TTL_SECONDS;

describe('hostprocess exec where something comes between', function () {
  this.timeout(180_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'trouble';
  const relays: LoopbackRelay[] = [];
  /** Runs that leave something to the cluster, which takes a while: when they ended. */
  const leftByItself: { readonly run: string; readonly at: number }[] = [];
  /** Of a line that is silent all the while. */
  let unanswered: Promise<LiveExec> | null = null;
  let home = '';

  before('nodes', async () => {
    home = await mkdtemp(join(tmpdir(), 'kubectl-win-trouble-'));
    await loadPlayedNodes(cluster(), PLAYED_NODES);
    await loadUnplayedNodes(cluster(), [SILENT]);
    await cluster().createNamespace(namespace);
  });
  after(async () => {
    await Promise.all(relays.map((relay) => relay.close()));
    for (const node of [...PLAYED_NODES, SILENT]) await cluster().api.delete(`/api/v1/nodes/${node}`);
    await rm(home, { recursive: true, force: true });
  });

  const folder = (): string => join(home, '.kube', 'kubectl-win', 'runs');
  const recorded = async (): Promise<readonly string[]> => (await readdir(folder())).filter((name) => name.endsWith('.json')).map((name) => name.replace('.json', ''));

  async function exec(run: string, nodes: readonly string[], options: LiveExecOptions, onStep?: Parameters<typeof liveExec>[2], kubeconfig = cluster().kubeconfig): Promise<LiveExec> {
    return liveExec(kubeconfig, {
      run, all: false, targets: nodes.map((name) => ({ kind: 'node', name })), namespace: { given: namespace, configured: null }, records: openLocalRuns(folder(), { onNotice: assert.fail }), ...options,
    }, onStep);
  }

  /** With a line of its own. */
  async function onLine(): Promise<{ readonly relay: LoopbackRelay; readonly kubeconfig: string }> {
    const relay = await startLoopbackRelay(cluster().server);
    relays.push(relay);
    const { cert, key } = cluster().admin.identity;
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    return { relay, kubeconfig: await cluster().kubeconfigFor({ 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }, { cluster: { server: relay.url } }) };
  }

  const running = (run: string, index = 0): Promise<true> => eventually(`the command of ${run}`, 30, async () => (await recordsOf(cluster(), run, index)).some(({ isEnded, words }) => !isEnded && words.length > 0) || undefined);
  const notesOf = ({ steps }: LiveExec): string => steps.flatMap((step) => (step.type === 'note' ? [step.message] : [])).join('\n');
  const outcomesOf = ({ report }: LiveExec): readonly (string | number | null | undefined)[] => (report?.items ?? []).map(({ outcome }) => outcome?.error?.reason ?? outcome?.exitCode);
  const isCleanedUp = ({ steps }: LiveExec): boolean => steps.some(({ type }) => type === 'cleaned-up');
  const leftOf = async (run: string): Promise<readonly string[]> => (await leftIn(cluster(), namespace)).filter((name) => name.includes(`-${run}-`));
  const sweep = async (run: string): Promise<void> => {
    const { exitCode, stderr, stdout } = await runCommand(['hostprocess', 'sweep', run, '-n', namespace, '--kubeconfig', cluster().kubeconfig], { env: { HOME: home }, clock: { now: () => new Date() }, ports: { openLocalRuns: realPorts.openLocalRuns } });
    assert.equal(exitCode, 0, stdout + stderr);
  };

  it('a line that falls silent, which nothing tells: the command runs meanwhile', async () => {
    const { relay, kubeconfig } = await onLine();
    unanswered = exec('ping', [PLAYED_NODES[1]], { command: commandOf('sleep', '600') }, undefined, kubeconfig);
    await running('ping');
    relay.silence();
  });

  it('a line that is cut and stays so: it is said, with what is left and when it goes, and the run is on record', async () => {
    const { relay, kubeconfig } = await onLine();
    const nodes = [PLAYED_NODES[0], PLAYED_NODES[1]];
    const began = Date.now();
    const ran = exec('cut', nodes, { ...SHORT, timeoutSeconds: SHORT.timeoutSeconds + 57, command: commandOf('sleep', '60') }, undefined, kubeconfig);
    await Promise.all([running('cut', 0), running('cut', 1)]);
    relay.cut();
    const result = await ran;
    assert.ok(Date.now() - began < 45_000, 'it does not wait for the end of the command');
    assert.deepEqual(outcomesOf(result), ['ConnectionLost', 'ConnectionLost']);
    assert.equal(result.report?.phase, 'failed');
    assert.equal(isCleanedUp(result), false);
    for (const [index, node] of nodes.entries()) assert.match(notesOf(result), new RegExp(`^${node}: Job kubectl-win-hostprocess-cut-${index} could not be deleted \\(.+\\); the cluster ends it by itself within [\\dms]+$`, 'm'));
    assert.ok((await recorded()).includes('cut'));
    assert.notDeepEqual(await leftOf('cut'), []);
    // the line is back, and somebody looks
    await sweep('cut');
    assert.deepEqual([await leftOf('cut'), (await recorded()).includes('cut')], [[], false]);
  });

  it('a line that falls silent in the middle: the time of the command ends it here, and the deadlines there', async () => {
    const { relay, kubeconfig } = await onLine();
    const ran = exec('silence', [PLAYED_NODES[0]], { ...SHORT, command: commandOf('sleep', '60') }, undefined, kubeconfig);
    await running('silence');
    relay.silence();
    const began = Date.now();
    const result = await ran;
    assert.ok(Date.now() - began < 30_000, 'nothing hangs');
    assert.deepEqual(outcomesOf(result), ['Timeout']);
    assert.match(notesOf(result), /^trouble-1: Job kubectl-win-hostprocess-silence-0 could not be deleted \(.*does not answer\); the cluster ends it by itself within [\dms]+$/m);
    assert.ok((await recorded()).includes('silence'));
    leftByItself.push({ run: 'silence', at: Date.now() });
  });

  it('a line that is cut for a moment: the command is lost, and its pod is removed all the same', async () => {
    const { relay, kubeconfig } = await onLine();
    const ran = exec('moment', [PLAYED_NODES[0]], { command: commandOf('sleep', '60') }, undefined, kubeconfig);
    await running('moment');
    relay.cut();
    await sleep(1_500);
    relay.restore();
    const result = await ran;
    assert.deepEqual(outcomesOf(result), ['ConnectionLost']);
    assert.deepEqual([isCleanedUp(result), await leftOf('moment'), (await recorded()).includes('moment')], [true, [], false], notesOf(result));
  });

  it('a line that is cut while the pod starts: it is waited for, and the command runs once', async () => {
    const { relay, kubeconfig } = await onLine();
    let isCut = false;
    const result = await exec('start', ['trouble-slow'], { command: commandOf('echo', 'hello') }, (step) => {
      if (isCut || step.type !== 'pulling') return;
      isCut = true;
      relay.cut();
      setTimeout(() => relay.restore(), 1_500);
    }, kubeconfig);
    assert.equal(result.error, null, String(result.error));
    assert.deepEqual([isCut, outcomesOf(result), result.outputs.byNode.get('trouble-slow')?.out()], [true, [0], 'hello\n'], notesOf(result));
    assert.equal((await recordsOf(cluster(), 'start')).length, 1);
    assert.deepEqual([isCleanedUp(result), await leftOf('start')], [true, []]);
  });

  it('an API server that restarts in the middle of a command: it is lost, and the next node has its turn', async () => {
    const restarts: Promise<void>[] = [];
    const ran = exec('restart', [PLAYED_NODES[0], PLAYED_NODES[1]], { parallel: 1, command: commandOf('sleep', '6') });
    await running('restart');
    restarts.push(cluster().restartComponent('kube-apiserver'));
    const result = await ran;
    await Promise.all(restarts);
    assert.equal(result.error, null, String(result.error));
    const [first, second] = outcomesOf(result);
    assert.match(String(first), /^(?:ConnectionLost|EndNotSeen)$/);
    assert.deepEqual([second, result.report?.phase], [0, 'failed'], notesOf(result));
    // an API server that takes longer than a clean-up waits leaves it to the deadlines, and to sweep
    if (!isCleanedUp(result)) await sweep('restart');
    await eventually('the end of what it made', 30, async () => ((await leftOf('restart')).length === 0 ? true : undefined));
    assert.deepEqual((await recorded()).includes('restart'), false);
  });

  it('R127: a kubelet that goes in the middle of a command: it is no success, whatever the API server says', async () => {
    const ran = exec('kubelet', [PLAYED_NODES[0]], { command: commandOf('sleep', '60') });
    await running('kubelet');
    await cluster().stopComponent('kubelet');
    try {
      const result = await ran;
      assert.match(String(outcomesOf(result)[0]), /^(?:EndNotSeen|ConnectionLost|NodeLost)$/);
      assert.equal(result.report?.items[0]?.outcome?.exitCode, null);
      assert.deepEqual([isCleanedUp(result), await leftOf('kubelet')], [true, []]);
    } finally {
      await cluster().restartComponent('kubelet');
    }
  });

  it('a kubelet that is away when the command is to begin: it is tried again, and runs once', async () => {
    await cluster().stopComponent('kubelet');
    const back: Promise<void>[] = [];
    const result = await exec('back', [PLAYED_NODES[0]], { command: commandOf('echo', 'hello') }, ({ type }) => {
      if (type === 'started') back.push(sleep(1_200).then(() => cluster().restartComponent('kubelet')));
    });
    await Promise.all(back);
    assert.deepEqual([outcomesOf(result), result.outputs.byNode.get(PLAYED_NODES[0])?.out()], [[0], 'hello\n'], JSON.stringify(result.report?.items));
    assert.equal((await recordsOf(cluster(), 'back')).length, 1);
    assert.deepEqual(await leftOf('back'), []);
  });

  it('a node that does not say any more that its processes have ended: that is said, and not claimed', async () => {
    await renewLease(cluster(), SILENT);
    const ran = exec('mute', [SILENT], { command: commandOf('sleep', '60'), timeoutSeconds: 2 });
    const pod = await eventually('a pod', 30, async () => (await objectsOfRuns(cluster(), namespace)).find((object) => object.kind === 'Pod' && nameOf(object).includes('-mute-')));
    await reportRunning(cluster(), namespace, nameOf(pod));
    const result = await ran;
    assert.deepEqual(outcomesOf(result), ['Timeout']);
    assert.match(notesOf(result), /^trouble-silent: Job kubectl-win-hostprocess-mute-0 is deleted, and its node does not say that its processes have ended; they end by themselves/m);
    assert.deepEqual([isCleanedUp(result), (await recorded()).includes('mute')], [false, true]);
    const [left] = (await objectsOfRuns(cluster(), namespace)).filter((object) => nameOf(object).includes('-mute-'));
    assert.notEqual(stringAt(left, 'metadata', 'deletionTimestamp'), undefined);
    await reportGone(cluster(), namespace, nameOf(pod));
    await sweep('mute');
    assert.deepEqual([await leftOf('mute'), (await recorded()).includes('mute')], [[], false]);
  });

  it('the silent line: it is given up when no ping has been answered for a minute', async () => {
    const result = await (unanswered ?? assert.fail());
    assert.deepEqual(outcomesOf(result), ['ConnectionLost']);
    assert.match(result.report?.items[0]?.outcome?.error?.message ?? '', /has not answered for \d+ s; the command may still be running/);
    assert.match(notesOf(result), /could not be deleted/);
    await sweep('ping');
    assert.deepEqual([await leftOf('ping'), (await recorded()).includes('ping')], [[], false]);
  });

  it('what nobody could delete is gone after its deadlines', async () => {
    assert.deepEqual(leftByItself.map(({ run }) => run), ['silence']);
    const until = Math.max(...leftByItself.map(({ at }) => at)) + (LAST_SECONDS + 30) * 1000;
    await nothingLeft(cluster(), namespace, Math.max(1, (until - Date.now()) / 1000));
    // a record of what is not there any more goes with the next look
    await sweep('silence');
    assert.deepEqual(await recorded(), []);
  });
});
