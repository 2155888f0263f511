import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { link, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalTree } from '../../../../src/adapters/files/local-tree.ts';
import type { LocalTree } from '../../../../src/app/ports.ts';
import type { SourceEntry } from '../../../../src/domain/hostprocess/copy/copy-plan.ts';
import { InputError } from '../../../../src/errors.ts';

const PART = '.kubectl-win-part';
const never = new AbortController().signal;
const sha = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function walked(tree: LocalTree): Promise<readonly SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of tree.walk(never)) entries.push(entry);
  return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function receive(tree: LocalTree, parts: readonly string[], content: Uint8Array | string, from = 0, hash = sha(content)): Promise<void> {
  const target = await tree.target(parts, from);
  try {
    await target.write(Buffer.from(content).subarray(from));
    await target.commit(hash, Date.parse('2026-11-30T12:00:00Z'));
  } finally {
    await target.leave();
  }
}

for (const holdsFolders of [true, false]) {
  describe(`openLocalTree, ${holdsFolders ? 'with folders held open' : 'with folders looked at'}`, function () {
    let folder = '';
    let outside = '';
    let root = '';
    let tree: LocalTree;
    before(function () {
      if (holdsFolders && process.platform !== 'linux') this.skip();
    });
    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'kubectl-win-tree-')));
      root = join(folder, 'root');
      outside = join(folder, 'outside');
      await mkdir(outside);
      await writeFile(join(outside, 'secret'), 'precious');
      tree = openLocalTree(root, { holdsFolders });
    });
    afterEach(async () => {
      await tree.close();
      await rm(folder, { recursive: true, force: true });
    });
    /** Nothing that stands outside has changed. */
    const assertUntouched = async (): Promise<void> => assert.deepEqual([await readdir(outside), await readFile(join(outside, 'secret'), 'utf8'), (await readdir(folder)).toSorted()], [['secret'], 'precious', ['outside', 'root']]);

    describe('reads', () => {
      beforeEach(async () => {
        await mkdir(join(root, 'a', 'deep'), { recursive: true });
        await writeFile(join(root, 'a', 'deep', 'file'), 'hello');
        await writeFile(join(root, 'b'), '');
      });

      it('what is below it, and says what links lead to', async () => {
        await symlink(outside, join(root, 'a', 'out'));
        await symlink('gone', join(root, 'dangling'));
        assert.deepEqual((await walked(tree)).map(({ path, kind, sizeBytes, message }) => [path, kind, sizeBytes, message]), [
          ['', 'folder', 0, null], ['a', 'folder', 0, null], ['a/deep', 'folder', 0, null], ['a/deep/file', 'file', 5, null], ['a/out', 'link', 0, outside], ['b', 'file', 0, null], ['dangling', 'link', 0, 'gone'],
        ]);
      });

      it('a pipe, and does not wait for it', async function () {
        if (spawnSync('mkfifo', [join(root, 'pipe')]).status !== 0) this.skip();
        assert.deepEqual((await walked(tree)).find(({ path }) => path === 'pipe')?.kind, 'other');
        await assert.rejects(tree.source(['pipe']), (error) => error instanceof InputError && error.message.endsWith('is no regular file'));
      });

      it('a name that is no UTF-8 as one that cannot be read', async function () {
        if (process.platform !== 'linux') this.skip();
        await writeFile(Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xff])]), '');
        assert.deepEqual((await walked(tree)).find(({ kind }) => kind === 'unreadable')?.message, 'its name is no UTF-8');
      });

      it('a single file, also by a link that the user names', async () => {
        await symlink(join(outside, 'secret'), join(folder, 'link'));
        const single = openLocalTree(join(folder, 'link'), { holdsFolders });
        assert.deepEqual([await single.kind(), (await walked(single)).map(({ path, kind, sizeBytes }) => [path, kind, sizeBytes])], ['file', [['', 'file', 8]]]);
        const source = await single.source([]);
        assert.equal(await source.prefix(8), sha('precious'));
        await source.close();
        await single.close();
      });

      it('no file through a link, whether the folder or the file is one', async () => {
        await symlink(outside, join(root, 'out'));
        await symlink(join(outside, 'secret'), join(root, 'secret'));
        for (const parts of [['out', 'secret'], ['secret'], ['..', 'outside', 'secret'], ['a', '..', '..', 'outside', 'secret'], ['a/../../outside/secret']]) await assert.rejects(async () => tree.source(parts), InputError, parts.join());
      });

      it('bytes from any place, with the hash of the whole', async () => {
        const content = randomBytes(700_000);
        await writeFile(join(root, 'big'), content);
        const source = await tree.source(['big']);
        assert.deepEqual([source.sizeBytes, await source.prefix(600_000), await source.prefix(5), await source.prefix(700_001)], [700_000, sha(content.subarray(0, 600_000)), sha(content.subarray(0, 5)), null]);
        for (const from of [300_000, 0, 700_000, 1]) {
          const chunks: Uint8Array[] = [];
          for await (const chunk of source.read(from)) chunks.push(chunk);
          assert.ok(Buffer.concat(chunks).equals(content.subarray(from)), String(from));
          assert.equal(source.sha256(), sha(content));
        }
        await source.close();
      });

      it('what was there when it was opened, and says where that has become less', async () => {
        await writeFile(join(root, 'log'), 'one two');
        const source = await tree.source(['log']);
        await writeFile(join(root, 'log'), 'one two three');
        const chunks: Uint8Array[] = [];
        for await (const chunk of source.read(0)) chunks.push(chunk);
        assert.equal(Buffer.concat(chunks).toString(), 'one two');
        await writeFile(join(root, 'log'), 'one');
        const again = await tree.source(['log']);
        await writeFile(join(root, 'log'), '');
        await assert.rejects(async () => {
          for await (const _ of again.read(0)) assert.fail();
        }, /became shorter while it was copied/);
        await source.close();
        await again.close();
      });

      it('says what is missing', async () => {
        assert.equal(await openLocalTree(join(folder, 'none')).kind(), 'missing');
        await assert.rejects(async () => walked(openLocalTree(join(folder, 'none'))), /none: cannot be read: no such file or directory/);
      });
    });

    describe('writes', () => {
      beforeEach(() => tree.makeFolder([]));

      it('a file, whole or not at all, with its time', async () => {
        await tree.makeFolder(['a']);
        await tree.makeFolder(['a']);
        await receive(tree, ['a', 'file'], 'hello');
        assert.deepEqual([await readFile(join(root, 'a', 'file'), 'utf8'), (await stat(join(root, 'a', 'file'))).mtimeMs, await readdir(join(root, 'a'))], ['hello', Date.parse('2026-11-30T12:00:00Z'), ['file']]);
        await assert.rejects(receive(tree, ['a', 'file'], 'other', 0, sha('else')), /another SHA-256/);
        assert.deepEqual([await readFile(join(root, 'a', 'file'), 'utf8'), await readdir(join(root, 'a'))], ['hello', ['file']]);
        await receive(tree, ['a', 'file'], 'new');
        assert.equal(await readFile(join(root, 'a', 'file'), 'utf8'), 'new');
      });

      it('goes on behind what an earlier copy has left', async () => {
        const target = await tree.target(['file'], 0);
        await target.write(Buffer.from('hello wor'));
        await target.leave();
        assert.deepEqual(await tree.arrived(['file'], 11), { obstacle: null, whole: null, part: { sizeBytes: 9, sha256: sha('hello wor') } });
        await receive(tree, ['file'], 'hello world', 9);
        assert.equal(await readFile(join(root, 'file'), 'utf8'), 'hello world');
        assert.deepEqual(await tree.arrived(['file'], 11), { obstacle: null, whole: sha('hello world'), part: null });
      });

      it('goes back to where it is told to begin', async () => {
        await writeFile(join(root, `file${PART}`), 'hello rubbish');
        await receive(tree, ['file'], 'hello you', 6);
        assert.equal(await readFile(join(root, 'file'), 'utf8'), 'hello you');
      });

      it('hashes nothing that cannot be the file', async () => {
        await writeFile(join(root, 'file'), 'longer than that');
        await writeFile(join(root, `file${PART}`), 'longer than that');
        assert.deepEqual(await tree.arrived(['file'], 3), { obstacle: null, whole: null, part: null });
        await tree.makeFolder(['folder']);
        await symlink(outside, join(root, 'link'));
        assert.deepEqual([(await tree.arrived(['folder'], 3)).obstacle, (await tree.arrived(['link'], 3)).obstacle, (await tree.arrived(['none', 'x'], 3)).obstacle], ['folder', 'link', null]);
      });

      const attacks: readonly [string, () => Promise<void>, readonly string[]][] = [
        ['a folder that is a link', () => symlink(outside, join(root, 'out')), ['out', 'secret']],
        ['a folder that is a link to the root itself', () => symlink('.', join(root, 'out')), ['out', 'file']],
        ['a file that is a link', () => symlink(join(outside, 'secret'), join(root, 'file')), ['file']],
        ['a file that is a link to nothing yet', () => symlink(join(outside, 'new'), join(root, 'file')), ['file']],
        ['an unfinished file that is a link', () => symlink(join(outside, 'secret'), join(root, `file${PART}`)), ['file']],
        ['an unfinished file that has another name outside', () => link(join(outside, 'secret'), join(root, `file${PART}`)), ['file']],
        ['..', async () => undefined, ['..', 'outside', 'secret']],
        ['.. in the middle', () => mkdir(join(root, 'a')), ['a', '..', '..', 'outside', 'secret']],
        ['a name with a slash', async () => undefined, ['../outside/secret']],
        ['an absolute name', async () => undefined, ['/tmp/kubectl-win-should-not-be']],
        ['an empty name', async () => undefined, ['', 'x']],
        ['a folder in its place', () => mkdir(join(root, 'file')), ['file']],
      ];
      for (const [title, prepare, parts] of attacks) {
        it(`refuses ${title}`, async () => {
          await prepare();
          await assert.rejects(async () => receive(tree, parts, 'harmful'), InputError);
          await assert.rejects(async () => tree.makeFolder([...parts.slice(0, -1), 'x', 'y']), InputError);
          await assertUntouched();
        });
      }

      it('does not follow a folder that becomes a link while a file is written', async () => {
        await tree.makeFolder(['a']);
        const target = await tree.target(['a', 'secret'], 0);
        await target.write(Buffer.from('harmful'));
        await rename(join(root, 'a'), join(root, 'moved'));
        await symlink(outside, join(root, 'a'));
        await target.commit(sha('harmful'), 0).catch((error: unknown) => assert.ok(error instanceof InputError));
        await target.leave();
        await assertUntouched();
        // and neither for the next one
        await receive(tree, ['a', 'secret'], 'harmful').catch((error: unknown) => assert.ok(error instanceof InputError));
        await assertUntouched();
      });

      it('keeps the mode of a file that it replaces', async () => {
        await writeFile(join(root, 'run.sh'), 'old', { mode: 0o750 });
        await receive(tree, ['run.sh'], 'new');
        assert.equal((await lstat(join(root, 'run.sh'))).mode & 0o777, 0o750);
      });

      it('works in more folders than it holds open', async () => {
        for (let index = 0; index < 150; index += 1) {
          await tree.makeFolder([`f${index}`]);
          await receive(tree, [`f${index}`, 'file'], String(index));
        }
        await receive(tree, ['f0', 'again'], 'x');
        assert.equal((await readdir(root)).length, 150);
        assert.equal(await readFile(join(root, 'f77', 'file'), 'utf8'), '77');
      });

      it('opens nothing any more once it is closed', async () => {
        await tree.makeFolder(['a']);
        await tree.close();
        if (holdsFolders) await assert.rejects(tree.makeFolder(['b']), /is not used any more/);
      });

      it('into a folder by its name, and a single file', async () => {
        const into = tree.into('file');
        assert.deepEqual([into.name, await into.kind()], ['file', 'missing']);
        await receive(into, [], 'hello');
        await into.close();
        assert.equal(await readFile(join(root, 'file'), 'utf8'), 'hello');
        await assert.rejects(receive(openLocalTree(join(root, 'none', 'file'), { holdsFolders }), [], 'x'), /cannot be written: its folder does not exist|cannot be read: no such file/);
      });
    });
  });
}
