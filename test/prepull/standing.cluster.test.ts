/** What stays in a cluster on purpose: DaemonSets of --keep-warm, pods of --hold, runs of --detach; and that it goes. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRuns } from '../../src/app/prepull/list-runs.ts';
import type { RunStatus } from '../../src/app/prepull/run-status.ts';
import { findStanding, removeStanding } from '../../src/app/prepull/keep-warm.ts';
import { nothingLeft, open, PLAYED } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { optionsFor, PLAYED_CLUSTER, prepull } from './played-cluster.ts';

describe('what prepull leaves on purpose', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const NODES = ['std-1', 'std-2'];
  const LTSC2022 = { 'node.kubernetes.io/windows-build': '10.0.20348' };
  const load = (name: string, labels: Readonly<Record<string, string>>): Promise<unknown> => cluster().loadNodes([rawNode(name, { labels: { ...labels, suite: 'standing' } })], { room: true, labels: PLAYED });

  before(async () => {
    for (const name of NODES) await load(name, LTSC2022);
  });
  after(async () => {
    await cluster().kubectl(['delete', 'nodes', '-l', 'suite=standing', '--wait=false']);
  });

  async function statusOf(namespace: string, run: string): Promise<RunStatus | undefined> {
    const opened = await open(cluster().kubeconfig);
    try {
      return (await listRuns(opened, { namespace, run, now: new Date() })).runs[0];
    } finally {
      await opened.close();
    }
  }

  async function until(what: string, holds: () => Promise<boolean>, seconds = 30): Promise<void> {
    for (const end = Date.now() + seconds * 1000; !(await holds());) {
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
      await sleep(250);
    }
  }

  it('--keep-warm: under Pod Security restricted, on nodes of the build that come later and no others, until it is removed', async () => {
    await cluster().createNamespace('std-warm', { 'pod-security.kubernetes.io/enforce': 'restricted' });
    const { error, report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'warm1', namespace: 'std-warm', named: ['r.example/keeps-a:1', 'r.example/keeps-b:1'], nodeSelector: 'suite=standing', isKeptWarm: true }));
    assert.deepEqual([error, report?.phase], [null, 'running']);
    await until('two nodes are warm', async () => (await statusOf('std-warm', 'warm1'))?.ready === 2);
    await load('std-late', LTSC2022);
    await load('std-other', { 'node.kubernetes.io/windows-build': '10.0.26100' });
    // what does not come is counted and named, on nodes of both builds
    const failing = await prepull(cluster().kubeconfig, optionsFor({ run: 'warm2', namespace: 'std-warm', named: ['r.example/unauth:1'], nodeSelector: 'suite=standing', isKeptWarm: true }));
    assert.deepEqual([failing.error, failing.report?.phase], [null, 'running']);
    await until('why pods of the other fail is seen', async () => {
      const status = await statusOf('std-warm', 'warm2');
      return status?.counts.failed === 4 && status.results.every(({ image, reason }) => image === 'r.example/unauth:1' && reason === 'Unauthorized');
    });
    await until('the third is warm, too', async () => (await statusOf('std-warm', 'warm1'))?.ready === 3);
    assert.equal((await statusOf('std-warm', 'warm1'))?.planned, 3);
    const opened = await open(cluster().kubeconfig);
    for (const one of await findStanding(opened, 'std-warm', undefined) ?? []) await removeStanding(one, opened.writer, undefined);
    await opened.close();
    await nothingLeft(cluster(), 'std-warm', 30);
  });

  it('--hold: pods stay, are seen, and go with the deadline', async () => {
    await cluster().createNamespace('std-hold');
    const { error, report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'hold1', namespace: 'std-hold', named: ['r.example/keeps-c:1'], nodes: NODES, parallel: 1, holdSeconds: 4, marginSeconds: 10, recordTtlSeconds: 2 }));
    assert.deepEqual([error, report?.phase, report?.items.map(({ outcome }) => outcome?.message)], [null, 'succeeded', ['pulled; held for 4s', 'pulled; held for 4s']]);
    const status = await statusOf('std-hold', 'hold1');
    assert.deepEqual([status?.phase, status?.held.map(({ node }) => node).toSorted(), status?.active], ['succeeded', NODES, []]);
    // kwok's containers do not know how long to sleep
    await nothingLeft(cluster(), 'std-hold', 90);
  });

  it('--detach: goes on by itself, tells how it went, and goes', async () => {
    await cluster().createNamespace('std-detach');
    const { error, report } = await prepull(cluster().kubeconfig, optionsFor({ run: 'det1', namespace: 'std-detach', named: ['r.example/ok-1:1', 'r.example/unauth:1'], nodes: NODES, isDetached: true, timeoutSeconds: 6, marginSeconds: 4, recordTtlSeconds: 6 }));
    assert.deepEqual([error, report?.phase, report?.items.map(({ result }) => result)], [null, 'running', ['pending', 'pending', 'pending', 'pending']]);
    await until('what goes well has gone well', async () => (await statusOf('std-detach', 'det1'))?.results.filter(({ result }) => result === 'pulled').length === 2);
    await until('why the others fail is seen', async () => (await statusOf('std-detach', 'det1'))?.active.every(({ reason }) => reason === 'Unauthorized') === true);
    await until('they have failed', async () => (await statusOf('std-detach', 'det1'))?.phase === 'failed');
    await nothingLeft(cluster(), 'std-detach', 60);
  });

  it('--pull-secret of another namespace: there while pods pull, and gone with the run, whoever ends it', async () => {
    for (const namespace of ['std-vault', 'std-copy']) await cluster().createNamespace(namespace);
    await cluster().kubectl(['create', 'secret', 'docker-registry', 'registry', '-n', 'std-vault', '--docker-server=r.example', '--docker-username=u', '--docker-password=p']);
    const secretsOf = async (namespace: string): Promise<string> => (await cluster().kubectl(['get', 'secret', '-n', namespace, '-o', 'jsonpath={range .items[*]}{.metadata.name} {.type} {.data.\\.dockerconfigjson}{"\\n"}{end}'])).stdout.trim();
    const [, type, credentials] = (await secretsOf('std-vault')).split(' ');
    const copied = { namespace: 'std-copy', nodes: NODES, copiedSecrets: [{ namespace: 'std-vault', name: 'registry' }] };
    let seen = '';
    const { error, report } = await prepull(cluster().kubeconfig, optionsFor({ ...copied, run: 'copy1', named: ['r.example/ok-1:1'] }), async ({ type: step }) => {
      if (step === 'scheduled') seen = await secretsOf('std-copy');
    });
    assert.deepEqual([error, report?.phase, seen], [null, 'succeeded', `kubectl-win-prepull-copy1-secret-0 ${type} ${credentials}`]);
    assert.equal(await secretsOf('std-copy'), '');
    // followed by nobody, it goes with the run's Job
    await prepull(cluster().kubeconfig, optionsFor({ ...copied, run: 'copy2', named: ['r.example/ok-1:1'], isDetached: true, timeoutSeconds: 4, marginSeconds: 3, recordTtlSeconds: 2 }));
    assert.match(await secretsOf('std-copy'), /^kubectl-win-prepull-copy2-secret-0 /);
    await nothingLeft(cluster(), 'std-copy', 60);
    assert.match(await secretsOf('std-vault'), /^registry /);
  });
});
