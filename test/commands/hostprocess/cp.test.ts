import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PipeClosed } from '../../../src/cli/context.ts';
import { fakeCluster, rawNode } from '../../support/fake-cluster.ts';
import { copyingNode, LOST, pausesOnly, type CopyingNode, type CopyNodeParts } from '../../support/copy-node.ts';
import { ExecCluster, NONCE } from '../../support/exec-cluster.ts';
import { assertGolden } from '../../support/golden.ts';
import { memoryRuns } from '../../support/local-runs.ts';
import { runCommand, type RunOptions, type RunResult } from '../../support/run-command.ts';
import { assertMatchesSchema } from '../../support/schema.ts';

const ESCAPE = String.fromCharCode(27);
const FILES: CopyNodeParts = { entries: { 'C:\\k\\a.log': Buffer.from('hello'), 'C:\\k\\deep\\b.log': Buffer.alloc(2_500_000), 'C:\\k\\link': { link: 'C:\\Windows' } } };

/** Files and folders below a folder that this process has open; Linux alone tells. */
async function openBelow(folder: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const links = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return links.filter((link) => link.startsWith(`${folder}/`));
}

interface Ran extends RunResult {
  readonly node: CopyingNode;
  readonly cluster: ExecCluster;
}

describe('kubectl win hostprocess cp', () => {
  let here = '';
  let before = '';
  beforeEach(async () => {
    before = process.cwd();
    here = await mkdtemp(join(tmpdir(), 'kubectl-win-cp-'));
    process.chdir(here);
  });
  afterEach(async () => {
    process.chdir(before);
    assert.deepEqual(await openBelow(here), [], 'what is open at the end of a copy');
    await rm(here, { recursive: true, force: true });
  });

  async function run(argv: readonly string[], parts: CopyNodeParts = {}, options: RunOptions = {}): Promise<Ran> {
    const node = copyingNode(parts);
    const cluster = new ExecCluster(['win-1', 'win-2']);
    cluster.playCommand = node.play;
    const { reader, writer, exec } = cluster;
    const ports = { sleep: pausesOnly.sleep.bind(pausesOnly), createNonce: () => NONCE, createRunId: () => 'a1b2c3', ...options.ports };
    return { ...await runCommand(['hostprocess', 'cp', ...argv], { reader, writer, exec, localRuns: memoryRuns(), ...options, ports }), node, cluster };
  }

  for (const [scenario, more] of [['table.txt', []], ['wide.txt', ['-o', 'wide']], ['report.json', ['-o', 'json']], ['name.txt', ['-o', 'name']]] as const) {
    it(`prints ${scenario}`, async () => {
      const { stdout, stderr, exitCode, cluster } = await run(['win-1:C:\\k', 'out', ...more], FILES);
      assert.equal(exitCode, 0, stderr);
      if (scenario === 'report.json') assertMatchesSchema('CopyReport', JSON.parse(stdout));
      // times are those of this machine
      assertGolden(`hostprocess/cp/${scenario}`, stdout.replaceAll(/"durationSeconds": [\d.e-]+/g, '"durationSeconds": 0').replaceAll(/ {3}\d+(?:\.\d+)?s( *)/g, '   0s$1').replaceAll(/ +$/gm, ''));
      assert.equal(cluster.jobs.size, 0);
      assert.deepEqual((await readdir(join(here, 'out'), { recursive: true })).toSorted(), ['a.log', 'deep', 'deep/b.log']);
    });
  }

  it('copies to a node, and says what it refuses, made harmless', async () => {
    await mkdir(join(here, 'tools'));
    await writeFile(join(here, 'tools', 'a.exe'), 'MZ');
    await symlink('/etc/passwd', join(here, 'tools', `l${ESCAPE}[2J`));
    const { stdout, stderr, exitCode, node } = await run(['tools', 'win-1:C:\\Tools']);
    assert.deepEqual([exitCode, node.entries.get('C:\\Tools\\a.exe')], [1, Buffer.from('MZ')]);
    assert.match(stdout, /^win-1 +tools +C:\\Tools +failed +1\/1 /m);
    assert.match(stderr, /^refused l\^\[\[2J: it has a control character$/m);
  });

  it('gives exit code 1 when a file could not be copied, and names it', async () => {
    await writeFile(join(here, 'a'), 'x');
    const { stderr, exitCode } = await run(['a', 'win-1:C:\\k\\a'], { corrupt: () => Buffer.from('yyy') });
    assert.match(stderr, /^failed a: what has arrived has another SHA-256 than what was sent$/m);
    assert.equal(exitCode, 1);
  });

  it('says that the same command goes on, where the connection was lost for good', async () => {
    const fates = Object.fromEntries([2, 4, 6, 8].map((number) => [number, { afterBytes: 300_000, error: LOST }]));
    const { stderr, exitCode } = await run(['win-1:C:\\k\\deep', 'out'], { ...FILES, fates });
    assert.match(stderr, /^note: win-1: the connection was lost: the copy goes on where it stopped$/m);
    assert.match(stderr, /^win-1 {2}ConnectionLost: /m);
    assert.match(stderr, /^note: 1 file not copied to the end; the same command goes on behind what has arrived$/m);
    assert.equal(exitCode, 3);
    assert.deepEqual(await readdir(join(here, 'out')), ['b.log.kubectl-win-part']);
  });

  it('is interrupted, and says the same', async () => {
    const controller = new AbortController();
    const { stderr, exitCode, cluster } = await run(['win-1:C:\\k', 'out'], { ...FILES, beforeSend: (path) => {
      if (path.endsWith('b.log')) controller.abort(new Error('Ctrl-C'));
    } }, { signal: controller.signal });
    assert.equal(exitCode, 130);
    assert.match(stderr, /interrupted: what has arrived stays, and the next copy goes on behind it/);
    assert.equal(cluster.jobs.size, 0);
    assert.equal(await readFile(join(here, 'out', 'a.log'), 'utf8'), 'hello');
  });

  it('is no success where the reader of its report leaves in the middle', async () => {
    const controller = new AbortController();
    const { stderr, exitCode, cluster } = await run(['win-1:C:\\k', 'out'], { ...FILES, beforeSend: (path) => {
      if (path.endsWith('b.log')) controller.abort(new PipeClosed('stdout was closed'));
    } }, { signal: controller.signal });
    assert.deepEqual([exitCode, cluster.jobs.size], [130, 0]);
    assert.match(stderr, /interrupted: standard output was closed; what has arrived stays, and the next copy goes on behind it/);
  });

  it('prints the Job of a dry run, also without a cluster, and creates nothing', async () => {
    await writeFile(join(here, 'a'), 'x');
    const reader = fakeCluster({ source: 'files', isComplete: true, objects: { nodes: [rawNode('win-1')] } });
    const result = await runCommand(['hostprocess', 'cp', 'a', 'win-1:C:\\k\\', '--dry-run=client', '-o', 'yaml', '-n', 'ops', '--inventory', 'nodes.json'], { reader, ports: { createRunId: () => 'a1b2c3' } });
    assert.equal(result.exitCode, 0, result.stderr);
    assertGolden('hostprocess/cp/job.yaml', result.stdout);
    assert.ok(!result.stdout.includes('C:\\k'), 'what is copied stands in no object');
  });

  it('asks where the configuration says so, and copies nothing without a yes', async () => {
    await writeFile(join(here, 'a'), 'x');
    await writeFile(join(here, 'config.yaml'), 'hostProcess:\n  confirmAbove: 0\n');
    const env = { KUBECTL_WIN_CONFIG: join(here, 'config.yaml') };
    const { stderr, exitCode, node } = await run(['a', 'win-1:C:\\k\\a'], {}, { env, answer: () => 'n' });
    assert.match(stderr, /^Run on 1 Windows node \(win-1\) as NT AUTHORITY\\SYSTEM: a copy$/m);
    assert.match(stderr, /Nothing was copied$/m);
    assert.deepEqual([exitCode, node.operations], [1, []]);
    assert.equal((await run(['a', 'win-1:C:\\k\\a', '--yes'], {}, { env })).exitCode, 0);
  });

  for (const [argv, message, code] of [
    [['a', 'b'], /neither path is on a node/, 2], [['d:/test', 'win-1:C:\\'], /is a path on a drive, and of no node/, 2], [['none', 'win-1:C:\\k\\'], /none: cannot be read: no such file or directory/, 2], [['win-1:C:\\none', '.'], /win-1 {2}NotFound: C:\\none is not on the node/, 2], [['win-3:C:\\k', '.'], /win-3/, 3],
  ] as const) {
    it(`refuses ${argv.join(' ')}`, async () => {
      const { stderr, exitCode } = await run(argv, FILES);
      assert.match(stderr, message);
      assert.equal(exitCode, code, stderr);
    });
  }
});
