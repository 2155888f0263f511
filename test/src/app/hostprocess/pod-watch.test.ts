import assert from 'node:assert/strict';
import { PodWatch, type Anchor } from '../../../../src/app/hostprocess/pod-watch.ts';
import type { StartState } from '../../../../src/domain/hostprocess/pod-start.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { error, ExecCluster } from '../../../support/exec-cluster.ts';

const ANCHOR: Anchor = { resource: 'jobs', name: 'j', uid: 'job-uid' };
const { signal } = new AbortController();

function pod(status: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ops', uid: 'pod-uid', labels: { 'kubectl-win/run': 'r' }, ownerReferences: [{ kind: 'Job', name: 'j', uid: 'job-uid' }], ...more }, spec: { nodeName: 'n' }, status };
}

const state = (container: Readonly<Record<string, unknown>>, phase = 'Pending'): Readonly<Record<string, unknown>> => ({ phase, containerStatuses: [{ name: 'hostprocess', state: container }] });
const WAITING = state({ waiting: { reason: 'ContainerCreating' } });
const RUNNING = state({ running: {} }, 'Running');

async function watched(cluster: ExecCluster, work: (watch: PodWatch) => Promise<void>): Promise<void> {
  const watch = new PodWatch({ run: 'r', namespace: 'ops' }, cluster);
  watch.start();
  try {
    await work(watch);
  } finally {
    await watch.stop();
  }
}

describe('PodWatch', () => {
  it('waits until the pod runs, and tells of each state once', async () => {
    const cluster = new ExecCluster([]);
    const states: StartState['state'][] = [];
    cluster.clock.later(1, () => cluster.tell('pods', { type: 'ADDED', object: pod({ phase: 'Pending' }) }));
    for (const seconds of [2, 3]) cluster.clock.later(seconds, () => cluster.tell('pods', { type: 'MODIFIED', object: pod(WAITING) }));
    cluster.clock.later(4, () => cluster.tell('pods', { type: 'MODIFIED', object: pod(RUNNING) }));
    await watched(cluster, async (watch) => {
      assert.deepEqual(await watch.waitFor(ANCHOR, { timeoutSeconds: 60, onState: ({ state: one }) => states.push(one) }, signal), { state: 'running', pod: 'p' });
    });
    assert.deepEqual(states, ['pending', 'pulling', 'running']);
  });

  it('sees in a list that was begun anew what it has missed', async () => {
    const cluster = new ExecCluster([]);
    cluster.clock.later(1, () => cluster.tell('pods', { type: 'RELISTED', objects: [pod(RUNNING)] }));
    await watched(cluster, async (watch) => {
      assert.equal((await watch.waitFor(ANCHOR, { timeoutSeconds: 60, onState: () => undefined }, signal)).state, 'running');
      cluster.clock.later(1, () => cluster.tell('pods', { type: 'RELISTED', objects: [] }));
      assert.equal(await watch.gone(ANCHOR, 5_000, signal), true);
      const again = await watch.waitFor(ANCHOR, { timeoutSeconds: 60, onState: () => undefined }, signal);
      assert.ok(again.state === 'failed' && again.reason === 'Deleted');
    });
  });

  it('knows that a pod has ended when it is gone or its containers are, and not when it is being deleted', async () => {
    const cluster = new ExecCluster([]);
    await watched(cluster, async (watch) => {
      assert.equal(await watch.gone(ANCHOR, 1_000, signal), true, 'it never was');
      cluster.tell('pods', { type: 'ADDED', object: pod(RUNNING, { deletionTimestamp: '2026-11-30T12:00:00Z' }) });
      await cluster.clock.sleep(1, signal);
      assert.equal(await watch.gone(ANCHOR, 1_000, signal), false);
      cluster.clock.later(1, () => cluster.tell('pods', { type: 'MODIFIED', object: pod(state({ terminated: { exitCode: 1 } }, 'Failed')) }));
      assert.equal(await watch.gone(ANCHOR, 5_000, signal), true);
    });
  });

  it('throws what ends the watch to all that wait, and says of nothing any more that it is gone', async () => {
    const cluster = new ExecCluster([]);
    cluster.clock.later(3, () => cluster.tell('pods', error('Forbidden', 'cannot watch pods', 403)));
    await watched(cluster, async (watch) => {
      await assert.rejects(watch.waitFor(ANCHOR, { timeoutSeconds: 60, onState: () => undefined }, signal), /cannot watch pods/);
      assert.equal(await watch.gone(ANCHOR, 1_000, signal), false);
    });
  });

  it('ends with the signal', async () => {
    const cluster = new ExecCluster([]);
    const stop = new AbortController();
    cluster.clock.later(3, () => stop.abort(new Error('Ctrl-C')));
    await watched(cluster, async (watch) => {
      await assert.rejects(watch.waitFor(ANCHOR, { timeoutSeconds: 60, onState: () => undefined }, stop.signal), /Ctrl-C/);
    });
    assert.equal(cluster.seconds, 3);
  });
});
