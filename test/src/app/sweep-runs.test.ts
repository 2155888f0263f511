import assert from 'node:assert/strict';
import type { LocalRun } from '../../../src/app/ports.ts';
import { sweepRuns, type SweepOptions, type SweepReport } from '../../../src/app/sweep-runs.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { ClusterError, InputError } from '../../../src/errors.ts';
import { forbidden } from '../../support/fake-cluster.ts';
import { execJob, execPod, execPodOfJob, recordOf } from '../../support/hostprocess-objects.ts';
import { leftCluster, type LeftCluster, type LeftClusterParts } from '../../support/left-cluster.ts';
import { memoryRuns, type MemoryRuns } from '../../support/local-runs.ts';

interface Swept {
  readonly report: SweepReport;
  readonly cluster: LeftCluster;
  readonly records: MemoryRuns;
  readonly asked: readonly (readonly string[])[];
  readonly error: unknown;
}

async function sweep(parts: LeftClusterParts | LeftCluster, before: readonly LocalRun[], options: Partial<SweepOptions> & { readonly answer?: boolean } = {}, records = memoryRuns(before)): Promise<Swept> {
  const cluster = 'reader' in parts ? parts : leftCluster(parts);
  const asked: (readonly string[])[] = [];
  let report: SweepReport | null = null;
  let error: unknown = null;
  const { answer = true, ...more } = options;
  const confirm = async (others: Parameters<SweepOptions['confirm']>[0]): Promise<boolean> => {
    asked.push(others.map(({ name }) => name));
    return answer;
  };
  await sweepRuns(
    { namespaces: ['default'], withRecorded: true, runs: [], allRuns: false, isDryRun: false, confirm, signal: new AbortController().signal, ...more },
    { ...cluster, records },
    (made) => {
      assert.equal(report, null, 'reported once');
      report = made;
    },
  ).catch((thrown: unknown) => {
    error = thrown;
  });
  return { report: report ?? { source: cluster.reader.description, items: [], forgotten: [], hasSeenAll: false, refusals: [], notes: [] }, cluster, records, asked, error };
}

const results = ({ report }: Swept): Readonly<Record<string, string>> => Object.fromEntries(report.items.map(({ uid, result }) => [uid, result]));
const run = (name: string, more: Partial<LocalRun> & { readonly uids?: readonly (string | null)[] } = {}): LocalRun => recordOf(name, more);

describe('sweepRuns', () => {
  it('removes what is on record by its UID, with its pods, and forgets the run', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa'), execPodOfJob('aaaaaa')] }, [run('aaaaaa')]);
    assert.deepEqual([results(swept), swept.cluster.uids(), swept.report.forgotten, [...swept.records.runs.keys()]], [{ 'uid-aaaaaa-0': 'removed' }, [], ['aaaaaa'], []]);
  });

  it('never touches a colleague\'s run, nor what others have labelled so', async () => {
    const deployments = execPod('aaaaaa', { uid: 'uid-of-web', metadata: { name: 'web-7d9f8b-x2x4z', ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d9f8b', uid: 'r' }] } });
    const swept = await sweep({ objects: [execJob('aaaaaa'), execPodOfJob('aaaaaa'), execJob('bbbbbb'), execPodOfJob('bbbbbb'), deployments] }, [run('aaaaaa')]);
    assert.deepEqual(results(swept), { 'uid-aaaaaa-0': 'removed', 'uid-bbbbbb-0': 'left', 'uid-of-web': 'left' });
    assert.deepEqual(swept.cluster.uids(), ['uid-bbbbbb-0', 'uid-bbbbbb-0-pod', 'uid-of-web']);
    assert.deepEqual([swept.cluster.deletes, swept.asked], [['jobs kubectl-win-hostprocess-aaaaaa-0'], []]);
  });

  it('removes those of others with --all-runs, after a question that names them, and never what is forged', async () => {
    const forged = execPod('cccccc', { spec: { securityContext: {} } });
    const objects = [execJob('aaaaaa'), execJob('bbbbbb'), forged];
    const swept = await sweep({ objects }, [run('aaaaaa')], { allRuns: true });
    assert.deepEqual([results(swept), swept.asked], [{ 'uid-aaaaaa-0': 'removed', 'uid-bbbbbb-0': 'removed', 'uid-cccccc-0': 'left' }, [['kubectl-win-hostprocess-bbbbbb-0']]]);
    assert.deepEqual(swept.cluster.uids(), ['uid-cccccc-0']);
    const refused = await sweep({ objects }, [run('aaaaaa')], { allRuns: true, answer: false });
    assert.deepEqual(results(refused), { 'uid-aaaaaa-0': 'removed', 'uid-bbbbbb-0': 'left', 'uid-cccccc-0': 'left' });
    assert.equal((await sweep({ objects: [execJob('aaaaaa')] }, [run('aaaaaa')], { allRuns: true })).asked.length, 0, 'no question about own ones');
  });

  it('removes nothing in a dry run, and asks and forgets nothing', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa'), execJob('bbbbbb')] }, [run('aaaaaa'), run('gone00')], { isDryRun: true, allRuns: true });
    assert.deepEqual([results(swept), swept.cluster.deletes, swept.asked, swept.report.forgotten], [{ 'uid-aaaaaa-0': 'pending', 'uid-bbbbbb-0': 'pending' }, [], [], []]);
  });

  it('leaves the run of a program that is at work, until it is named', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa')] }, [run('aaaaaa', { isUnderWay: true, processId: 4711 })]);
    assert.deepEqual([results(swept), swept.report.items[0]?.message, swept.report.forgotten], [{ 'uid-aaaaaa-0': 'left' }, 'its program is still at work (process 4711 on this machine): kubectl win hostprocess sweep aaaaaa removes it all the same', []]);
    const elsewhere = await sweep({ objects: [execJob('aaaaaa')] }, [run('aaaaaa', { isUnderWay: true })]);
    assert.match(elsewhere.report.items[0]?.message ?? '', /still at work \(on another machine\)/);
    const named = await sweep({ objects: [execJob('aaaaaa'), execJob('bbbbbb')] }, [run('aaaaaa', { isUnderWay: true }), run('bbbbbb')], { runs: ['aaaaaa'] });
    assert.deepEqual([results(named), named.cluster.uids()], [{ 'uid-aaaaaa-0': 'removed' }, ['uid-bbbbbb-0']]);
  });

  it('leaves what is kept for later, until it is named or has ended', async () => {
    const kept = run('aaaaaa', { isKept: true });
    const swept = await sweep({ objects: [execJob('aaaaaa')] }, [kept]);
    assert.deepEqual([results(swept), swept.report.items[0]?.message, swept.report.forgotten], [{ 'uid-aaaaaa-0': 'left' }, 'it is kept for --reuse: kubectl win hostprocess sweep aaaaaa removes it all the same', []]);
    assert.deepEqual(results(await sweep({ objects: [execJob('aaaaaa')] }, [kept], { runs: ['aaaaaa'] })), { 'uid-aaaaaa-0': 'removed' });
    assert.deepEqual(results(await sweep({ objects: [execPod('aaaaaa', { status: { phase: 'Failed' } })] }, [{ ...kept, objects: [{ resource: 'pods', name: 'x', uid: 'uid-aaaaaa-0', node: 'win-1' }] }])), { 'uid-aaaaaa-0': 'removed' });
  });

  it('keeps the record of a run under way that has created nothing yet', async () => {
    const swept = await sweep({ objects: [] }, [run('aaaaaa', { isUnderWay: true, objects: [] })]);
    assert.deepEqual([swept.report.forgotten, [...swept.records.runs.keys()]], [[], ['aaaaaa']]);
  });

  it('forgets a record without objects, and deletes nothing for it', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa', { namespace: 'shop', uid: 'of another' })] }, [run('aaaaaa', { objects: [] }), run('gone00')], { namespaces: ['shop'] });
    assert.deepEqual([swept.report.forgotten, swept.cluster.uids()], [['aaaaaa', 'gone00'], ['of another']]);
  });

  it('does not take a namesake for what is on record', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa', { uid: 'a namesake' })] }, [run('aaaaaa')]);
    assert.deepEqual([results(swept), swept.cluster.deletes], [{ 'a namesake': 'left' }, []]);
  });

  it('deletes by UID, so that a namesake that comes in between stays', async () => {
    const cluster: LeftCluster = leftCluster({ objects: [execJob('aaaaaa')], onDelete: () => cluster.replace('uid-aaaaaa-0', execJob('aaaaaa', { uid: 'the next' })) });
    await sweep(cluster, [run('aaaaaa')]);
    assert.deepEqual(cluster.uids(), ['the next']);
  });

  it('finds an own object whose labels somebody took away', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa', { metadata: { labels: {} } })] }, [run('aaaaaa')]);
    assert.deepEqual([results(swept), swept.cluster.uids()], [{ 'uid-aaaaaa-0': 'removed' }, []]);
  });

  describe('looks', () => {
    const objects = [execJob('aaaaaa', { namespace: 'shop' }), execJob('bbbbbb', { namespace: 'web' }), execJob('cccccc')];
    const records = [run('aaaaaa', { namespace: 'shop' }), run('bbbbbb', { namespace: 'web' }), run('cccccc')];
    const looked = async (options: Partial<SweepOptions>): Promise<unknown> => {
      const swept = await sweep({ objects }, records, options);
      return [Object.keys(results(swept)), swept.report.forgotten];
    };
    const all = ['uid-aaaaaa-0', 'uid-bbbbbb-0', 'uid-cccccc-0'];
    it('in the namespaces of the record, too', async () => assert.deepEqual(await looked({}), [all, ['aaaaaa', 'bbbbbb', 'cccccc']]));
    it('in the named one alone, and keeps the records of the others', async () => assert.deepEqual(await looked({ namespaces: ['web'], withRecorded: false }), [['uid-bbbbbb-0'], ['bbbbbb']]));
    it('in all', async () => assert.deepEqual(await looked({ namespaces: 'all' }), [all, ['aaaaaa', 'bbbbbb', 'cccccc']]));
  });

  describe('of records of several clusters', () => {
    it('takes those of this one by the UID of kube-system', async () => {
      const swept = await sweep({ objects: [execJob('aaaaaa'), execJob('bbbbbb')] }, [run('aaaaaa'), run('bbbbbb', { cluster: 'uid-of-another' })]);
      assert.deepEqual([results(swept), swept.report.forgotten, swept.report.notes.length], [{ 'uid-aaaaaa-0': 'removed', 'uid-bbbbbb-0': 'left' }, ['aaaaaa'], 1]);
      assert.match(swept.report.notes[0] ?? '', /^a record is of runs in other clusters/);
    });

    it('goes by UIDs where the cluster is not known, and keeps records until their time is over, those of other contexts for good, but for those whose objects are here', async () => {
      const errors = { 'get namespaces': forbidden('get', 'namespaces') };
      const records = [run('aaaaaa', { until: '2026-11-30T12:30:00Z' }), run('bbbbbb', { until: '2026-11-30T11:30:00Z' }), run('cccccc', { context: 'other', until: '2026-11-30T11:30:00Z' }), run('dddddd', { context: 'other' }), run('eeeeee', { until: '2026-11-30T12:30:00Z' })];
      const swept = await sweep({ objects: [execJob('aaaaaa'), execJob('dddddd'), execJob('ffffff')], errors }, records);
      assert.deepEqual([results(swept), swept.report.forgotten], [{ 'uid-aaaaaa-0': 'removed', 'uid-dddddd-0': 'removed', 'uid-ffffff-0': 'left' }, ['aaaaaa', 'bbbbbb', 'dddddd']]);
    });
  });

  describe('the confirmation of the node', () => {
    const objects = [execJob('aaaaaa'), execPodOfJob('aaaaaa'), execPod('bbbbbb')];
    const records = [run('aaaaaa'), run('bbbbbb', { objects: [{ resource: 'pods', name: 'kubectl-win-hostprocess-bbbbbb-0', uid: 'uid-bbbbbb-0', node: 'win-1' }] })];
    it('is waited for', async () => {
      const swept = await sweep({ objects, endsAfterSeconds: () => 5 }, records);
      assert.deepEqual([results(swept), swept.report.forgotten], [{ 'uid-aaaaaa-0': 'removed', 'uid-bbbbbb-0': 'removed' }, ['aaaaaa', 'bbbbbb']]);
    });

    it('and where it does not come, that is said, and the record stays', async () => {
      const swept = await sweep({ objects, endsAfterSeconds: (pod) => (pod.metadata?.['name'] === 'kubectl-win-hostprocess-bbbbbb-0' ? 1 : Infinity) }, records);
      assert.deepEqual([results(swept), swept.report.forgotten], [{ 'uid-aaaaaa-0': 'ending', 'uid-bbbbbb-0': 'removed' }, ['bbbbbb']]);
      assert.ok(swept.cluster.clock.now().getTime() < Date.parse('2026-11-30T12:01:00Z'), 'not for long');
    });

    it('is not claimed where pods may not be seen', async () => {
      const blind = await sweep({ objects: [execJob('aaaaaa')], errors: { 'list pods': forbidden('list', 'pods') } }, [run('aaaaaa')]);
      assert.deepEqual([results(blind), blind.cluster.uids(), blind.report.hasSeenAll], [{ 'uid-aaaaaa-0': 'ending' }, [], false]);
      const unasked = await sweep({ objects, errors: { 'get pods': forbidden('get', 'pods') } }, [run('aaaaaa')]);
      assert.equal(results(unasked)['uid-aaaaaa-0'], 'ending');
    });
  });

  it('says what is being removed already, and removes nothing of it again', async () => {
    const swept = await sweep({ objects: [execPod('aaaaaa', { metadata: { deletionTimestamp: '2026-11-30T11:59:59Z' } })] }, [run('aaaaaa')]);
    assert.deepEqual([results(swept), swept.cluster.deletes, swept.report.forgotten], [{ 'uid-aaaaaa-0': 'ending' }, [], []]);
  });

  it('goes on where one deletion is refused, and keeps that record', async () => {
    const swept = await sweep({ objects: [execJob('aaaaaa'), execJob('bbbbbb')], errors: { 'delete kubectl-win-hostprocess-aaaaaa-0': forbidden('delete', 'jobs') } }, [run('aaaaaa'), run('bbbbbb')]);
    assert.deepEqual([results(swept), swept.report.forgotten], [{ 'uid-aaaaaa-0': 'failed', 'uid-bbbbbb-0': 'removed' }, ['bbbbbb']]);
    assert.match(swept.report.refusals[0]?.message ?? '', /^jobs "kubectl-win-hostprocess-aaaaaa-0" of the run aaaaaa in default is not deleted: /);
  });

  it('tries again what passes by itself', async () => {
    let times = 0;
    const cluster = leftCluster({ objects: [execJob('aaaaaa')], onDelete: () => {
      times += 1;
      if (times < 3) throw new ClusterError('Too many requests', { reason: 'TooManyRequests', status: 429 });
    } });
    assert.deepEqual([results(await sweep(cluster, [run('aaaaaa')])), times], [{ 'uid-aaaaaa-0': 'removed' }, 3]);
  });

  it('goes on without what may not be listed, keeps its records, and says so', async () => {
    const errors = { 'list jobs': forbidden('list', 'jobs'), 'get jobs': forbidden('get', 'jobs') };
    const swept = await sweep({ objects: [execJob('aaaaaa'), execPod('bbbbbb')], errors }, [run('aaaaaa'), run('bbbbbb', { objects: [{ resource: 'pods', name: 'x', uid: 'uid-bbbbbb-0', node: 'win-1' }] })]);
    assert.deepEqual([results(swept), swept.report.forgotten, swept.report.hasSeenAll], [{ 'uid-bbbbbb-0': 'removed' }, ['bbbbbb'], false]);
    assert.match(swept.report.notes.join('\n'), /^not looked at: .*jobs is forbidden$/);
  });

  it('throws where nothing may be listed', async () => {
    const { error, report } = await sweep({ objects: [], errors: { 'list jobs': forbidden('list', 'jobs'), 'list pods': forbidden('list', 'pods') } }, []);
    assert.ok(error instanceof ClusterError && error.reason === 'Forbidden');
    assert.deepEqual(report.items, []);
  });

  it('reports what is done when it is interrupted', async () => {
    const controller = new AbortController();
    const objects = Array.from({ length: 20 }, (_, index) => execJob('aaaaaa', { index }));
    const cluster = leftCluster({ objects, onDelete: (name) => (name.endsWith('-12') ? controller.abort(new Error('Ctrl-C')) : undefined) });
    const swept = await sweep(cluster, [run('aaaaaa', { uids: objects.map((_, index) => `uid-aaaaaa-${index}`) })], { signal: controller.signal });
    assert.equal((swept.error as Error).message, 'Ctrl-C');
    assert.equal(swept.report.items.length, 20);
    assert.ok(swept.report.items.some(({ result }) => result === 'pending') && swept.report.items.some(({ result }) => result === 'ending'));
    assert.deepEqual(swept.report.forgotten, []);
  });

  it('says when a record cannot be removed', async () => {
    const records = memoryRuns([run('aaaaaa')]);
    const swept = await sweep({ objects: [] }, [], {}, { ...records, end: async () => Promise.reject(new InputError({ file: '/home/ada/x.json' }, 'cannot be removed')) });
    assert.deepEqual([swept.report.forgotten, swept.report.notes], [[], ['/home/ada/x.json: cannot be removed']]);
  });

  it('asks for little: two lists, and a question for each object on record that is not among them', async () => {
    const { cluster } = await sweep({ objects: [execJob('aaaaaa')] }, [run('aaaaaa'), run('gone00')], { isDryRun: true });
    assert.deepEqual(cluster.reader.calls.map((call) => call.replace(/ -l .*/, '')), ['get namespaces kube-system', 'list jobs', 'list pods', 'get jobs kubectl-win-hostprocess-gone00-0']);
    const none = await sweep({ objects: [] as KubeObject[] }, []);
    assert.equal(none.cluster.reader.calls.length, 2);
  });
});
