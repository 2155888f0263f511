import assert from 'node:assert/strict';
import { nameOf, type KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { MANAGED_BY } from '../../../src/domain/prepull/run-objects.ts';
import { forbidden } from '../../support/fake-cluster.ts';
import { assertGolden } from '../../support/golden.ts';
import { jobsOfRun } from '../../support/prepull-jobs.ts';
import { pullingCluster, type PullingClusterParts } from '../../support/pulling-cluster.ts';
import { runCommand, type RunResult } from '../../support/run-command.ts';
import { assertMatchesSchema } from '../../support/schema.ts';

const IMAGE = 'registry.example/shop/web:4.2';
const jobs = [
  ...jobsOfRun('a1b2c3', { aliveForSeconds: 700, active: [{ node: 'win-3', image: IMAGE }, { node: 'win-4', image: IMAGE }], record: { results: [
    { node: 'win-1', image: IMAGE, result: 'pulled', reason: null }, { node: 'win-2', image: IMAGE, result: 'failed', reason: 'Unauthorized' },
  ] } }),
  ...jobsOfRun('zzz000', { namespace: 'ops' }),
  ...jobsOfRun('d4e5f6', { namespace: 'shop', record: { phase: 'interrupted', results: [{ node: 'win-1', image: IMAGE, result: 'present', reason: null }] } }),
];

async function run(argv: readonly string[], parts: PullingClusterParts = {}): Promise<RunResult> {
  const { reader, writer, clock } = pullingCluster({ jobs, ...parts });
  return runCommand(['prepull', 'status', ...argv], { reader, writer, clock });
}

describe('kubectl win prepull status', () => {
  for (const [scenario, argv] of [
    ['table.txt', ['-A']], ['wide.txt', ['-A', '-o', 'wide']], ['list.json', ['-A', '-o', 'json']], ['name.txt', ['-A', '-o', 'name']], ['one.txt', ['a1b2c3']],
  ] as const) {
    it(`prints ${scenario}`, async () => {
      const { stdout, stderr, exitCode } = await run(argv);
      assert.equal(exitCode, 0, stderr);
      if (scenario === 'list.json') assertMatchesSchema('PrepullRunList', JSON.parse(stdout));
      assertGolden(`prepull/status/${scenario}`, stdout);
    });
  }

  it('shows those of the namespace alone', async () => {
    assert.equal((await run(['-o', 'name'])).stdout, 'a1b2c3\n');
    const none = await run([], { jobs: [] });
    assert.deepEqual([none.stdout, none.stderr, none.exitCode], ['', 'No runs found in default namespace.\n', 0]);
  });

  it('says that a run is not there, and nothing of how it went', async () => {
    const { stdout, stderr, exitCode } = await run(['d4e5f6']);
    assert.deepEqual([stdout, stderr, exitCode], ['', 'error: prepull run "d4e5f6" not found in namespace default\nA run that its program followed to its end, well or not, is not on record; one with --detach is for a day after its deadline.\n-A looks in all namespaces.\n', 3]);
    assert.equal((await run(['d4e5f6', '-A'])).exitCode, 0);
  });

  it('says why a pull fails that its kubelet tries again', async () => {
    const pod = {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'default', labels: { ...MANAGED_BY, 'batch.kubernetes.io/job-name': 'kubectl-win-prepull-a1b2c3-0' } }, spec: { nodeName: 'win-3' },
      status: { phase: 'Pending', containerStatuses: [{ name: 'pull', image: IMAGE, state: { waiting: { reason: 'ErrImagePull', message: 'pull access denied' } } }] },
    };
    assert.match((await run(['a1b2c3', '-o', 'wide'], { objects: { pods: [pod] } })).stdout, / win-3\(Unauthorized\), win-4 /);
  });

  it('tells of a run without a program how it went, by its pulls', async () => {
    const [own, ...pulls] = jobsOfRun('a1b2c3', { isDetached: true, record: { planned: 2 }, active: [{ node: 'win-3', image: IMAGE }, { node: 'win-4', image: IMAGE }] });
    const ended = (...fields: readonly object[]): readonly KubeObject[] => [own, ...pulls.map((pull, at) => ({ ...pull, status: fields[at] }))] as unknown as readonly KubeObject[];
    const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] };
    const phase = async (some: readonly KubeObject[]): Promise<unknown> => (JSON.parse((await run(['-o', 'json'], { jobs: some })).stdout) as { items: readonly { phase: string }[] }).items[0]?.phase;
    assert.deepEqual([await phase(ended({ active: 1 }, { succeeded: 1 })), await phase(ended({ succeeded: 1 }, { succeeded: 1 })), await phase(ended({ succeeded: 1 }, failed))], ['running', 'succeeded', 'failed']);
  });

  describe('the gate', () => {
    const detached = (planned: number, refused = 0): readonly KubeObject[] => jobsOfRun('a1b2c3', { isDetached: true, record: { planned, refused, skipped: 1 }, active: [{ node: 'win-3', image: IMAGE }, { node: 'win-4', image: IMAGE }] });
    /** Its pulls end so many looks later, the first one well. */
    const waiting = async (argv: readonly string[], own: readonly KubeObject[], second: object): Promise<RunResult> => {
      const cluster = pullingCluster({ jobs: own });
      let looks = 0;
      return runCommand(['prepull', 'status', 'a1b2c3', ...argv], { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock, ports: { sleep: async (...parts) => {
        looks += 1;
        const [, first, other] = own;
        if (looks === 2) for (const [job, status] of [[first, { succeeded: 1 }], [other, second]] as const) (cluster.jobs as Map<string, KubeObject>).set(nameOf(job), { ...job, status } as KubeObject);
        await cluster.sleep(...parts);
      } } });
    };
    const late = { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] };

    it('waits until the run has ended', async () => {
      const well = await waiting(['--wait'], detached(2), { succeeded: 1 });
      assert.equal(well.exitCode, 0, well.stderr);
      assert.match(well.stdout, /^a1b2c3 +default +succeeded +2\/2 +0 /m);
      assert.equal(well.stderr, 'a1b2c3: 0/2 done, 2 pulling\n');
    });

    for (const [name, argv, own, exitCode, says] of [
      ['one fails', ['--wait'], detached(2), 1, /^--min-success: 66\.6% of the images on nodes are warm, and 100% are asked for: 1 failed$/m], ['one may fail', ['--wait', '--min-success=66%'], detached(2), 0, /^a1b2c3/],
      ['one was refused', ['--wait', '--min-success=60%'], detached(2, 1), 1, /50% of the images on nodes are warm, and 60% are asked for: 1 failed, 1 refused$/m], ['the time is up', ['--wait', '--timeout=5s'], detached(2), 1, /^--timeout: the run a1b2c3 has not ended within 5s\n--min-success: 33\.3% .*: 2 not yet there$/m],
      ['it is asked how it is now', ['--min-success=50%'], detached(2), 1, /33\.3% .*: 2 not yet there$/m],
    ] as const) {
      it(`gives ${exitCode} where ${name}`, async () => {
        const result = await waiting(argv, own, late);
        assert.equal(result.exitCode, exitCode, result.stderr);
        assert.match(result.stderr, says);
      });
    }

    it('of a run that is not there is an error', async () => assert.equal((await run(['nobody', '--wait'])).exitCode, 3));

    for (const [argv, message] of [[['--wait'], '--wait takes the name of a run'], [['a1b2c3', '--wait', '-A'], '-A cannot be used'], [['a1b2c3', '--timeout=5m'], '--timeout is for --wait'], [['a1b2c3', '--min-success=most'], 'must be a share'], [['a1b2c3', '--wait', '--inventory=x'], 'a recording does not change']] as const) {
      it(`refuses ${argv.join(' ')}`, async () => {
        const { exitCode, stderr } = await run(argv);
        assert.equal(exitCode, 2);
        assert.ok(stderr.includes(message), stderr);
      });
    }
  });

  it('ends where the cluster refuses', async () => {
    assert.deepEqual(await run([], { errors: { 'list jobs': forbidden('list', 'jobs') } }).then(({ stdout, exitCode }) => [stdout, exitCode]), ['', 3]);
  });

  it('takes one run', async () => assert.equal((await run(['a', 'b'])).exitCode, 2));
});
