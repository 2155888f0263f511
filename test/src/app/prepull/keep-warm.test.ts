import assert from 'node:assert/strict';
import { compareWithStanding, findStanding, removeStanding, standingStatus } from '../../../../src/app/prepull/keep-warm.ts';
import { nameOf, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
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
    assert.deepEqual(found.slice(0, 1).map((one) => standingStatus(one, [])), [{ run: 'one', namespace: 'shop', origin: 'kubectl win', startedAt: '2026-11-30T11:00:00Z', phase: 'standing', planned: 6, ready: 4, images: ['a:1', 'b:1'], results: [], counts: { pulled: 0, present: 0, failed: 0 }, refused: null, skipped: null, active: [], held: [], removedBy: null }]);
    assert.equal((await findStanding(reader, 'ops', undefined))?.length, 1);
  });

  it('tells by its pods what fails, and what is under way', async () => {
    const waiting = (name: string, reason: string, message: string): object => ({ name, state: { waiting: { reason, message } } });
    const pod = (node: string, statuses: readonly object[], metadata: object = {}): KubeObject => ({
      metadata: { name: `p-${node}`, namespace: 'shop', ownerReferences: [{ kind: 'DaemonSet', uid: 'u' }], ...metadata }, spec: { nodeName: node, containers: [{ name: 'image-0', image: 'a:1' }, { name: 'image-1', image: 'b:1' }, { name: 'sidecar', image: 'c:1' }] },
      status: { phase: 'Pending', containerStatuses: statuses },
    }) as unknown as KubeObject; // as the API server shows it
    const denied = waiting('image-0', 'ErrImagePull', 'pull access denied');
    const creating = waiting('image-1', 'ContainerCreating', '');
    const running = (name: string): object => ({ name, imageID: 'a', state: { running: {} } });
    const pods = [
      pod('n1', [denied, creating]), pod('n2', [denied, waiting('image-1', 'ImagePullBackOff', 'Back-off pulling image "b:1": ErrImagePull: 429 Too Many Requests')]),
      pod('n3', [running('image-0'), { ...waiting('image-1', 'CrashLoopBackOff', 'back-off 5m'), imageID: 'b' }]), pod('n4', [running('image-0'), running('image-1')]),
      pod('gone', [denied], { deletionTimestamp: '2026-11-30T11:00:00Z' }), pod('other', [denied], { ownerReferences: [{ kind: 'DaemonSet', uid: 'another' }] }), pod('elsewhere', [denied], { namespace: 'ops' }),
    ];
    const [one] = await findStanding(pullingCluster({ objects: { daemonsets } }).reader, 'shop', undefined) ?? [];
    assert.ok(one !== undefined);
    const { counts, results, active, isUnseen } = standingStatus(one, pods);
    assert.deepEqual([counts.failed, isUnseen, results.map(({ node, image, reason }) => `${node} ${image} ${reason}`)], [3, undefined, ['n1 a:1 Unauthorized', 'n2 a:1 Unauthorized', 'n2 b:1 TooManyRequests', 'n3 b:1 CrashLoopBackOff']]);
    // that another container of the pod fails is no failure of an image that is under way
    assert.deepEqual(active.map(({ node, image, reason }) => `${node} ${image} ${reason ?? ''}`), ['n1 a:1 Unauthorized', 'n1 b:1 ', 'n2 a:1 Unauthorized', 'n2 b:1 TooManyRequests', 'n3 b:1 CrashLoopBackOff']);
    assert.deepEqual([standingStatus(one, null).isUnseen, standingStatus(one, null).counts.failed], [true, 0]);
  });

  it('is not known where it may not be listed', async () => {
    assert.equal(await findStanding(pullingCluster({ errors: { 'list daemonsets': forbidden('list', 'daemonsets') } }).reader, undefined, undefined), null);
  });

  it('is compared with what is asked for: what does the same is not missing, what goes is', async () => {
    const [sameA, sameBoth] = made('new', 'shop');
    const compare = async (asked: readonly (KubeObject | undefined)[], there: readonly KubeObject[] = daemonsets): Promise<unknown> => {
      const { missing, standsAs, notes } = await compareWithStanding(asked.filter((one) => one !== undefined), 'shop', pullingCluster({ objects: { daemonsets: there } }).reader, new AbortController().signal);
      return [missing.map(nameOf), standsAs, notes];
    };
    const KEEPS = (images: string): string => `run one keeps ${images} warm already, on the same nodes and as the same account: no second DaemonSet is made`;
    assert.deepEqual(await compare([sameA, sameBoth]), [[], 'one', [KEEPS('a:1, b:1')]]);
    assert.deepEqual(await compare([sameA]), [[], 'one', [KEEPS('a:1'), 'run one also keeps a:1, b:1 warm in shop, in a way that is not of this plan; where it is no longer wanted: kubectl delete daemonset/kubectl-win-keep-warm-one-1 -n shop']]);
    const going = daemonsets.map((one, at) => (at === 0 ? { ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-11-30T11:00:00Z' } } : one));
    assert.deepEqual(await compare([sameA, sameBoth], going), [['kubectl-win-keep-warm-new-0'], null, [KEEPS('a:1, b:1')]]);
    assert.deepEqual(await compare([sameA], []), [['kubectl-win-keep-warm-new-0'], null, []]);
  });

  it('goes without what is not its own', async () => {
    const cluster = pullingCluster({ objects: { daemonsets } });
    for (const one of await findStanding(cluster.reader, 'shop', undefined) ?? []) await removeStanding(one, cluster.writer, undefined);
    assert.ok(cluster.daemonSets.has('important'));
    assert.deepEqual(cluster.writes, ['delete daemonsets kubectl-win-keep-warm-one-0', 'delete daemonsets kubectl-win-keep-warm-one-1']);
  });
});
