import assert from 'node:assert/strict';
import { detachPulls, requireNoWindow, type DetachOptions } from '../../../../src/app/prepull/detach-pulls.ts';
import type { PrepullEvent } from '../../../../src/domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { ClusterError, UsageError } from '../../../../src/errors.ts';
import { pullingCluster, type PullingCluster } from '../../../support/pulling-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const item = (node: string, image: string, action: PlanItem['action'] = 'pull'): PlanItem => planItem({ node, image, action, reason: action === 'skip' ? 'Present' : 'NotListed' });
const OPTIONS: DetachOptions = { run: 'a1b2c3', namespace: 'shop', origin: 'test', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [], isDetached: true, parallel: 0, refused: 1, skipped: 2, signal: new AbortController().signal };

async function detach(items: readonly PlanItem[], cluster: PullingCluster, options: Partial<DetachOptions> = {}, writer = cluster.writer): Promise<{ readonly events: readonly PrepullEvent[]; readonly error: unknown }> {
  const events: PrepullEvent[] = [];
  try {
    for await (const event of detachPulls(items, { ...OPTIONS, ...options }, { reader: cluster.reader, writer, clock: { now: () => cluster.clock.now(), sleep: cluster.sleep } })) events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error };
  }
}

describe('detachPulls', () => {
  it('makes the Job of the run, then one for each pull, and leaves them', async () => {
    const cluster = pullingCluster();
    const { events, error } = await detach([item('a', 'x:1'), item('a', 'y:1', 'unknown'), item('b', 'x:1', 'skip')], cluster);
    assert.equal(error, null);
    assert.deepEqual(events.map(({ type }) => type), ['began', 'started', 'started']);
    assert.deepEqual([...cluster.jobs.keys()], ['kubectl-win-prepull-a1b2c3', 'kubectl-win-prepull-a1b2c3-0', 'kubectl-win-prepull-a1b2c3-1']);
  });

  it('tries again what passes', async () => {
    const cluster = pullingCluster();
    let failures = 3;
    const { events, error } = await detach([item('a', 'x:1')], cluster, {}, { ...cluster.writer, create: async (...parts) => {
      failures -= 1;
      if (failures >= 0) throw new ClusterError('busy', { reason: 'TooManyRequests', status: 429 });
      return cluster.writer.create(...parts);
    } });
    assert.deepEqual([error, events.length, cluster.jobs.size], [null, 2, 2]);
  });

  it('takes what was made though its answer was lost', async () => {
    const cluster = pullingCluster();
    const lost = new Set<string>();
    const { error } = await detach([item('a', 'x:1')], cluster, {}, { ...cluster.writer, create: async (resource, object, options) => {
      const name = (object.metadata as { readonly name: string }).name;
      if (lost.has(name)) throw new ClusterError('there already', { reason: 'AlreadyExists', status: 409 });
      lost.add(name);
      await cluster.writer.create(resource, object, options);
      throw new ClusterError('gone', { reason: 'ConnectionLost' });
    } });
    assert.deepEqual([error, cluster.jobs.size], [null, 2]);
  });

  it('removes what it made where not all could be', async () => {
    const cluster = pullingCluster();
    const refusal = new ClusterError('exceeded quota', { reason: 'Forbidden', status: 403 });
    const { events, error } = await detach([item('a', 'x:1'), item('b', 'x:1')], cluster, {}, { ...cluster.writer, create: async (resource, object, options) => {
      if ((object.metadata as { readonly name: string }).name.endsWith('-1')) throw refusal;
      return cluster.writer.create(resource, object, options);
    } });
    assert.deepEqual([error, events.at(-1)], [refusal, { type: 'cleaned-up' }]);
    assert.ok(!cluster.jobs.has('kubectl-win-prepull-a1b2c3'));
  });

  it('leaves a namesake alone', async () => {
    const cluster = pullingCluster();
    await detach([item('a', 'x:1')], cluster);
    await cluster.sleep(1000, OPTIONS.signal);
    const { error } = await detach([item('a', 'x:1')], cluster, {}, { ...cluster.writer, create: async () => {
      throw new ClusterError('there already', { reason: 'AlreadyExists', status: 409 });
    } });
    assert.equal((error as ClusterError).reason, 'AlreadyExists');
    assert.equal(cluster.jobs.size, 2);
  });

  it('removes it when it is interrupted', async () => {
    const cluster = pullingCluster();
    const controller = new AbortController();
    const { error } = await detach([item('a', 'x:1')], cluster, { signal: controller.signal }, { ...cluster.writer, create: async (resource, object, options) => {
      const made = await cluster.writer.create(resource, object, options);
      controller.abort(new Error('Ctrl-C'));
      return made;
    } });
    assert.deepEqual([(error as Error).message, cluster.jobs.size], ['Ctrl-C', 0]);
  });
});

describe('requireNoWindow', () => {
  it('refuses more pulls than --parallel, which nobody holds', () => {
    const items = [item('a', 'x:1'), item('b', 'x:1', 'unknown'), item('c', 'x:1', 'skip')];
    assert.throws(() => requireNoWindow(items, 1, '--detach'), UsageError);
    for (const parallel of [0, 2, 10]) requireNoWindow(items, parallel, '--keep-warm');
  });
});
