import assert from 'node:assert/strict';
import { keepAlive } from '../../../../src/app/hostprocess/lease.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { numberAt } from '../../../../src/domain/kubernetes/object.ts';
import { error, ExecCluster } from '../../../support/exec-cluster.ts';

const JOB = { name: 'j', uid: 'u' };

function cluster(): ExecCluster {
  const made = new ExecCluster([]);
  made.jobs.set('j', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'ops', uid: 'u' }, spec: { activeDeadlineSeconds: 300 } });
  return made;
}

/** `afterSeconds`: of the signal. */
async function lease(made: ExecCluster, afterSeconds = 100_000): Promise<string | null> {
  const stop = new AbortController();
  made.clock.later(afterSeconds, () => stop.abort(new Error('closed')));
  return keepAlive(JOB, { namespace: 'ops', createdAt: made.clock.now().getTime(), aheadSeconds: 300 }, made, stop.signal);
}

describe('keepAlive', () => {
  it('moves the deadline long before it ends, counted from the creation of the Job, until the signal', async () => {
    const made = cluster();
    const deadlines: number[] = [];
    made.onCall = ({ verb, at }, object) => {
      if (verb === 'merge') deadlines.push((numberAt(object, 'spec', 'activeDeadlineSeconds') ?? 0) - at);
      return null;
    };
    assert.equal(await lease(made, 601), null);
    assert.deepEqual(deadlines, Array.from({ length: 10 }, () => 300));
  });

  it('goes on after requests that fail, and gives up when the deadline has passed', async () => {
    const made = cluster();
    made.onCall = ({ verb, at }) => (verb === 'merge' && at < 200 ? error('Unreachable', 'connection refused') : null);
    assert.equal(await lease(made, 1000), null);
    const refused = cluster();
    refused.onCall = ({ verb }) => (verb === 'merge' ? error('Forbidden', 'cannot patch', 403) : null);
    assert.match(await lease(refused) ?? '', /could not be moved for 5m.* \(cannot patch\)/);
    assert.ok(refused.seconds < 320);
  });

  it('says that the machine slept where the deadline passed meanwhile', async () => {
    const made = cluster();
    made.clock.later(100, () => {
      made.clock.skip(3_600);
      made.jobs.clear();
    });
    assert.match(await lease(made) ?? '', /a machine that slept/);
    const failed = cluster();
    failed.clock.later(100, () => {
      failed.clock.skip(3_600);
      failed.jobs.set('j', { ...failed.jobs.get('j') as KubeObject, status: { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] } });
    });
    assert.match(await lease(failed) ?? '', /a machine that slept/);
  });

  it('says that the Job is gone or has ended, and moves no namesake', async () => {
    const gone = cluster();
    gone.clock.later(100, () => gone.jobs.clear());
    assert.equal(await lease(gone), 'somebody has deleted its Job');
    const other = cluster();
    other.clock.later(100, () => void other.jobs.set('j', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'ops', uid: 'other' }, spec: {} }));
    assert.equal(await lease(other), 'somebody has deleted its Job');
    assert.deepEqual(other.jobs.get('j')?.['spec'], {});
    const ended = cluster();
    ended.clock.later(100, () => void ended.jobs.set('j', { ...ended.jobs.get('j') as KubeObject, status: { conditions: [{ type: 'Complete', status: 'True' }] } }));
    assert.equal(await lease(ended), 'its Job has ended');
  });
});
