/** Copies through a real API server to a node that is played (../cluster/windows-process/copy.go), and back. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPorts } from '../../src/cli/wiring.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { runCommand, type RunResult } from '../support/run-command.ts';
import { assertMatchesSchema } from '../support/schema.ts';
import { loadPlayedNodes, PLAYED_CLUSTER, recordsOf, requestsSince } from './played-cluster.ts';

const MEGABYTE = 2 ** 20;
const NAMESPACE = 'copying';

interface Report {
  readonly phase: string;
  readonly to: string;
  readonly run: string;
  readonly error: { readonly reason: string; readonly message: string } | null;
  readonly summary: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly items: readonly { readonly path: string; readonly result: string; readonly sha256: string | null; readonly message: string | null }[];
}

/** Path and hash of each file, and each folder. */
async function tree(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return (await Promise.all(entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isSymbolicLink()) return `${name} link`;
    return entry.isDirectory() ? `${name}/` : `${name} ${createHash('sha256').update(await readFile(path)).digest('hex')}`;
  }))).toSorted();
}

interface Counter {
  readonly kubeconfig: string;
  /** Bytes, with all that lies around them, to the API server and from it. */
  readonly up: () => number;
  readonly down: () => number;
  close(): void;
}

/** A way to the API server that counts what goes over it. */
async function counting(kubeconfig: string, folder: string): Promise<Counter> {
  let [up, down] = [0, 0];
  const text = await readFile(kubeconfig, 'utf8');
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  const server = createServer((client) => {
    const api = connect(port, '127.0.0.1');
    client.on('data', (bytes) => (up += bytes.length));
    api.on('data', (bytes) => (down += bytes.length));
    for (const [one, other] of [[client, api], [api, client]] as const) one.on('error', () => other.destroy()).on('close', () => other.destroy()).pipe(other);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const path = join(folder, 'counted.kubeconfig');
  await writeFile(path, text.replaceAll(`https://127.0.0.1:${port}`, `https://127.0.0.1:${(server.address() as AddressInfo).port}`));
  return { kubeconfig: path, up: () => up, down: () => down, close: () => void server.close() };
}

describe('kubectl win hostprocess cp, through a real API server', function () {
  this.timeout(300_000);
  const recordFolder = mkdtempSync(join(tmpdir(), 'kubectl-win-copies-'));
  const cluster = useCluster({ ...PLAYED_CLUSTER, recordFolder });
  const drive = join(recordFolder, 'C');
  let here = '';

  before(async () => {
    await loadPlayedNodes(cluster(), ['copy-1']);
    await cluster().createNamespace(NAMESPACE);
  });
  beforeEach(async () => {
    here = await mkdtemp(join(tmpdir(), 'kubectl-win-copy-'));
    await rm(drive, { recursive: true, force: true });
    await mkdir(drive, { recursive: true });
  });
  afterEach(() => rm(here, { recursive: true, force: true }));
  after(() => rm(recordFolder, { recursive: true, force: true }));

  const argvOf = (source: string, destination: string, more: readonly string[]): readonly string[] => ['hostprocess', 'cp', source, destination, '-n', NAMESPACE, '--kubeconfig', cluster().kubeconfig, ...more];
  const copy = (source: string, destination: string, ...more: readonly string[]): Promise<RunResult> => runCommand(argvOf(source, destination, more), { clock: { now: () => new Date() }, env: { HOME: join(here, '.home') }, ports: { openLocalRuns: realPorts.openLocalRuns } });
  const report = async (source: string, destination: string, exitCode = 0): Promise<Report> => {
    const result = await copy(source, destination, '-o', 'json');
    assert.equal(result.exitCode, exitCode, result.stderr);
    const document = JSON.parse(result.stdout) as Report;
    assertMatchesSchema('CopyReport', document);
    return document;
  };

  it('copies 100 MB to the node and back, equal by hash, and copies nothing twice', async () => {
    const content = randomBytes(100 * MEGABYTE);
    const hash = createHash('sha256').update(content).digest('hex');
    await writeFile(join(here, 'big.bin'), content);
    await utimes(join(here, 'big.bin'), 1_700_000_000, 1_700_000_000);
    await mkdir(join(drive, 'Temp'));
    const up = await report(join(here, 'big.bin'), 'copy-1:C:\\Temp\\');
    assert.deepEqual([up.phase, up.to, up.items, up.summary['sentBytes']], ['succeeded', 'C:\\Temp\\big.bin', [{ path: '', sizeBytes: content.length, sentBytes: content.length, result: 'copied', sha256: hash, message: null }], content.length]);
    assert.equal(createHash('sha256').update(await readFile(join(drive, 'Temp', 'big.bin'))).digest('hex'), hash);
    const again = await report(join(here, 'big.bin'), 'copy-1:C:\\Temp');
    assert.deepEqual([again.items[0]?.result, again.summary['sentBytes']], ['unchanged', 0]);
    const down = await report('copy-1:C:\\Temp\\big.bin', `${here}/back/`.replace('/back/', '/back.bin'));
    assert.deepEqual(down.notes, []);
    assert.deepEqual([down.items[0]?.result, down.items[0]?.sha256, (await stat(join(here, 'back.bin'))).mtimeMs], ['copied', hash, 1_700_000_000_000]);
    assert.equal(createHash('sha256').update(await readFile(join(here, 'back.bin'))).digest('hex'), hash);
    const same = await report('copy-1:C:\\Temp\\big.bin', join(here, 'back.bin'));
    assert.deepEqual([same.items[0]?.result, same.summary['sentBytes']], ['unchanged', 0]);
    await nothingLeft(cluster(), NAMESPACE, 30);
  });

  it('copies 2,000 files in 60 folders to the node and back, equal by hash', async () => {
    const random = seededRandom(20261130);
    const folders = Array.from({ length: 60 }, (_, index) => join('tree', `f${index % 7}`, `g${index}`, ...(index % 5 === 0 ? ['deep', 'er'] : [])));
    for (const folder of folders) await mkdir(join(here, folder), { recursive: true });
    await mkdir(join(here, 'tree', 'empty'));
    for (let index = 0; index < 2_000; index += 1) await writeFile(join(here, random.pick(folders), `${index} é%$'.txt`), randomBytes(random.below(4_000)));
    const up = await report(join(here, 'tree'), 'copy-1:C:\\Temp\\new\\tree');
    assert.deepEqual([up.phase, up.summary['copied'], up.summary['files']], ['succeeded', 2_000, 2_000]);
    assert.deepEqual(await tree(join(drive, 'Temp', 'new', 'tree')), await tree(join(here, 'tree')));
    const down = await report('copy-1:C:\\Temp\\new\\tree', `${here}/back/`);
    assert.deepEqual([down.phase, down.to, down.summary['copied']], ['succeeded', `${here}/back/tree`, 2_000]);
    assert.deepEqual(await tree(join(here, 'back', 'tree')), await tree(join(here, 'tree')));
    // of some that have changed those alone are sent
    await writeFile(join(drive, 'Temp', 'new', 'tree', 'added'), 'new');
    const more = await report('copy-1:C:\\Temp\\new\\tree', `${here}/back/`);
    assert.deepEqual([more.summary['unchanged'], more.summary['copied'], more.summary['sentBytes']], [2_000, 1, 3]);
    await nothingLeft(cluster(), NAMESPACE, 30);
  });

  it('sends names and contents in no request', async () => {
    const mark = await cluster().auditMark();
    await writeFile(join(here, 'canary-4711.txt'), 'canary-0815');
    const { run } = await report(join(here, 'canary-4711.txt'), 'copy-1:C:\\');
    const asked = JSON.stringify(await requestsSince(cluster(), mark));
    assert.ok(asked.includes('pods/exec'));
    for (const secret of ['canary-4711', 'canary-0815']) for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, 12), Buffer.from(secret, 'utf16le').toString('base64').slice(0, 24), encodeURIComponent(secret)]) assert.ok(!asked.includes(form), form);
    assert.deepEqual((await recordsOf(cluster(), run)).map(({ name, problem }) => [name, problem]), [['copy-list.v1', ''], ['copy-receive.v1', '']]);
  });

  describe('refuses', () => {
    it('to follow links on the node, on the way to it and in a source', async () => {
      await mkdir(join(drive, 'Temp'));
      await mkdir(join(drive, 'Secrets'));
      await writeFile(join(drive, 'Secrets', 'key'), 'precious');
      await symlink(join(drive, 'Secrets'), join(drive, 'Temp', 'out'));
      await symlink(join(drive, 'Secrets', 'key'), join(drive, 'Temp', 'key'));
      await mkdir(join(here, 'up', 'out'), { recursive: true });
      await writeFile(join(here, 'up', 'out', 'key'), 'harmful');
      await writeFile(join(here, 'up', 'key'), 'harmful');
      await writeFile(join(here, 'up', 'fine'), 'fine');
      const up = await report(join(here, 'up'), 'copy-1:C:\\Temp', 1);
      assert.deepEqual(up.items.map(({ path, result }) => [path, result]), [['fine', 'copied'], ['key', 'failed'], ['out/key', 'failed']]);
      assert.match(up.items.map(({ message }) => message).join(' '), /a link has its name on the node .*is a link, which is not followed/);
      assert.deepEqual([await readdir(join(drive, 'Secrets')), await readFile(join(drive, 'Secrets', 'key'), 'utf8')], [['key'], 'precious']);
      const down = await report('copy-1:C:\\Temp', `${here}/down`);
      assert.deepEqual([down.items.map(({ path, result }) => [path, result]), await readdir(join(here, 'down'))], [[['fine', 'copied'], ['key', 'skipped'], ['out', 'skipped']], ['fine']]);
      assert.match((await report('copy-1:C:\\Temp\\out', `${here}/x`, 3)).error?.message ?? '', /is a link on the node, which is not followed/);
    });

    it('to write through links here, and to copy those of a source', async () => {
      await mkdir(join(here, 'outside'));
      await writeFile(join(here, 'outside', 'a'), 'precious');
      await mkdir(join(drive, 'Temp', 'sub'), { recursive: true });
      for (const name of ['a', 'b', 'c', join('sub', 'a')]) await writeFile(join(drive, 'Temp', name), 'harmful');
      await mkdir(join(here, 'down'));
      await symlink(join(here, 'outside', 'a'), join(here, 'down', 'a'));
      await link(join(here, 'outside', 'a'), join(here, 'down', 'b.kubectl-win-part'));
      await symlink(join(here, 'outside'), join(here, 'down', 'sub'));
      const down = await report('copy-1:C:\\Temp', `${here}/down`, 1);
      assert.deepEqual(down.items.map(({ path, result }) => [path, result]), [['a', 'failed'], ['b', 'failed'], ['c', 'copied'], ['sub/a', 'failed']]);
      assert.deepEqual([await readdir(join(here, 'outside')), await readFile(join(here, 'outside', 'a'), 'utf8')], [['a'], 'precious']);
      await symlink('/etc', join(here, 'outside', 'etc'));
      const up = await report(join(here, 'outside'), 'copy-1:C:\\Up');
      assert.deepEqual(up.items.map(({ path, result, message }) => [path, result, message]), [['a', 'copied', null], ['etc', 'skipped', 'links are not copied: it leads to /etc']]);
    });

    it('names that lead out, that Windows cannot have, or that differ by case alone, and copies the rest', async () => {
      await mkdir(join(here, 'up', 'Logs'), { recursive: true });
      await mkdir(join(here, 'up', 'logs'));
      for (const name of ['fine', 'nul.txt', 'a:b', '..\\..\\evil', 'end.', join('Logs', 'x'), join('logs', 'x')]) await writeFile(join(here, 'up', name), name);
      const up = await report(join(here, 'up'), 'copy-1:C:\\Temp\\deep', 1);
      assert.deepEqual(up.items.map(({ path, result }) => [path, result]), [['..\\..\\evil', 'refused'], ['Logs/x', 'copied'], ['a:b', 'refused'], ['end.', 'refused'], ['fine', 'copied'], ['logs', 'refused'], ['logs/x', 'refused'], ['nul.txt', 'refused']]);
      assert.deepEqual(await tree(drive), (await tree(drive)).filter((entry) => /^(?:Temp\/|Temp\/deep\/|Temp\/deep\/fine .*|Temp\/deep\/Logs\/|Temp\/deep\/Logs\/x .*)$/.test(entry)));
      // what a node that is not to be trusted might say: a name with a separator of this side
      await mkdir(join(drive, 'Evil'));
      await writeFile(join(drive, 'Evil', '..\\..\\..\\evil'), 'harmful');
      await writeFile(join(drive, 'Evil', 'fine'), 'fine');
      const down = await report('copy-1:C:\\Evil', `${here}/down/deep/er`, 1);
      assert.deepEqual([down.items.map(({ path, result }) => [path, result]), await tree(join(here, 'down'))], [[['..\\..\\..\\evil', 'refused'], ['fine', 'copied']], (await tree(join(here, 'down'))).filter((entry) => !entry.includes('evil'))]);
    });

    for (const [source, destination] of [['copy-1:C:\\a\\..\\b', '.'], ['copy-1:C:\\a:stream', '.'], ['copy-1:\\\\.\\PhysicalDrive0', '.'], ['README.md', 'copy-1:C:\\x\\CON'], ['d:/test', 'copy-1:C:\\x']] as const) {
      it(`${source} to ${destination} before there is a pod`, async () => {
        const mark = await cluster().auditMark();
        assert.equal((await copy(source, destination)).exitCode, 2);
        assert.deepEqual(await requestsSince(cluster(), mark), []);
      });
    }
  });

  it('does not take what has changed for what has arrived', async () => {
    await writeFile(join(here, 'file'), Buffer.alloc(100_000, 'a'));
    await mkdir(join(drive, 'Temp'));
    await writeFile(join(drive, 'Temp', 'file.kubectl-win-part'), Buffer.alloc(50_000, 'a'));
    assert.deepEqual((await report(join(here, 'file'), 'copy-1:C:\\Temp')).items.map(({ result }) => result), ['resumed']);
    await writeFile(join(drive, 'Temp', 'other.kubectl-win-part'), Buffer.alloc(50_000, 'b'));
    assert.deepEqual((await report(join(here, 'file'), 'copy-1:C:\\Temp\\other')).items.map(({ result }) => result), ['copied']);
    assert.deepEqual(await readdir(join(drive, 'Temp')), ['file', 'other']);
    // and on this side
    await writeFile(join(here, 'back.kubectl-win-part'), Buffer.alloc(50_000, 'a'));
    await writeFile(join(here, 'wrong.kubectl-win-part'), Buffer.alloc(50_000, 'b'));
    assert.deepEqual((await report('copy-1:C:\\Temp\\file', join(here, 'back'))).items.map(({ result }) => result), ['resumed']);
    assert.deepEqual((await report('copy-1:C:\\Temp\\file', join(here, 'wrong'))).items.map(({ result }) => result), ['copied']);
    assert.ok((await readFile(join(here, 'wrong'))).equals(await readFile(join(here, 'file'))));
  });

  describe('killed at random moments, and begun again', () => {
    const KILLS = 20;
    const SIZE = 100 * MEGABYTE;
    let program: InstalledProgram;
    let way: Counter;
    before(async function () {
      this.timeout(120_000);
      program = await installedProgram();
    });
    beforeEach(async () => {
      way = await counting(cluster().kubeconfig, here);
    });
    afterEach(() => way.close());
    const seed = testSeed();
    const sizeOf = (path: string): Promise<number> => stat(path).then(({ size }) => size, () => 0);

    /** Kills a copy as soon as so much has arrived. */
    async function killed(source: string, destination: string, place: string, at: number): Promise<boolean> {
      const ended = await program.run(['hostprocess', 'cp', source, destination, '-n', NAMESPACE, '--kubeconfig', way.kubeconfig, '--timeout', '60s'], {
        during: (child) => {
          const timer = setInterval(() => {
            void sizeOf(`${place}.kubectl-win-part`).then((size) => size >= at && child.kill('SIGKILL'));
          }, 2);
          child.on('exit', () => clearInterval(timer));
        },
      });
      if (ended.signal === null) assert.equal(ended.exitCode, 0, ended.stderr);
      return ended.signal !== null;
    }

    for (const [title, direction] of [['sends to the node', 'up'], ['fetches from the node', 'down']] as const) {
      it(`${title} less than 1.3 times its size: ${KILLS} kills, seed ${seed}`, async function () {
        this.timeout(600_000);
        const random = seededRandom(seed);
        const content = randomBytes(SIZE);
        const [source, place, from, to] = direction === 'up' ? [join(here, 'big'), join(drive, 'big'), join(here, 'big'), 'copy-1:C:\\big'] : [join(drive, 'big'), join(here, 'big'), 'copy-1:C:\\big', join(here, 'big')];
        await writeFile(source, content);
        let kills = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const there = await sizeOf(`${place}.kubectl-win-part`);
          // a part of what is left, so that there is some for the last one
          if (!await killed(from, to, place, there + random.below(Math.max(1, Math.floor((SIZE - there) / 8))) + 1)) break;
          kills += 1;
          // what was on the way may have been all that was missing
          if (await sizeOf(place) === SIZE) break;
          assert.ok(await sizeOf(`${place}.kubectl-win-part`) >= there, 'what had arrived is there');
        }
        assert.equal(await killed(from, to, place, Infinity), false);
        assert.ok((await readFile(place)).equals(content));
        const times = way[direction]() / SIZE;
        assert.ok(kills >= 5, `${kills} kills`);
        assert.ok(times >= 1 && times < 1.3, `${kills} kills, ${times.toFixed(3)} times its size`);
      });
    }

    it('begins anew where the source is another one meanwhile', async () => {
      await writeFile(join(here, 'big'), Buffer.alloc(SIZE, 'a'));
      assert.equal(await killed(join(here, 'big'), 'copy-1:C:\\big', join(drive, 'big'), MEGABYTE), true);
      await writeFile(join(here, 'big'), Buffer.alloc(5 * MEGABYTE, 'b'));
      assert.equal((await report(join(here, 'big'), 'copy-1:C:\\big')).items[0]?.result, 'copied');
      assert.ok((await readFile(join(drive, 'big'))).equals(await readFile(join(here, 'big'))));
      await truncate(join(here, 'big'), MEGABYTE);
      assert.equal((await report(join(here, 'big'), 'copy-1:C:\\big')).items[0]?.result, 'copied');
      assert.equal(await sizeOf(join(drive, 'big')), MEGABYTE);
    });
  });
});
