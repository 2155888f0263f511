import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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

  it('never passes off a part of the text as the whole on a disk that gets full (a limit on the size of files)', async function () {
    if (process.platform === 'win32') this.skip();
    const file = join(folder, 'a.txt');
    await writeFile(file, 'old');
    const program = `const { writeTextFile } = await import(${JSON.stringify(new URL('../../../src/adapters/write-file.ts', import.meta.url).href)});
      await writeTextFile(${JSON.stringify(file)}, ['x'.repeat(100_000)]).catch((error) => console.log(error.message));`;
    // One write past the limit writes up to it and says so in its result alone.
    const { stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -f 64; trap "" XFSZ; exec "$0" --input-type=module -e "$1"', process.execPath, program], { encoding: 'utf8', timeout: 20_000 });
    assert.equal(stdout, `${file}: cannot be written: the file would be larger than is allowed\n`);
    assert.equal(await readFile(file, 'utf8'), 'old');
    assert.deepEqual(await readdir(folder), ['a.txt']);
  });

  it('writes into a named pipe as soon as somebody reads it, and until then can be interrupted', async function () {
    if (process.platform === 'win32') this.skip();
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    await assert.rejects(writeTextFile(pipe, ['x'], AbortSignal.timeout(100)), { name: 'TimeoutError' });
    const [, read] = await Promise.all([writeTextFile(pipe, ['one\n', 'two\n']), readFile(pipe, 'utf8')]);
    assert.equal(read, 'one\ntwo\n');
    assert.deepEqual(await readdir(folder), ['pipe']);
  });

  it('takes names of any length that the file system takes', async () => {
    const name = `${'n'.repeat(250)}.txt`;
    await writeTextFile(join(folder, name), ['x']);
    assert.deepEqual(await readdir(folder), [name]);
  });

  for (const [title, name, message] of [['a folder', '.', 'it is a folder'], ['a folder that is missing', 'no/a.txt', 'its folder does not exist']] as const) {
    it(`says that ${title} cannot be written`, async () => {
      await assert.rejects(writeTextFile(join(folder, name), ['x']), new RegExp(message));
    });
  }
});
