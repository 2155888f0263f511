import assert from 'node:assert/strict';
import { chmod, lstat, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTextFile } from '../../../src/adapters/write-file.ts';

describe('writeTextFile', () => {
  let folder: string;
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'kubectl-win-write-')); });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('writes all chunks and leaves nothing else behind', async () => {
    await writeTextFile(join(folder, 'a.txt'), ['one\n', 'two\n']);
    assert.equal(await readFile(join(folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
    assert.deepEqual(await readdir(folder), ['a.txt']);
  });

  it('leaves the old file as it was when the text breaks off', async () => {
    const file = join(folder, 'a.txt');
    await writeFile(file, 'old');
    await assert.rejects(writeTextFile(file, (function* () { yield 'new'; throw new Error('broke off'); })()), { name: 'InputError', message: `${file}: cannot be written: broke off` });
    assert.equal(await readFile(file, 'utf8'), 'old');
    assert.deepEqual(await readdir(folder), ['a.txt']);
  });

  it('keeps the mode of a file, and writes through a link', async () => {
    const file = join(folder, 'a.txt');
    await writeFile(file, 'old');
    await chmod(file, 0o600);
    await symlink(file, join(folder, 'link'));
    await writeTextFile(join(folder, 'link'), ['new']);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok((await lstat(join(folder, 'link'))).isSymbolicLink());
    assert.equal(await readFile(file, 'utf8'), 'new');
  });

  for (const [title, name, message] of [['a folder', '.', 'it is a folder'], ['a folder that is missing', 'no/a.txt', 'its folder does not exist']] as const) {
    it(`says that ${title} cannot be written`, async () => {
      await assert.rejects(writeTextFile(join(folder, name), ['x']), new RegExp(message));
    });
  }
});
