import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openLocalRuns, type LocalRunsOptions } from '../../../../src/adapters/files/local-runs.ts';
import type { LocalRun, LocalRuns } from '../../../../src/app/ports.ts';
import { InputError } from '../../../../src/errors.ts';

const NOW = new Date('2026-11-30T12:00:00Z');

function runOf(run: string, more: Partial<LocalRun> = {}): LocalRun {
  return {
    run, cluster: 'uid-of-kube-system', context: 'prod', namespace: 'kubectl-win', startedAt: '2026-11-30T11:59:00.000Z', until: '2026-11-30T12:15:00.000Z',
    objects: [{ resource: 'jobs', name: `job-${run}-0`, uid: null, node: 'win-1' }, { resource: 'jobs', name: `job-${run}-1`, uid: null, node: 'win-2' }], ...more,
  };
}

describe('openLocalRuns', function () {
  this.timeout(20_000);
  let home: string;
  let folder: string;
  let notices: string[];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'kubectl-win-runs-'));
    folder = join(home, '.kube', 'kubectl-win', 'runs');
    notices = [];
  });
  afterEach(() => rm(home, { recursive: true, force: true }));
  const open = (more: Partial<LocalRunsOptions> = {}): LocalRuns => openLocalRuns(folder, { onNotice: (text) => notices.push(text), now: () => NOW, ...more });

  it('gives back what was begun, with the UIDs that came', async () => {
    const runs = open();
    await runs.begin(runOf('aaaaaa'));
    await runs.begin(runOf('bbbbbb', { cluster: null, context: null, isKept: true }));
    await runs.made('aaaaaa', 'job-aaaaaa-1', 'uid-1');
    assert.deepEqual(await open().all(), [
      { ...runOf('aaaaaa'), objects: [{ resource: 'jobs', name: 'job-aaaaaa-0', uid: null, node: 'win-1' }, { resource: 'jobs', name: 'job-aaaaaa-1', uid: 'uid-1', node: 'win-2' }], isUnderWay: false },
      { ...runOf('bbbbbb', { cluster: null, context: null }), isKept: true, isUnderWay: false },
    ]);
    assert.deepEqual(notices, []);
  });

  it('forgets a run that has ended, also one that it never knew, and what comes after the end', async () => {
    const runs = open();
    await runs.begin(runOf('aaaaaa'));
    await Promise.all([runs.made('aaaaaa', 'job-aaaaaa-0', 'uid-0'), runs.end('aaaaaa')]);
    await runs.made('aaaaaa', 'job-aaaaaa-1', 'uid-1');
    await runs.end('zzzzzz');
    assert.deepEqual(await readdir(folder), []);
  });

  it('makes nothing and finds nothing where no run ever was', async () => {
    assert.deepEqual(await open().all(), []);
    await open().end('aaaaaa');
    assert.deepEqual(await readdir(home), []);
  });

  it('keeps records to the user alone', async function () {
    if (process.platform === 'win32') this.skip();
    const umask = process.umask(0);
    try {
      await open().begin(runOf('aaaaaa'));
    } finally {
      process.umask(umask);
    }
    const modes = await Promise.all([join(folder, 'aaaaaa.json'), folder, join(folder, '..')].map(async (path) => ((await stat(path)).mode & 0o777).toString(8)));
    assert.deepEqual(modes, ['600', '700', '700']);
  });

  it('keeps no command, argument or environment: only the fields that it knows', async () => {
    await open().begin({ ...runOf('aaaaaa'), command: 'secret' } as LocalRun);
    assert.deepEqual(Object.keys(JSON.parse(await readFile(join(folder, 'aaaaaa.json'), 'utf8')) as object), ['version', 'run', 'cluster', 'context', 'namespace', 'startedAt', 'until', 'objects', 'program']);
  });

  it('puts many UIDs that come at once all on record', async () => {
    const objects = Array.from({ length: 200 }, (_, index) => ({ resource: 'jobs' as const, name: `job-${index}`, uid: null, node: `win-${index}` }));
    const runs = open();
    await runs.begin(runOf('aaaaaa', { objects }));
    await Promise.all(objects.map(({ name }) => runs.made('aaaaaa', name, `uid-${name}`)));
    const [run] = await open().all();
    assert.deepEqual(run?.objects.map(({ uid }) => uid), objects.map(({ name }) => `uid-${name}`));
  });

  it('does not take an id that another run has', async () => {
    await open().begin(runOf('aaaaaa', { context: 'first' }));
    await assert.rejects(open().begin(runOf('aaaaaa', { context: 'second' })), /aaaaaa\.json: exists already: another run has the same id$/);
    assert.equal((await open().all())[0]?.context, 'first');
  });

  it('lets no id lead out of its folder', async () => {
    for (const run of ['../x', 'a/b', '', 'A', 'a.json']) {
      await assert.rejects(open().begin(runOf(run)), /is no id of a run/);
      await assert.rejects(open().end(run), /is no id of a run/);
    }
    assert.deepEqual(await readdir(home), []);
  });

  describe('records that cannot be trusted', () => {
    const valid = (): Record<string, unknown> => ({ version: 1, ...runOf('aaaaaa'), program: { pid: 1, host: 'elsewhere' } });
    const cases: readonly [string, string, RegExp][] = [
      ['half a file', '{"version":1,"run":"aaa', /is no JSON/],
      ['an empty one', '', /is no JSON/],
      ['a list', '[]', /is no record of a run/],
      ['the run of another file', JSON.stringify({ ...valid(), run: 'bbbbbb' }), /is no record of a run/],
      ['a run that ends with the name', JSON.stringify({ ...valid(), run: 'aaa' }), /is no record of a run/],
      ['objects of another kind', JSON.stringify({ ...valid(), objects: [{ resource: 'nodes', name: 'win-1', uid: 'u', node: 'win-1' }] }), /is no record of a run/],
      ['an object without a name', JSON.stringify({ ...valid(), objects: [{ resource: 'jobs', uid: 'u', node: 'win-1' }] }), /is no record of a run/],
      ['a UID that is a number', JSON.stringify({ ...valid(), objects: [{ resource: 'jobs', name: 'a', uid: 5, node: 'win-1' }] }), /is no record of a run/],
      ['no objects', JSON.stringify({ ...valid(), objects: null }), /is no record of a run/],
      ['a time that is none', JSON.stringify({ ...valid(), until: 'soon' }), /is no record of a run/],
      ['no program', JSON.stringify({ ...valid(), program: {} }), /is no record of a run/],
      ['one of a later version', JSON.stringify({ ...valid(), version: 2 }), /was written by a newer kubectl win/],
    ];
    for (const [title, text, problem] of cases) {
      it(`are told and left out: ${title}`, async () => {
        await open().begin(runOf('cccccc'));
        await writeFile(join(folder, 'aaaaaa.json'), text, { mode: 0o600 });
        assert.deepEqual((await open().all()).map(({ run }) => run), ['cccccc']);
        assert.equal(notices.length, 1);
        assert.match(notices[0] ?? '', problem);
        assert.match(notices[0] ?? '', /^the record of a run is left out: .*aaaaaa\.json: /);
        assert.equal(await readFile(join(folder, 'aaaaaa.json'), 'utf8'), text, 'it stays for whoever looks into it');
      });
    }

    it('are those that somebody else could have made', async function () {
      if (process.platform === 'win32') this.skip();
      await open().begin(runOf('cccccc'));
      await writeFile(join(home, 'target'), JSON.stringify(valid()), { mode: 0o600 });
      await symlink(join(home, 'target'), join(folder, 'aaaaaa.json'));
      await writeFile(join(folder, 'bbbbbb.json'), JSON.stringify({ ...valid(), run: 'bbbbbb' }));
      await chmod(join(folder, 'bbbbbb.json'), 0o666);
      await mkdir(join(folder, 'dddddd.json'));
      assert.deepEqual((await open().all()).map(({ run }) => run), ['cccccc']);
      assert.deepEqual(notices.map((text) => text.split('.json: ')[1]), ['is a symbolic link, which is not followed', 'can be written by other users', 'is no regular file']);
    });

    it('and a folder that is a link', async function () {
      if (process.platform === 'win32') this.skip();
      await mkdir(join(home, 'bait'));
      await mkdir(join(folder, '..'), { recursive: true });
      await symlink(join(home, 'bait'), folder);
      await assert.rejects(open().begin(runOf('aaaaaa')), InputError);
      assert.deepEqual(await readdir(join(home, 'bait')), []);
    });
  });

  describe('whether a run is still under way', () => {
    const isUnderWay = async (pid: number, host: string, until: string): Promise<boolean | undefined> => {
      await open({ program: { pid, host } }).begin(runOf('aaaaaa', { until }));
      const [run] = await open({ program: { pid: process.pid, host: 'here' } }).all();
      return run?.isUnderWay;
    };

    it('is told by its process', async () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      try {
        assert.equal(await isUnderWay(child.pid ?? 0, 'here', '2026-11-30T11:00:00Z'), true);
        assert.equal((await open({ program: { pid: process.pid, host: 'here' } }).all())[0]?.processId, child.pid);
      } finally {
        child.kill('SIGKILL');
      }
      await new Promise((resolve) => child.once('exit', resolve));
      assert.equal((await open({ program: { pid: process.pid, host: 'here' } }).all())[0]?.isUnderWay, false);
    });

    it('is not said of a run whose number this process has now', async () => assert.equal(await isUnderWay(process.pid, 'here', '2026-11-30T13:00:00Z'), false));
    it('is said of its own', async () => {
      const runs = open();
      await runs.begin(runOf('aaaaaa'));
      assert.equal((await runs.all())[0]?.isUnderWay, true);
    });
    it('is told by the time where the machine is another one, whose numbers say nothing here', async () => {
      assert.equal(await isUnderWay(1, 'there', '2026-11-30T12:00:01Z'), true);
      assert.equal((await open({ program: { pid: process.pid, host: 'here' } }).all())[0]?.processId, undefined);
    });
    it('and not beyond it', async () => assert.equal(await isUnderWay(1, 'there', '2026-11-30T12:00:00Z'), false));
  });

  it('several programs at once lose nothing, and nobody ever reads half a record', async () => {
    const module = pathToFileURL(join(import.meta.dirname, '../../../../src/adapters/files/local-runs.ts')).href;
    const text = `
      import { openLocalRuns } from ${JSON.stringify(module)};
      const [folder, id] = process.argv.slice(-2);
      const runs = openLocalRuns(folder, { onNotice: (notice) => { console.log(notice); process.exitCode = 1; } });
      for (let round = 0; round < 8; round += 1) {
        const run = id + round;
        const objects = Array.from({ length: 5 }, (_, index) => ({ resource: 'jobs', name: run + index, uid: null, node: 'n' }));
        await runs.begin({ run, cluster: null, context: null, namespace: 'a', startedAt: '2026-11-30T12:00:00Z', until: '2026-11-30T12:15:00Z', objects });
        await Promise.all([...objects.map(({ name }) => runs.made(run, name, 'uid-' + name)), runs.all()]);
        if (round % 2 === 1) await runs.end(run);
      }`;
    const ended = await Promise.all(['a', 'b', 'c', 'd'].map((id) => new Promise<string>((resolve) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', text, folder, id], { stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.on('close', (code) => resolve(`${id} ${code} ${out}`));
    })));
    assert.deepEqual(ended, ['a 0 ', 'b 0 ', 'c 0 ', 'd 0 ']);
    const all = await open().all();
    assert.deepEqual(all.map(({ run }) => run), ['a', 'b', 'c', 'd'].flatMap((id) => [0, 2, 4, 6].map((round) => `${id}${round}`)));
    assert.ok(all.every(({ objects }) => objects.length === 5 && objects.every(({ name, uid }) => uid === `uid-${name}`)));
    assert.deepEqual((await readdir(folder)).filter((name) => !name.endsWith('.json')), []);
  });
});
