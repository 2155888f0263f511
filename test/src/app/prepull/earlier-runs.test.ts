import assert from 'node:assert/strict';
import { findRuns, pulledBefore } from '../../../../src/app/prepull/earlier-runs.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { pullJob, runJob, runJobName, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { writeRecord, type RecordedResult } from '../../../../src/domain/prepull/run-record.ts';
import { fakeCluster, forbidden } from '../../../support/fake-cluster.ts';

/** Of the machine that runs pulls, which is ahead of the API server. */
const STARTED = '2026-11-30T11:00:00.000Z';
const CREATED = '2026-11-30T10:58:00Z';
const DIGEST = `sha256:${'d'.repeat(64)}`;

function optionsOf(run: string, namespace = 'web'): RunOptions {
  return { run, namespace, origin: 'test', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [] };
}

function created(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, creationTimestamp: CREATED } };
}

function job(run: string, results: readonly RecordedResult[], namespace = 'web'): KubeObject {
  return created(runJob(optionsOf(run, namespace), writeRecord({ startedAt: STARTED, phase: 'running', planned: 5, refused: 0, skipped: 0, results })));
}

function pull(run: string, index: number, node: string, status: Readonly<Record<string, unknown>> = {}, namespace = 'web'): KubeObject {
  return { ...created(pullJob(optionsOf(run, namespace), { index, attempt: 1, node, image: 'a:1', isRefreshed: false }, { name: runJobName(run), uid: 'u' })), status };
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
    const before = pulledBefore([run], 'web');
    assert.deepEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'].map((node) => before(node, 'a:1') !== null), [true, true, true, false, false, false]);
    assert.deepEqual(before('n0', 'a:1'), { at: CREATED, digest: null });
    assert.equal(before('n0', 'b:1'), null);
    assert.equal(pulledBefore([run], 'other')('n0', 'a:1'), null, 'a run of another namespace proves nothing here');
  });

  it('a pull that its node cannot start is no pull, and says why', async () => {
    const refused = { phase: 'Failed', containerStatuses: [{ name: 'pull', imageID: `a@${DIGEST}`, state: { terminated: { exitCode: 128, reason: 'StartError', message: 'The container operating system does not match the host operating system.' } } }] };
    const [run] = await findRuns(fakeCluster({ objects: { jobs: [job('r1', []), pull('r1', 1, 'n1', FAILED('BackoffLimitExceeded')), pull('r1', 2, 'n2')], pods: [pod('r1', 1, refused), pod('r1', 2, refused)] } }), 'web', undefined);
    assert.deepEqual([run?.unrecorded.map(({ node, result, reason }) => [node, result, reason]), [...run?.failing.values() ?? []].map(({ reason }) => reason)], [[['n1', 'failed', 'OsMismatch']], ['OsMismatch', 'OsMismatch']]);
  });

  it('of several runs the latest counts, by the time of the API server and not of the machine that ran it, with the content that it pulled', async () => {
    const result: RecordedResult = { node: 'n0', image: 'a:1', result: 'pulled', reason: null };
    const at = (run: string, creationTimestamp: string, digest: string): KubeObject => {
      const made = job(run, [{ ...result, digest }]);
      return { ...made, metadata: { ...made.metadata, creationTimestamp } };
    };
    const late = { ...pull('r3', 1, 'n1', { succeeded: 1 }), metadata: { ...pull('r3', 1, 'n1').metadata, creationTimestamp: '2026-11-30T13:00:00Z' } };
    const runs = await findRuns(fakeCluster({ objects: { jobs: [at('r2', '2026-11-30T12:30:00Z', DIGEST), at('r1', '2026-11-30T12:00:00Z', 'sha256:0'), at('r3', '2026-11-30T11:00:00Z', 'sha256:0'), late], pods: [] } }), 'web', undefined);
    const before = pulledBefore(runs, 'web');
    assert.deepEqual([before('n0', 'a:1'), before('n1', 'a:1')], [{ at: '2026-11-30T12:30:00Z', digest: DIGEST }, { at: '2026-11-30T13:00:00Z', digest: null }]);
  });

  it('the content of a pull that nobody wrote down is that of its pod', async () => {
    const running = { containerStatuses: [{ name: 'pull', imageID: `a@${DIGEST}`, state: { running: {} } }] };
    const runs = await findRuns(fakeCluster({ objects: { jobs: [pull('r1', 1, 'n1')], pods: [pod('r1', 1, running)] } }), 'web', undefined);
    assert.deepEqual(pulledBefore(runs, 'web')('n1', 'a:1'), { at: CREATED, digest: DIGEST });
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
