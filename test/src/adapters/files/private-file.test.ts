import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFile, readPrivateFile, replacePrivateFile, requirePrivateFolder } from '../../../../src/adapters/files/private-file.ts';
import { InputError } from '../../../../src/errors.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('private files', () => {
  let folder: string;
  let file: string;
  let umask: number;
  before(function () {
    if (process.platform === 'win32') this.skip();
    // the mask that lets the most through
    umask = process.umask(0);
  });
  after(() => {
    if (process.platform !== 'win32') process.umask(umask);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-private-'));
    file = join(folder, 'a.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describe('createPrivateFile', () => {
    it('makes a file that nobody else can read, and appends to it', async () => {
      const created = await createPrivateFile(file);
      assert.equal(await modeOf(file), 0o600);
      await created.write('a\n');
      await created.write(Buffer.from([0xff, 0x0a]));
      await created.close();
      await created.close();
      assert.deepEqual(await readFile(file), Buffer.from([0x61, 0x0a, 0xff, 0x0a]));
    });

    it('is gone where it is discarded, and not where it was closed before', async () => {
      const first = await createPrivateFile(file);
      await first.write('a');
      await first.discard();
      await assert.rejects(stat(file), { code: 'ENOENT' });
      const second = await createPrivateFile(file);
      await second.close();
      await second.discard();
      assert.equal(await readFile(file, 'utf8'), '');
    });

    it('replaces nothing', async () => {
      await writeFile(file, 'old');
      await assert.rejects(createPrivateFile(file), new InputError({ file }, 'exists already, and is not replaced'));
      assert.equal(await readFile(file, 'utf8'), 'old');
    });

    it('follows no link, also none that leads nowhere yet', async () => {
      const target = join(folder, 'target');
      await symlink(target, file);
      await assert.rejects(createPrivateFile(file), InputError);
      await assert.rejects(stat(target), { code: 'ENOENT' });
    });

    it('says what is wrong with a place', async () => {
      await assert.rejects(createPrivateFile(join(folder, 'no', 'a')), { message: `${join(folder, 'no', 'a')}: cannot be written: its folder does not exist` });
    });
  });

  describe('readPrivateFile', () => {
    it('reads what replacePrivateFile wrote', async () => {
      await replacePrivateFile(file, 'one');
      await replacePrivateFile(file, 'two ü');
      assert.deepEqual([await readPrivateFile(file, 100), await modeOf(file), await readdir(folder)], ['two ü', 0o600, ['a.jsonl']]);
    });

    it('follows no link', async () => {
      await writeFile(join(folder, 'target'), 'x', { mode: 0o600 });
      await symlink(join(folder, 'target'), file);
      await assert.rejects(readPrivateFile(file, 100), new InputError({ file }, 'is a symbolic link, which is not followed'));
    });

    it('refuses what others could have written', async () => {
      await writeFile(file, 'x');
      for (const mode of [0o620, 0o602]) {
        await chmod(file, mode);
        await assert.rejects(readPrivateFile(file, 100), new InputError({ file }, 'can be written by other users'), mode.toString(8));
      }
    });

    it('refuses what is too large, a folder, and waits for no pipe', async () => {
      await writeFile(file, 'x'.repeat(101), { mode: 0o600 });
      await assert.rejects(readPrivateFile(file, 100), new InputError({ file }, 'has more than 100 bytes'));
      await assert.rejects(readPrivateFile(folder, 100), new InputError({ file: folder }, 'is no regular file'));
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', ['-m', '600', pipe]);
      await assert.rejects(readPrivateFile(pipe, 100), new InputError({ file: pipe }, 'is no regular file'));
    });

    it('leaves it to the caller what a file means that is not there', async () => {
      await assert.rejects(readPrivateFile(file, 100), { code: 'ENOENT' });
    });
  });

  describe('replacePrivateFile', () => {
    it('takes the place of a link, and leaves what it leads to', async () => {
      const target = join(folder, 'target');
      await writeFile(target, 'theirs');
      await symlink(target, file);
      await replacePrivateFile(file, 'ours');
      assert.deepEqual([await readFile(target, 'utf8'), await readPrivateFile(file, 100)], ['theirs', 'ours']);
    });
  });

  describe('requirePrivateFolder', () => {
    it('makes folders for the user alone, and leaves those that are there as they are', async () => {
      const runs = join(folder, 'home', '.kube', 'ours', 'runs');
      await mkdir(join(folder, 'home', '.kube', 'ours'), { recursive: true, mode: 0o755 });
      await requirePrivateFolder(runs, { ancestors: 1 });
      await requirePrivateFolder(runs, { ancestors: 1 });
      assert.deepEqual([await modeOf(runs), await modeOf(join(runs, '..')), await modeOf(join(runs, '..', '..'))], [0o700, 0o755, 0o755]);
    });

    it('follows no link among its own, and those of the user above them', async () => {
      const elsewhere = join(folder, 'elsewhere');
      await mkdir(elsewhere);
      await symlink(elsewhere, join(folder, '.kube'));
      await requirePrivateFolder(join(folder, '.kube', 'ours', 'runs'), { ancestors: 1 });
      assert.equal(await modeOf(join(elsewhere, 'ours', 'runs')), 0o700);

      await rm(join(elsewhere, 'ours'), { recursive: true });
      await mkdir(join(folder, 'bait'));
      await symlink(join(folder, 'bait'), join(elsewhere, 'ours'));
      await assert.rejects(requirePrivateFolder(join(folder, '.kube', 'ours', 'runs'), { ancestors: 1 }), /ours: is a symbolic link, which is not followed$/);
      assert.deepEqual(await readdir(join(folder, 'bait')), []);
    });

    it('takes no folder that others can write, and changes nothing of it', async () => {
      for (const mode of [0o777, 0o1777, 0o770]) {
        const shared = join(folder, `shared-${mode}`);
        await mkdir(shared);
        await chmod(shared, mode);
        await assert.rejects(requirePrivateFolder(join(shared, 'runs'), { ancestors: 1 }), /can be written by other users$/);
        assert.deepEqual([(await stat(shared)).mode & 0o7777, await readdir(shared)], [mode, []]);
      }
    });

    it('takes no file for a folder', async () => {
      await writeFile(file, '');
      await assert.rejects(requirePrivateFolder(file, { ancestors: 0 }), /a\.jsonl: is no folder$/);
    });
  });
});
