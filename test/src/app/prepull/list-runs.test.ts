import assert from 'node:assert/strict';
import { listRuns } from '../../../../src/app/prepull/list-runs.ts';
import { keepWarmDaemonSets } from '../../../../src/domain/prepull/keep-warm.ts';
import { forbidden } from '../../../support/fake-cluster.ts';
import { jobsOfRun } from '../../../support/prepull-jobs.ts';
import { pullingCluster, type PullingClusterParts } from '../../../support/pulling-cluster.ts';

const daemonsets = keepWarmDaemonSets([{ images: ['a:1'], terms: [[]] }], { run: 'warm', namespace: 'default', origin: 'x', timeoutSeconds: 1, serviceAccount: null, pullSecrets: [] });

async function listed(run: string | null, parts: PullingClusterParts = {}): Promise<unknown> {
  const { runs, notes } = await listRuns(pullingCluster({ jobs: jobsOfRun('a1b2c3'), objects: { daemonsets }, ...parts }).reader, { namespace: 'default', run, now: new Date('2026-11-30T12:00:00Z') });
  return [runs.map((one) => [one.run, one.phase]), notes];
}

describe('listRuns', () => {
  it('gives what runs and what stands, or the one that is asked for', async () => {
    assert.deepEqual(await listed(null), [[['a1b2c3', 'abandoned'], ['warm', 'standing']], []]);
    assert.deepEqual(await listed('warm'), [[['warm', 'standing']], []]);
  });

  it('says what may not be looked at', async () => {
    assert.deepEqual(await listed(null, { errors: { 'list daemonsets': forbidden('list', 'daemonsets') } }), [[['a1b2c3', 'abandoned']], ['daemonsets may not be listed: what --keep-warm made is not looked at']]);
    assert.deepEqual(await listed(null, { jobs: [], errors: { 'list pods': forbidden('list', 'pods') } }), [[['warm', 'standing']], ['pods may not be listed: failures of what --keep-warm made are not known']]);
  });
});
