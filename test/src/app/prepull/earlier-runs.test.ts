import assert from 'node:assert/strict';
import { findRuns, pulledBefore } from '../../../../src/app/prepull/earlier-runs.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { pullJob, runJob, runJobName, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { writeRecord, type RecordedResult } from '../../../../src/domain/prepull/run-record.ts';
import { fakeCluster, forbidden } from '../../../support/fake-cluster.ts';

const STARTED = '2026-11-30T11:00:00.000Z';

function optionsOf(run: string, namespace = 'web'): RunOptions {
  return { run, namespace, origin: 'test', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [] };
}

function job(run: string, results: readonly RecordedResult[], namespace = 'web'): KubeObject {
  return runJob(optionsOf(run, namespace), writeRecord({ startedAt: STARTED, phase: 'running', planned: 5, refused: 0, skipped: 0, results }));
}

function pull(run: string, index: number, node: string, status: Readonly<Record<string, unknown>> = {}, namespace = 'web'): KubeObject {
  return { ...pullJob(optionsOf(run, namespace), { index, attempt: 1, node, image: 'a:1', isRefreshed: false }, { name: runJobName(run), uid: 'u' }), status };
}

function pod(run: string, index: number, status: Readonly<Record<string, unknown>>, namespace = 'web'): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${index}`, namespace, labels: { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'prepull', 'batch.kubernetes.io/job-name': `kubectl-win-prepull-${run}-${index}` } }, status };
}

const RUNNING = { containerStatuses: [{ name: 'pull', state: { running: {} } }] };
const FAILED = (reason: string): Readonly<Record<string, unknown>> => ({ conditions: [{ type: 'Failed', status: 'True', reason }] });

describe('runs that are on record', () => {
  it('what pulls have done that nobody wrote down is read from their pods and Jobs', async () => {
    const reader = fakeCluster({
      objects: {
        jobs: [job('r1', [{ node: 'n0', image: 'a:1', result: 'pulled', reason: null }]), pull('r1', 1, 'n1'), pull('r1', 2, 'n2', { succeeded: 1 }), pull('r1', 3, 'n3', FAILED('DeadlineExceeded')), pull('r1', 4, 'n4', FAILED('BackoffLimitExceeded')), pull('r1', 5, 'n5', { active: 1 })],
        pods: [pod('r1', 1, RUNNING), pod('r1', 5, { phase: 'Pending' })],
      },
    });
    const [run] = await findRuns(reader, 'web', undefined);
    assert.deepEqual(run?.unrecorded.map(({ node, result, reason }) => [node, result, reason]), [['n1', 'pulled', null], ['n2', 'pulled', null], ['n3', 'failed', 'Timeout'], ['n4', 'failed', 'PullFailed']]);
    const before = pulledBefore([run]);
    assert.deepEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'].map((node) => before('web', node, 'a:1') !== null), [true, true, true, false, false, false]);
    assert.equal(before('web', 'n0', 'a:1'), STARTED);
    assert.equal(before('web', 'n0', 'b:1'), null);
    assert.equal(before('other', 'n0', 'a:1'), null, 'a run of another namespace proves nothing here');
  });

  it('the same name in two namespaces is two runs, and pods are looked for in their own', async () => {
    const reader = fakeCluster({ objects: { jobs: [job('r1', []), pull('r1', 1, 'n1'), job('r1', [], 'other'), pull('r1', 1, 'n1', {}, 'other')], pods: [pod('r1', 1, RUNNING, 'other')] } });
    assert.deepEqual((await findRuns(reader, undefined, undefined)).map(({ namespace, pulls, unrecorded }) => [namespace, pulls.length, unrecorded.length]), [['web', 1, 0], ['other', 1, 1]]);
  });

  it('of a run whose own Job is gone the pulls are found; forged labels make no run', async () => {
    const forged = { ...job('r2', []), metadata: { ...job('r2', []).metadata, name: 'evil' } };
    const labelled = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x', namespace: 'web', labels: { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'prepull' } } };
    const runs = await findRuns(fakeCluster({ objects: { jobs: [pull('r1', 1, 'n1'), forged, labelled], pods: [] } }), 'web', undefined);
    assert.deepEqual(runs.map(({ run, job: own, record, pulls }) => [run, own, record, pulls.length]), [['r1', null, null, 1]]);
  });

  it('asks for pods only where there are Jobs, and throws what the server refuses', async () => {
    const reader = fakeCluster({ objects: { jobs: [] } });
    assert.deepEqual(await findRuns(reader, 'web', undefined), []);
    assert.equal(reader.calls.length, 1);
    await assert.rejects(findRuns(fakeCluster({ errors: { 'list jobs -l app.kubernetes.io/managed-by=kubectl-win,app.kubernetes.io/component=prepull': forbidden('list', 'jobs'), 'list jobs': forbidden('list', 'jobs') } }), 'web', undefined), /forbidden/);
  });

  it('forgets the pages before a list that was begun anew', async () => {
    const base = fakeCluster();
    const reader = { ...base, async* list(resource: { readonly plural: string }) {
      if (resource.plural !== 'jobs') return;
      yield { items: [job('old', [])], resourceVersion: '1' };
      yield { items: [job('new', [])], resourceVersion: '2', restarted: true };
    } };
    assert.deepEqual((await findRuns(reader, 'web', undefined)).map(({ run }) => run), ['new']);
  });
});
