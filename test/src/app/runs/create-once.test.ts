import assert from 'node:assert/strict';
import { createOnce } from '../../../../src/app/runs/create-once.ts';
import { JOBS } from '../../../../src/domain/kubernetes/resource.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { error, ExecCluster } from '../../../support/exec-cluster.ts';

const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'ops' }, spec: {} } as const satisfies KubeObject;
const { signal } = new AbortController();

function there(): ExecCluster {
  const cluster = new ExecCluster([]);
  cluster.jobs.set('j', { ...job, metadata: { ...job.metadata, uid: 'there' } });
  return cluster;
}

const reasonIs = (reason: string) => (failure: unknown): boolean => failure instanceof ClusterError && failure.reason === reason;

describe('createOnce', () => {
  it('creates what is not there', async () => {
    const { object, isFound } = await createOnce(JOBS, job, () => assert.fail('there is nothing to judge'), new ExecCluster([]), { namespace: 'ops', signal });
    assert.equal(isFound, false);
    assert.match(String((object['metadata'] as { readonly uid: string }).uid), /^uid-/);
  });

  it('takes up what is ours, and leaves a namesake alone', async () => {
    const found = await createOnce(JOBS, job, ({ metadata }) => (metadata as { readonly uid: string }).uid === 'there', there(), { namespace: 'ops', signal });
    assert.deepEqual([found.isFound, (found.object['metadata'] as { readonly uid: string }).uid], [true, 'there']);
    await assert.rejects(createOnce(JOBS, job, () => false, there(), { namespace: 'ops', signal }), reasonIs('AlreadyExists'));
  });

  it('is to be tried once more where it is gone by the time that it is looked at', async () => {
    const cluster = new ExecCluster([]);
    cluster.onCall = ({ verb }) => (verb === 'create' ? error('AlreadyExists', 'already exists', 409) : null);
    await assert.rejects(createOnce(JOBS, job, () => true, cluster, { namespace: 'ops', signal }), reasonIs('Conflict'));
  });

  it('waits for the request that creates by a signal of its own', async () => {
    const aborted = AbortSignal.abort(new Error('Ctrl-C'));
    await createOnce(JOBS, job, () => false, new ExecCluster([]), { namespace: 'ops', signal: aborted, creating: signal });
    await assert.rejects(createOnce(JOBS, job, () => false, new ExecCluster([]), { namespace: 'ops', signal: aborted }), /Ctrl-C/);
  });
});
