import assert from 'node:assert/strict';
import type { LocalRun } from '../../../src/app/ports.ts';
import { InterruptedError } from '../../../src/errors.ts';
import { forbidden } from '../../support/fake-cluster.ts';
import { assertGolden } from '../../support/golden.ts';
import { execJob, execPod, execPodOfJob, recordOf } from '../../support/hostprocess-objects.ts';
import { leftCluster, type LeftCluster, type LeftClusterParts } from '../../support/left-cluster.ts';
import { memoryRuns, type MemoryRuns } from '../../support/local-runs.ts';
import { runCommand, type RunOptions, type RunResult } from '../../support/run-command.ts';
import { assertMatchesSchema } from '../../support/schema.ts';

const ESCAPE = String.fromCharCode(27);
const objects = [
  execJob('a1b2c3'), execPodOfJob('a1b2c3'), execJob('a1b2c3', { index: 1, node: 'win-2', uid: 'uid-a1b2c3-1' }),
  execJob('d4e5f6', { node: 'win-3', origin: `kubectl win 0.1.0 hostprocess exec by grace@desk${ESCAPE}[2J` }),
  execPod('g7h8i9', { namespace: 'shop', uid: 'uid-of-web', node: 'win-4', metadata: { name: 'web-7d9f8b-x2x4z', annotations: {}, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d9f8b', uid: 'r' }] } }),
];
const RECORD = recordOf('a1b2c3', { uids: ['uid-a1b2c3-0', 'uid-a1b2c3-1'] });

async function run(argv: readonly string[], { parts = {}, records = [RECORD], ...options }: RunOptions & { readonly parts?: Partial<LeftClusterParts>; readonly records?: readonly LocalRun[] } = {}): Promise<RunResult & { readonly cluster: LeftCluster; readonly localRuns: MemoryRuns }> {
  const cluster = leftCluster({ objects, ...parts });
  const localRuns = memoryRuns(records);
  const { reader, writer, clock } = cluster;
  return { ...await runCommand(['hostprocess', 'sweep', ...argv], { reader, writer, clock, localRuns, ports: { sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal) }, ...options }), cluster, localRuns };
}

describe('kubectl win hostprocess sweep', () => {
  for (const [scenario, argv] of [['table.txt', ['-A']], ['wide.txt', ['-A', '-o', 'wide', '--dry-run']], ['list.json', ['-A', '-o', 'json']], ['name.txt', ['-o', 'name', '--dry-run']]] as const) {
    it(`prints ${scenario}`, async () => {
      const { stdout, stderr, exitCode } = await run(argv);
      assert.equal(exitCode, 0, stderr);
      if (scenario === 'list.json') assertMatchesSchema('SweepReport', JSON.parse(stdout));
      assert.ok(!stdout.includes(ESCAPE));
      assertGolden(`hostprocess/sweep/${scenario}`, stdout);
    });
  }

  it('removes what this machine has begun, and says what it leaves', async () => {
    const { stderr, cluster, localRuns } = await run(['-A']);
    assert.deepEqual([cluster.uids(), [...localRuns.runs.keys()]], [['uid-d4e5f6-0', 'uid-of-web'], []]);
    assert.match(stderr, /^note: an object is not in the record of this machine and left alone; --all-runs removes it, after a question$/m);
    assert.match(stderr, /^note: an object has the labels of runs and is none; sweep never removes them/m);
  });

  it('says why it leaves a run of its own', async () => {
    const kept = recordOf('a1b2c3', { uids: ['uid-a1b2c3-0', 'uid-a1b2c3-1'], isKept: true });
    const { stderr, cluster } = await run([], { records: [kept] });
    assert.deepEqual(cluster.deletes, []);
    assert.equal(stderr.match(/^note: a1b2c3 is left alone: it is kept for --reuse: kubectl win hostprocess sweep a1b2c3 removes it all the same$/gm)?.length, 1, stderr);
  });

  it('removes nothing with --dry-run', async () => {
    const { stdout, cluster } = await run(['--dry-run']);
    assert.deepEqual(cluster.deletes, []);
    assert.match(stdout, /^a1b2c3 .* pending$/m);
  });

  describe('--all-runs', () => {
    it('shows those of others, made harmless, and removes them after a yes', async () => {
      const { stderr, cluster, exitCode } = await run(['--all-runs'], { answer: () => 'y' });
      assert.ok(!stderr.includes(ESCAPE));
      assert.match(stderr, /^default\/kubectl-win-hostprocess-d4e5f6-0 on win-3, by kubectl win 0\.1\.0 hostprocess exec by grace@desk\^\[\[2J, under way\nRemove this object, which is not in the record of this machine\? \[y\/N\] /m);
      assert.deepEqual([cluster.uids(), exitCode], [['uid-of-web'], 0]);
    });

    for (const answer of ['', 'n', 'nay', 'yesterday']) {
      it(`leaves them after ${JSON.stringify(answer)}, and removes its own`, async () => {
        const { cluster } = await run(['--all-runs'], { answer: () => answer });
        assert.deepEqual(cluster.uids(), ['uid-d4e5f6-0', 'uid-of-web']);
      });
    }

    it('asks nothing with --yes', async () => assert.deepEqual((await run(['--all-runs', '--yes'])).cluster.uids(), ['uid-of-web']));

    it('deletes nothing at all where nobody can be asked', async () => {
      const { stderr, exitCode, cluster } = await run(['--all-runs']);
      assert.match(stderr, /^error: --all-runs would remove an object of runs that this machine has not begun, and nobody can be asked\n--yes removes without a question$/m);
      assert.deepEqual([exitCode, cluster.deletes], [2, []]);
    });
  });

  it('takes the names of runs, and names one that is not there', async () => {
    const { stdout, stderr, exitCode, cluster } = await run(['a1b2c3', 'zzzzzz']);
    assert.deepEqual([exitCode, cluster.uids()], [3, ['uid-d4e5f6-0', 'uid-of-web']]);
    assert.match(stdout, /^a1b2c3 .* removed$/m);
    assert.match(stderr, /hostprocess run "zzzzzz" not found$/m);
  });

  it('says that a run of which nothing is left is off the record, which is no error', async () => {
    const { stderr, exitCode, localRuns } = await run(['a1b2c3'], { parts: { objects: [] } });
    assert.deepEqual([exitCode, localRuns.runs.size], [0, 0]);
    assert.match(stderr, /^note: nothing is left of a1b2c3: no longer on record$/m);
  });

  it('says that there was nothing, and where', async () => {
    const nothing = { parts: { objects: [] }, records: [] };
    assert.equal((await run(['-n', 'shop'], nothing)).stderr, 'No objects of runs found in the namespace shop\n');
    assert.equal((await run([], nothing)).stderr, 'No objects of runs found in the namespace default, nor in those of runs on record\n');
    assert.equal((await run(['-A'], nothing)).stderr, 'No objects of runs found\n');
  });

  it('prints what it did where a deletion is refused, and gives its exit code', async () => {
    const { stdout, stderr, exitCode } = await run([], { parts: { errors: { 'delete kubectl-win-hostprocess-a1b2c3-0': forbidden('delete', 'jobs') } } });
    assert.match(stdout, /a1b2c3-0 .* failed$/m);
    assert.match(stdout, /a1b2c3-1 .* removed$/m);
    assert.match(stderr, /jobs "kubectl-win-hostprocess-a1b2c3-0" of the run a1b2c3 in default is not deleted: /);
    assert.equal(exitCode, 3);
  });

  it('prints what it did when it is interrupted', async () => {
    const controller = new AbortController();
    const sleep = async (_: number, signal: AbortSignal): Promise<void> => {
      controller.abort(new InterruptedError('interrupted'));
      signal.throwIfAborted();
    };
    const { stdout, exitCode } = await run([], { signal: controller.signal, parts: { endsAfterSeconds: () => 5 }, ports: { sleep } });
    assert.match(stdout, /a1b2c3-0 .* ending\n.*a1b2c3-1 .* removed$/m);
    assert.equal(exitCode, 130);
  });

  it('says whose node has not confirmed', async () => {
    const { stdout, stderr, exitCode, localRuns } = await run([], { parts: { endsAfterSeconds: () => Infinity } });
    assert.match(stdout, /a1b2c3-0 .* ending$/m);
    assert.match(stderr, /^note: jobs "kubectl-win-hostprocess-a1b2c3-0": it is deleted, and its node has not confirmed/m);
    assert.deepEqual([exitCode, localRuns.runs.size], [0, 1]);
  });

  it('reports records that cannot be read', async () => {
    const { stderr } = await run([], { ports: { sleep: async () => undefined, openLocalRuns: async (_, onNotice) => {
      onNotice('the record of a run is left out: x.json: is no JSON');
      return memoryRuns();
    } } });
    assert.match(stderr, /^note: the record of a run is left out: x\.json: is no JSON$/m);
  });
});
