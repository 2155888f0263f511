import assert from 'node:assert/strict';
import { recordAt, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import type { ClusterErrorReason } from '../../../../src/errors.ts';
import { error, ScriptedCluster } from '../../../prepull/scripted-cluster.ts';
import { itemsOf, numbered, run, RUN } from '../../../prepull/scripted-run.ts';

/** A cluster that refuses the record, and nothing else. */
function refusingRecords(reason: ClusterErrorReason): ScriptedCluster {
  const cluster = new ScriptedCluster();
  cluster.onCall = ({ verb }, patch) => (verb === 'merge' && stringAt(patch, 'metadata', 'annotations', 'kubectl-win/record') !== undefined ? error(reason, 'the record is refused') : null);
  return cluster;
}

describe('the Job of a run', function () {
  this.timeout(30_000);

  it('on which nothing may be written keeps no pull from ending, and that is said once', async () => {
    for (const reason of ['Invalid', 'Forbidden', 'RequestEntityTooLarge', 'Unknown'] as const) {
      const cluster = refusingRecords(reason);
      const { outcomes, messages, error: thrown } = await run(cluster, itemsOf(numbered(60)), { parallel: 5 });
      assert.deepEqual([outcomes.length, thrown, cluster.jobs.size, cluster.pods.size], [60, null, 0, 0]);
      assert.equal(messages.filter((text) => /cannot be written down \(the record is refused\)/.test(text)).length, 1);
      const records = cluster.calls.filter(({ verb }) => verb === 'merge').length;
      assert.ok(records < 8, `${records} attempts in ${cluster.seconds} s`);
    }
  });

  it('interrupted: pulls are deleted though nothing can be written down', async () => {
    for (const reason of ['Invalid', 'Forbidden', 'RequestEntityTooLarge'] as const) {
      const cluster = refusingRecords(reason);
      const stop = new AbortController();
      cluster.play = (pull) => pull.pulled(pull.node === 'n0' ? 2 : 600);
      const { messages } = await run(cluster, itemsOf(numbered(5)), { signal: stop.signal }, ({ type }) => { if (type === 'finished') stop.abort(new Error('Ctrl-C')); });
      assert.deepEqual([[...cluster.jobs.keys()], cluster.pods.size], [[RUN], 0]);
      assert.ok(messages.some((text) => text.includes('cannot be written down')));
      assert.equal(messages.some((text) => text.includes('could not be cleaned up')), false);
    }
  });

  it('interrupted: what cannot be deleted is said, with the way to it', async () => {
    const cluster = new ScriptedCluster();
    const stop = new AbortController();
    cluster.onCall = ({ verb }) => (verb === 'delete' ? error('Forbidden', 'jobs may not be deleted', 403) : null);
    const { messages } = await run(cluster, itemsOf(numbered(2)), { signal: stop.signal }, ({ type }) => { if (type === 'started') stop.abort(new Error('Ctrl-C')); });
    assert.match(messages.join('\n'), /could not be cleaned up \(jobs may not be deleted\).*within 52m, and kubectl win prepull cleanup ab12c -n web at once/);
  });

  it('outlives the pods that hold, also where nothing may be written on it', async () => {
    const cluster = refusingRecords('Invalid');
    cluster.play = (pull) => pull.pod(2, { phase: 'Running', containerStatuses: [{ name: 'pull', state: { running: {} } }] });
    const { messages } = await run(cluster, itemsOf(numbered(2)), { holdSeconds: 8 * 3600 });
    const job: KubeObject = cluster.jobs.get(RUN) ?? {};
    assert.ok(Number(recordAt(job, 'spec')['activeDeadlineSeconds']) >= 8 * 3600);
    assert.match(messages.at(-1) ?? '', /^2 pods of the run ab12c in web hold images for 8h, and go by themselves; at once: kubectl win prepull cleanup ab12c -n web$/);
    const other = refusingRecords('Invalid');
    other.play = cluster.play;
    const alone = await run(other, itemsOf(numbered(1)), { holdSeconds: 8 * 3600 });
    assert.match(alone.messages.at(-1) ?? '', /^1 pod of the run ab12c in web holds images for 8h, and goes by itself; at once: /);
  });
});
