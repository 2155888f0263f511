import assert from 'node:assert/strict';
import { findStanding, removeStanding, standingStatus } from '../../../../src/app/prepull/keep-warm.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { keepWarmDaemonSets } from '../../../../src/domain/prepull/keep-warm.ts';
import { forbidden } from '../../../support/fake-cluster.ts';
import { pullingCluster } from '../../../support/pulling-cluster.ts';

const made = (run: string, namespace: string): readonly KubeObject[] => keepWarmDaemonSets([{ images: ['a:1'], terms: [[]] }, { images: ['a:1', 'b:1'], terms: [[]] }], { run, namespace, origin: 'kubectl win', timeoutSeconds: 1, serviceAccount: null, pullSecrets: [] })
  .map((one) => ({ ...one, metadata: { ...one.metadata, creationTimestamp: '2026-11-30T11:00:00Z', uid: 'u' }, status: { desiredNumberScheduled: 3, numberReady: 2 } }) as unknown as KubeObject); // as the API server stores it

describe('what stands', () => {
  const forged = { ...made('x', 'shop')[0], metadata: { ...made('x', 'shop')[0]?.metadata, name: 'important' } } as KubeObject;
  const daemonsets = [...made('one', 'shop'), ...made('two', 'ops'), forged];

  it('is found by its labels and name, and summed up', async () => {
    const { reader } = pullingCluster({ objects: { daemonsets } });
    const found = await findStanding(reader, undefined, undefined) ?? [];
    assert.deepEqual(found.map(({ run, namespace, desired, ready, images }) => [run, namespace, desired, ready, images]), [['one', 'shop', 6, 4, ['a:1', 'b:1']], ['two', 'ops', 6, 4, ['a:1', 'b:1']]]);
    assert.deepEqual(found.slice(0, 1).map(standingStatus), [{ run: 'one', namespace: 'shop', origin: 'kubectl win', startedAt: '2026-11-30T11:00:00Z', phase: 'standing', planned: 6, ready: 4, images: ['a:1', 'b:1'], results: [], counts: { pulled: 0, present: 0, failed: 0 }, refused: null, skipped: null, active: [], held: [], removedBy: null }]);
    assert.equal((await findStanding(reader, 'ops', undefined))?.length, 1);
  });

  it('is not known where it may not be listed', async () => {
    assert.equal(await findStanding(pullingCluster({ errors: { 'list daemonsets': forbidden('list', 'daemonsets') } }).reader, undefined, undefined), null);
  });

  it('goes without what is not its own', async () => {
    const cluster = pullingCluster({ objects: { daemonsets } });
    for (const one of await findStanding(cluster.reader, 'shop', undefined) ?? []) await removeStanding(one, cluster.writer, undefined);
    assert.ok(cluster.daemonSets.has('important'));
    assert.deepEqual(cluster.writes, ['delete daemonsets kubectl-win-keep-warm-one-0', 'delete daemonsets kubectl-win-keep-warm-one-1']);
  });
});
