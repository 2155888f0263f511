import assert from 'node:assert/strict';
import type { KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../src/errors.ts';
import { assertGolden } from '../../support/golden.ts';
import { jobsOfRun } from '../../support/prepull-jobs.ts';
import { pullingCluster, type PullingCluster } from '../../support/pulling-cluster.ts';
import { runCommand, type RunResult } from '../../support/run-command.ts';
import { assertMatchesSchema } from '../../support/schema.ts';

const IMAGE = 'registry.example/shop/web:4.2';
const jobs = [...jobsOfRun('a1b2c3', { active: [{ node: 'win-3', image: IMAGE }] }), ...jobsOfRun('d4e5f6', { namespace: 'shop' }), ...jobsOfRun('g7h8i9')];

async function run(argv: readonly string[]): Promise<RunResult & { readonly cluster: PullingCluster }> {
  const cluster = pullingCluster({ jobs });
  return { ...await runCommand(['prepull', 'cleanup', ...argv], { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock }), cluster };
}

describe('kubectl win prepull cleanup', () => {
  for (const [scenario, argv] of [['table.txt', ['--all', '-A']], ['list.json', ['--all', '-A', '-o', 'json']], ['name.txt', ['a1b2c3', '-o', 'name']]] as const) {
    it(`prints ${scenario}`, async () => {
      const { stdout, stderr, exitCode } = await run(argv);
      assert.equal(exitCode, 0, stderr);
      if (scenario === 'list.json') assertMatchesSchema('PrepullCleanup', JSON.parse(stdout));
      assertGolden(`prepull/cleanup/${scenario}`, stdout);
    });
  }

  it('removes the run that is named, and no other', async () => {
    const { cluster, exitCode } = await run(['a1b2c3']);
    assert.deepEqual([exitCode, [...cluster.jobs.keys()]], [0, ['kubectl-win-prepull-d4e5f6', 'kubectl-win-prepull-g7h8i9']]);
  });

  it('removes those of the namespace with --all, and with -A those of the cluster', async () => {
    assert.deepEqual([...(await run(['--all'])).cluster.jobs.keys()], ['kubectl-win-prepull-d4e5f6']);
    assert.deepEqual([...(await run(['--all', '-A'])).cluster.jobs.keys()], []);
  });

  it('removes what it finds, and names what it does not', async () => {
    const { stdout, stderr, exitCode, cluster } = await run(['a1b2c3', 'zzzzzz']);
    assert.match(stdout, /^a1b2c3 +default +2 +0$/m);
    assert.match(stderr, /^error: prepull run "zzzzzz" not found in namespace default$/m);
    assert.deepEqual([exitCode, cluster.jobs.size], [3, 2]);
  });

  it('prints what it removed where the rest is refused', async () => {
    const cluster = pullingCluster({ jobs });
    const writer = { ...cluster.writer, delete: async (...parts: Parameters<typeof cluster.writer.delete>) => {
      if (parts[1].endsWith('-0')) throw new ClusterError('jobs.batch is forbidden: User "jane" cannot delete resource "jobs"', { reason: 'Forbidden', status: 403, suggestions: ['ask for it'] });
      return cluster.writer.delete(...parts);
    } };
    const { stdout, stderr, exitCode } = await runCommand(['prepull', 'cleanup', '--all', '-A'], { reader: cluster.reader, writer, clock: cluster.clock });
    assert.match(stdout, /^a1b2c3 +default +1 +0$/m);
    assert.match(stdout, /^d4e5f6 +shop +1 +0$/m);
    assert.match(stderr, /^(?:error: |Error from server \(Forbidden\): )?.*jobs "kubectl-win-prepull-a1b2c3-0" of the run a1b2c3 in default is not deleted: jobs\.batch is forbidden.*\nask for it\n$/);
    assert.equal(exitCode, 3);
  });

  it('leaves alone what has the labels of a pull and is none: another name, another owner', async () => {
    const [, pull] = jobsOfRun('a1b2c3', { active: [{ node: 'win-3', image: IMAGE }] });
    const forged = [
      { ...pull, metadata: { ...pull?.metadata, name: 'important' } }, { ...pull, metadata: { ...pull?.metadata, name: 'kubectl-win-prepull-a1b2c3-0-important' } },
      { ...pull, metadata: { ...pull?.metadata, name: 'kubectl-win-prepull-a1b2c3-1', ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'x' }] } },
    ] as unknown as readonly KubeObject[]; // Jobs, changed
    // as applied from -o yaml, which knows no owner
    const applied = { ...pull, metadata: { ...pull?.metadata, name: 'kubectl-win-prepull-a1b2c3-7-2', ownerReferences: undefined } } as unknown as KubeObject;
    const cluster = pullingCluster({ jobs: [...jobs, ...forged, applied] });
    await runCommand(['prepull', 'cleanup', '--all', '-A'], { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock });
    assert.deepEqual([...cluster.jobs.keys()], ['important', 'kubectl-win-prepull-a1b2c3-0-important', 'kubectl-win-prepull-a1b2c3-1']);
  });

  it('says that there was nothing', async () => {
    const cluster = pullingCluster();
    const { stdout, stderr, exitCode } = await runCommand(['prepull', 'cleanup', '--all'], { reader: cluster.reader, writer: cluster.writer });
    assert.deepEqual([stdout, stderr, exitCode], ['', 'No runs found in default namespace.\n', 0]);
  });

  for (const [argv, message] of [[[], 'no run given: name it, or take --all'], [['a1b2c3', '--all'], '--all removes all runs']] as const) {
    it(`refuses ${argv.join(' ') || 'nothing'}`, async () => {
      const { stderr, exitCode, cluster } = await run(argv);
      assert.deepEqual([exitCode, cluster.writes], [2, []]);
      assert.ok(stderr.includes(message), stderr);
    });
  }
});
