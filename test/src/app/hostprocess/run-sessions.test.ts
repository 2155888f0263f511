import assert from 'node:assert/strict';
import { longestSeconds } from '../../../../src/app/hostprocess/run-sessions.ts';
import { runs, ExecCluster, sign } from '../../../support/exec-cluster.ts';
import { runExec } from '../../../support/exec-run.ts';

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${String(index).padStart(3, '0')}`);

describe('sessions on many nodes', () => {
  it('are never more at once than --parallel, and none waits for a node that hangs', async () => {
    const cluster = new ExecCluster(numbered(200));
    cluster.playNode = (pod) => {
      if (pod.node !== 'n003') pod.runs(2);
    };
    const endedAt = new Map<string, number>();
    const { report } = await runExec(cluster, { parallel: 10, onStep: (step) => { if (step.type === 'ended') endedAt.set(step.node, cluster.seconds); } });
    assert.equal(report?.items.filter(({ outcome }) => outcome?.exitCode === 0).length, 199);
    assert.equal(report.items[3]?.outcome?.error?.reason, 'StartTimeout');
    const hung = endedAt.get('n003') ?? 0;
    assert.ok(hung >= 300);
    const others = [...endedAt].filter(([node]) => node !== 'n003').map(([, at]) => at);
    assert.ok(Math.max(...others) < hung, `${Math.max(...others)} s`);
    assert.ok(cluster.most <= 10, `${cluster.most} pods at once`);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('come in batches, each whole before the next, with a pause between them', async () => {
    const cluster = new ExecCluster(numbered(5));
    const events: string[] = [];
    await runExec(cluster, { batchSize: 2, batchPauseSeconds: 30, onStep: (step) => {
      if (step.type === 'batch') events.push(`batch ${step.batch}: ${step.nodes.join(' ')}`);
      if (step.type === 'pause') events.push(`pause ${step.seconds}`);
      if (step.type === 'ended') events.push('ended');
    } });
    assert.deepEqual(events, ['batch 0: n000 n001', 'ended', 'ended', 'pause 30', 'batch 1: n002 n003', 'ended', 'ended', 'pause 30', 'batch 2: n004', 'ended']);
    assert.ok(cluster.seconds > 60);
  });

  it('are no more begun after too many failures, and the rest is skipped', async () => {
    const cluster = new ExecCluster(numbered(6));
    cluster.playCommand = runs(1);
    const { outcomes, steps } = await runExec(cluster, { parallel: 1, maxFailures: 1 });
    assert.deepEqual(outcomes, ['n000: 1', 'n001: 1', 'n002: null Skipped', 'n003: null Skipped', 'n004: null Skipped', 'n005: null Skipped']);
    assert.ok(steps.some((step) => step.type === 'stopped' && step.failures === 2 && step.left === 4));
    const first = new ExecCluster(numbered(3));
    first.playCommand = runs(1);
    assert.deepEqual((await runExec(first, { parallel: 1, maxFailures: 0 })).outcomes, ['n000: 1', 'n001: null Skipped', 'n002: null Skipped']);
  });

  it('that run end by themselves where no more are begun', async () => {
    const cluster = new ExecCluster(numbered(3));
    cluster.playCommand = (command) => runs(command.node === 'n000' ? 1 : 0, 'x', command.node === 'n000' ? 1 : 30)(command);
    assert.deepEqual((await runExec(cluster, { parallel: 2, maxFailures: 0 })).outcomes, ['n000: 1', 'n001: 0', 'n002: null Skipped']);
  });

  it('are closed where nobody looks any more', async () => {
    const cluster = new ExecCluster(numbered(4));
    cluster.playCommand = async ({ err, wait }) => {
      await err(sign('start 1'));
      await wait(500);
      return 0;
    };
    const { error } = await runExec(cluster, { parallel: 2, onStep: (step) => {
      if (step.type === 'started') throw new Error('not interested');
    } });
    assert.match(String(error), /not interested/);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
    assert.ok(cluster.seconds < 30);
  });

  it('are as many as the quota has places', async () => {
    const cluster = new ExecCluster(numbered(6));
    cluster.objects['resourcequotas'] = [{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'ops' }, spec: { hard: { pods: '3' } }, status: { hard: { pods: '3' }, used: { pods: '1' } } }];
    const { outcomes, notes } = await runExec(cluster);
    assert.equal(outcomes.length, 6);
    assert.ok(cluster.most <= 2, `${cluster.most} pods at once`);
    assert.match(notes.join('\n'), /leaves room for 2 pods/);
  });
});

describe('longestSeconds', () => {
  it('is long enough for all rounds, batches and pauses', () => {
    const items = numbered(5).map((node, index) => ({ index, node, pool: null, batch: Math.floor(index / 2), refusal: null }));
    assert.ok(longestSeconds({ items, notes: [] }, { parallel: 1, batchPauseSeconds: 10 }, 100) >= 5 * 100 + 2 * 10);
    assert.ok(longestSeconds({ items, notes: [] }, { parallel: 10, batchPauseSeconds: 0 }, 100) >= 3 * 100);
  });
});
