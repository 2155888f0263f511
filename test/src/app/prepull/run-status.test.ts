import assert from 'node:assert/strict';
import { runStatuses } from '../../../../src/app/prepull/run-status.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { pullJob, runJob, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { writeRecord, type RunRecord } from '../../../../src/domain/prepull/run-record.ts';
import { ScriptedCluster } from '../../../prepull/scripted-cluster.ts';

const START = Date.parse('2026-11-30T12:00:00Z');
const OPTIONS: RunOptions = { run: 'r1', namespace: 'web', origin: 'kubectl win test', timeoutSeconds: 600, serviceAccount: null, pullSecrets: [] };
const at = (seconds: number): Date => new Date(START + seconds * 1000);

function placed(object: KubeObject, uid: string, status: Readonly<Record<string, unknown>> = {}): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid, namespace: 'web' }, status };
}

function cluster(record: Partial<RunRecord> = {}, status: Readonly<Record<string, unknown>> = {}, run = 'r1'): ScriptedCluster {
  const made = new ScriptedCluster();
  add(made, record, status, run);
  return made;
}

function add(to: ScriptedCluster, record: Partial<RunRecord>, status: Readonly<Record<string, unknown>>, run: string): void {
  const text = writeRecord({ startedAt: at(0).toISOString(), phase: 'running', planned: 4, refused: 0, skipped: 0, results: [{ node: 'n0', image: 'a:1', result: 'pulled', reason: null }], ...record });
  to.jobs.set(`kubectl-win-prepull-${run}`, placed(runJob({ ...OPTIONS, run }, text), `u-${run}`, { startTime: at(0).toISOString(), ...status }));
  const pulls: readonly [string, Readonly<Record<string, unknown>>][] = [['n0', { active: 1 }], ['n1', { active: 1 }], ['n2', { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] }], ['n3', { succeeded: 1 }]];
  for (const [index, [node, own]] of pulls.entries()) {
    const job = pullJob({ ...OPTIONS, run }, { index, attempt: 1, node, image: 'a:1', isRefreshed: false }, { name: `kubectl-win-prepull-${run}`, uid: `u-${run}` });
    to.jobs.set(`kubectl-win-prepull-${run}-${index}`, placed(job, `u-${run}-${index}`, own));
  }
}

const one = async (made: ScriptedCluster, seconds: number) => (await runStatuses(made.reader, { namespace: 'web', run: 'r1', now: at(seconds) }))[0];

describe('prepull status', () => {
  it('says what is on record, what is done beside it, and what is under way', async () => {
    const status = await one(cluster(), 60);
    assert.deepEqual(status?.results.map(({ node, result, reason }) => [node, result, reason]), [['n0', 'pulled', null], ['n2', 'failed', 'Timeout'], ['n3', 'pulled', null]]);
    assert.deepEqual(status?.active.map(({ node, image }) => [node, image]), [['n1', 'a:1']]);
    assert.deepEqual([status?.phase, status?.planned, status?.origin, status?.removedBy], ['running', 4, 'kubectl win test', at(720 + 300).toISOString()]);
  });

  it('tells a program that lives from one that has ended: by the deadline that it moves', async () => {
    assert.deepEqual([(await one(cluster(), 170))?.phase, (await one(cluster(), 200))?.phase, (await one(cluster(), 900))?.phase], ['running', 'abandoned', 'abandoned']);
    const moved = cluster();
    const job = moved.jobs.get('kubectl-win-prepull-r1');
    moved.jobs.set('kubectl-win-prepull-r1', { ...job, spec: { ...job?.['spec'] as object, activeDeadlineSeconds: 1320 } });
    assert.deepEqual([(await one(moved, 700))?.phase, (await one(moved, 800))?.phase], ['running', 'abandoned']);
  });

  it('knows runs that ended: by themselves, by their deadline, by somebody', async () => {
    assert.equal((await one(cluster({ phase: 'interrupted' }), 5_000))?.phase, 'interrupted');
    assert.equal((await one(cluster({}, { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] }), 60))?.phase, 'abandoned');
    const orphans = cluster();
    orphans.jobs.delete('kubectl-win-prepull-r1');
    const status = await one(orphans, 60);
    assert.deepEqual([status?.phase, status?.startedAt, status?.removedBy, status?.planned], ['abandoned', null, null, 4]);
  });

  it('of a run in its second attempt at a node: under way, and not failed', async () => {
    const made = cluster();
    const job = pullJob(OPTIONS, { index: 2, attempt: 2, node: 'n2', image: 'a:1', isRefreshed: false }, { name: 'kubectl-win-prepull-r1', uid: 'y' });
    made.jobs.set('kubectl-win-prepull-r1-2-2', placed(job, 'z', { active: 1 }));
    const status = await one(made, 60);
    assert.deepEqual([status?.results.some(({ node }) => node === 'n2'), status?.active.map(({ node }) => node)], [false, ['n1', 'n2']]);
  });

  it('counts results whose names had no room on record', async () => {
    const status = await one(cluster({ planned: 9, refused: 1, skipped: 2, dropped: { pulled: 3, present: 1, failed: 2 } }), 60);
    assert.deepEqual([status?.counts, status?.results.length, status?.refused, status?.skipped], [{ pulled: 5, present: 1, failed: 3 }, 3, 1, 2]);
  });

  it('lists runs by their beginning, or the one that is asked for', async () => {
    const made = cluster();
    add(made, { startedAt: at(-60).toISOString() }, {}, 'r0');
    assert.deepEqual((await runStatuses(made.reader, { namespace: 'web', run: null, now: at(1) })).map(({ run }) => run), ['r0', 'r1']);
    assert.deepEqual((await runStatuses(made.reader, { namespace: 'web', run: 'nobody', now: at(1) })), []);
  });
});
