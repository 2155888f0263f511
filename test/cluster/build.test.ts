import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoMissingError, ensureParts, lock, unobtainableParts } from './build.ts';

const withEnvironment = async (variables: Readonly<Record<string, string | undefined>>, work: () => Promise<void>): Promise<void> => {
  const before = { ...process.env };
  try {
    for (const [name, value] of Object.entries(variables)) if (value === undefined) delete process.env[name]; else process.env[name] = value;
    await work();
  } finally {
    for (const name of Object.keys(variables)) if (before[name] === undefined) delete process.env[name]; else process.env[name] = before[name];
  }
};

describe('build of the test cluster', () => {
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'kubectl-win-build-')); });
  afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

  const silent = (): void => undefined;
  const endedPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

  it('takes programs from KUBEBUILDER_ASSETS where Go is missing, and names those it has not', async () => {
    for (const part of ['etcd', 'kube-apiserver', 'kubectl']) writeFileSync(join(folder, part), '');
    await withEnvironment({ PATH: folder, KUBEBUILDER_ASSETS: folder, KUBECTL_WIN_CACHE: join(folder, 'cache') }, async () => {
      assert.deepEqual(await unobtainableParts(['etcd', 'kube-apiserver', 'kubectl']), []);
      assert.equal((await ensureParts(['etcd'])).etcd, join(folder, 'etcd'));
      assert.deepEqual(await unobtainableParts(['etcd', 'kwok', 'kube-scheduler']), ['kwok', 'kube-scheduler']);
      // Whoever has a registry of that name may bring it; the program that is our own is compiled or not there.
      for (const part of ['distribution', 'containerd-matcher']) writeFileSync(join(folder, part), '');
      assert.deepEqual(await unobtainableParts(['distribution', 'containerd-matcher']), ['containerd-matcher']);
      await assert.rejects(ensureParts(['kwok']), (error) => error instanceof GoMissingError && error.message === 'Go is not on PATH, and KUBEBUILDER_ASSETS has no kwok');
    });
    assert.equal(existsSync(join(folder, 'cache')), false);
  });

  it('lets one caller in at a time', async () => {
    const file = join(folder, 'build.lock');
    const inside: string[] = [];
    await Promise.all(['a', 'b', 'c'].map(async (name) => {
      const release = await lock(file, () => false, silent);
      inside.push(`${name} in`);
      await new Promise((resolve) => { setTimeout(resolve, 5); });
      inside.push(`${name} out`);
      await release();
    }));
    for (let i = 0; i < inside.length; i += 2) assert.equal(inside[i + 1], inside[i]?.replace('in', 'out'));
    assert.equal(inside.length, 6);
    assert.equal(existsSync(file), false);
  });

  it('takes over from a process that has died', async () => {
    const file = join(folder, 'build.lock');
    writeFileSync(file, JSON.stringify({ pid: endedPid(), id: 'dead' }));
    const release = await lock(file, () => false, silent);
    assert.equal((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid, process.pid);
    await release();
    assert.equal(existsSync(file), false);
  });

  it('takes over from a living process that has been silent for a minute', async () => {
    const file = join(folder, 'build.lock');
    writeFileSync(file, JSON.stringify({ pid: process.ppid, id: 'silent' }));
    const before = new Date(Date.now() - 61_000);
    utimesSync(file, before, before);
    await (await lock(file, () => false, silent))();
    assert.equal(existsSync(file), false);
  });

  it('waits for a living process, says so, and leaves when the work is done', async () => {
    const file = join(folder, 'build.lock');
    writeFileSync(file, JSON.stringify({ pid: process.ppid, id: 'living' }));
    const lines: string[] = [];
    let asked = 0;
    const release = await lock(file, () => ++asked > 2, (line) => { lines.push(line); });
    await release();
    assert.deepEqual(lines, [`waiting for the build of process ${process.ppid}`]);
    assert.equal(readFileSync(file, 'utf8').includes('living'), true);
  });
});
