import assert from 'node:assert/strict';
import { checkKruise, findKruiseRuns, imagePullJobsOf, runKruise } from '../../../../src/app/prepull/kruise-pulls.ts';
import { nameOf } from '../../../../src/domain/kubernetes/object.ts';
import { IMAGE_PULL_JOBS, kruisePulls } from '../../../../src/domain/prepull/kruise-objects.ts';
import type { PrepullEvent } from '../../../../src/domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { forbidden } from '../../../support/fake-cluster.ts';
import { kruiseCluster, type KruiseCluster, type KruiseClusterParts } from '../../../support/kruise-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const item = (node: string, image: string): PlanItem => planItem({ node, image });
const OPTIONS = { run: 'a1b2c3', namespace: 'shop', origin: 'test', timeoutSeconds: 600, serviceAccount: null, pullSecrets: [], parallel: 10, retries: 1 };
const [A, B] = ['r.example/a:1', 'r.example/b:1'];

async function pull(items: readonly PlanItem[], parts: KruiseClusterParts = {}, { isDetached = false, signal = new AbortController().signal, cluster = kruiseCluster(parts) }: { isDetached?: boolean; signal?: AbortSignal; cluster?: KruiseCluster } = {}): Promise<{ outcomes: readonly string[]; events: readonly PrepullEvent[]; cluster: KruiseCluster; error: unknown }> {
  const events: PrepullEvent[] = [];
  let error: unknown = null;
  try {
    const clock = { now: () => cluster.clock.now(), sleep: cluster.sleep };
    for await (const event of runKruise(kruisePulls(items, OPTIONS, IMAGE_PULL_JOBS), { run: 'a1b2c3', namespace: 'shop', isDetached, signal }, IMAGE_PULL_JOBS, { reader: cluster.reader, writer: cluster.writer, clock })) events.push(event);
  } catch (caught) {
    error = caught;
  }
  const outcomes = events.flatMap((event) => (event.type === 'finished' ? [`${event.item.node} ${event.item.image} ${event.outcome.result} ${event.outcome.reason} ${event.outcome.seconds}`] : []));
  return { outcomes, events, cluster, error };
}

describe('runKruise', () => {
  it('follows the jobs node by node, and removes them', async () => {
    const { outcomes, events, cluster, error } = await pull([item('n1', A), item('n2', A), item('n1', B)], { fateOf: (node, image) => (node === 'n2' ? { message: 'pull access denied' } : image === A ? 30 : 300) });
    assert.deepEqual([error, outcomes], [null, [`n2 ${A} failed Unauthorized null`, `n1 ${A} pulled PulledOrPresent 42`, `n1 ${B} pulled PulledOrPresent 42`]]);
    assert.deepEqual([events[0], events.at(-1)?.type, cluster.jobs.size], [{ type: 'began', run: 'a1b2c3', namespace: 'shop', items: 3 }, 'cleaned-up', 0]);
  });

  it('does without NodeImages that may not be read', async () => {
    const errors = { 'list nodeimages': forbidden('list', 'nodeimages') };
    assert.deepEqual((await pull([item('n1', A), item('n2', A)], { errors, fateOf: (node) => (node === 'n2' ? { message: 'no' } : 5) })).outcomes, [`n2 ${A} failed PullFailed null`, `n1 ${A} pulled PulledOrPresent null`]);
    assert.deepEqual((await pull([item('n1', A), item('n2', A)], { errors, nodes: ['n1'] })).outcomes, [`n1 ${A} failed NoDaemon null`, `n2 ${A} failed NoDaemon null`]);
  });

  it('says where it knows no node', async () => {
    assert.deepEqual((await pull([item('n1', A), item('n2', A)], { nodes: ['n1'] })).outcomes, [`n1 ${A} pulled PulledOrPresent 42`, `n2 ${A} failed NoDaemon null`]);
  });

  it('says that time was up', async () => {
    assert.deepEqual((await pull([item('n1', A), item('n2', A)], { fateOf: (node) => (node === 'n1' ? 9e9 : 1) })).outcomes, [`n2 ${A} pulled PulledOrPresent 42`, `n1 ${A} failed Timeout null`]);
  });

  it('gives up on a controller that does not run', async () => {
    const { outcomes, cluster } = await pull([item('n1', A)], { isDown: true });
    assert.deepEqual([outcomes, cluster.jobs.size], [[`n1 ${A} failed Refused null`], 0]);
    assert.ok(cluster.clock.now() < new Date('2026-11-30T12:02:00Z'));
  });

  it('says that its jobs were deleted', async () => {
    const cluster = kruiseCluster();
    const { outcomes } = await pull([item('n1', A)], {}, { cluster: { ...cluster, sleep: async (milliseconds, signal) => {
      cluster.jobs.clear();
      return cluster.sleep(milliseconds, signal);
    } } });
    assert.deepEqual(outcomes, [`n1 ${A} failed Deleted null`]);
  });

  it('leaves nothing when it is interrupted, or a job is refused', async () => {
    const controller = new AbortController();
    const cluster = kruiseCluster();
    const stopped = await pull([item('n1', A)], {}, { signal: controller.signal, cluster: { ...cluster, sleep: async () => {
      controller.abort(new Error('Ctrl-C'));
      throw controller.signal.reason;
    } } });
    assert.deepEqual([(stopped.error as Error).message, cluster.jobs.size], ['Ctrl-C', 0]);
    let made = 0;
    const other = kruiseCluster();
    const refused = await pull([item('n1', A), item('n1', B)], {}, { cluster: { ...other, writer: { ...other.writer, create: async (...parts) => {
      made += 1;
      if (made === 2) throw new ClusterError('no', { reason: 'Forbidden' });
      return other.writer.create(...parts);
    } } } });
    assert.deepEqual([(refused.error as Error).message, other.jobs.size], ['no', 0]);
  });

  it('makes its jobs again where the API server sheds load, and takes those whose answer was lost', async () => {
    const cluster = kruiseCluster();
    let failures = 3;
    const { outcomes, error } = await pull([item('n1', A), item('n1', B)], {}, { cluster: { ...cluster, writer: { ...cluster.writer, create: async (resource, object, options) => {
      if ((failures -= 1) >= 0) throw new ClusterError('slow down', { reason: 'TooManyRequests', status: 429 });
      if (cluster.jobs.has(nameOf(object))) throw new ClusterError('there already', { reason: 'AlreadyExists', status: 409 });
      const made = await cluster.writer.create(resource, object, options);
      if (failures === -1) throw new ClusterError('gone', { reason: 'ConnectionLost' });
      return made;
    } } } });
    assert.deepEqual([error, outcomes.length, cluster.jobs.size], [null, 2, 0]);
  });

  it('leaves a namesake alone', async () => {
    const cluster = kruiseCluster();
    const { error } = await pull([item('n1', A)], {}, { cluster: { ...cluster, writer: { ...cluster.writer, create: async () => {
      throw new ClusterError('there already', { reason: 'AlreadyExists', status: 409 });
    } } } });
    assert.equal((error as ClusterError).reason, 'AlreadyExists');
  });

  it('is left to itself with --detach, and found again', async () => {
    const { cluster, outcomes } = await pull([item('n1', A), item('n2', A), item('n1', B)], { fateOf: (node) => (node === 'n2' ? { message: 'no' } : 30) }, { isDetached: true });
    assert.deepEqual([outcomes, cluster.jobs.size], [[], 2]);
    const status = async (): Promise<readonly unknown[]> => (await findKruiseRuns(cluster.reader, undefined, undefined)).map(({ status: { run, phase, planned, ready, results, removedBy } }) => [run, phase, planned, ready, results.map(({ node }) => node), removedBy]);
    assert.deepEqual(await status(), [['a1b2c3', 'running', 3, 0, ['n2'], '2026-11-30T12:27:00.000Z']]);
    await cluster.sleep(40_000, new AbortController().signal);
    assert.deepEqual((await status())[0], ['a1b2c3', 'failed', 3, 2, ['n2'], '2026-11-30T12:27:00.000Z']);
  });
});

describe('imagePullJobsOf', () => {
  it('gives the version that is served, or none', async () => {
    assert.equal((await imagePullJobsOf(kruiseCluster({ version: 'v1alpha1' }).reader, undefined))?.version, 'v1alpha1');
    assert.equal(await imagePullJobsOf(kruiseCluster({ resources: [] }).reader, undefined), null);
    assert.deepEqual(await findKruiseRuns(kruiseCluster({ resources: [] }).reader, undefined, undefined), []);
    assert.deepEqual(await findKruiseRuns(kruiseCluster({ errors: { 'list imagepulljobs': forbidden('list', 'imagepulljobs') } }).reader, undefined, undefined), []);
  });
});

describe('checkKruise', () => {
  it('asks for rights, and shows the jobs', async () => {
    const { signal } = new AbortController();
    const pulls = kruisePulls([item('n1', A)], OPTIONS, IMAGE_PULL_JOBS);
    await checkKruise(pulls, IMAGE_PULL_JOBS, 'shop', kruiseCluster().writer, signal);
    await assert.rejects(checkKruise(pulls, IMAGE_PULL_JOBS, 'shop', kruiseCluster({ missingRights: ['create imagepulljobs'] }).writer, signal), /not allowed in the namespace shop: create imagepulljobs\.apps\.kruise\.io/);
    const refusing = { ...kruiseCluster().writer, create: () => Promise.reject(new ClusterError('denied the request', { reason: 'Forbidden' })) };
    await assert.rejects(checkKruise(pulls, IMAGE_PULL_JOBS, 'shop', refusing, signal), /its ImagePullJobs are refused in the namespace shop: denied the request/);
  });
});
