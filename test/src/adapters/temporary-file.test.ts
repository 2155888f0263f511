import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TemporaryFile, writeError } from '../../../src/adapters/temporary-file.ts';

describe('TemporaryFile', () => {
  let folder: string;
  let target: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-temporary-'));
    target = join(folder, 'a.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('takes the mode of the file that it replaces', async function () {
    if (process.platform === 'win32') this.skip();
    await writeFile(target, 'old');
    await chmod(target, 0o640);
    const file = await TemporaryFile.create(target, 0o600);
    await file.write(Buffer.from('new'));
    assert.equal(await readFile(target, 'utf8'), 'old');
    await file.replaceTarget({ like: await stat(target) });
    assert.deepEqual([await readFile(target, 'utf8'), (await stat(target)).mode & 0o777], ['new', 0o640]);
    await file.discard();
    assert.deepEqual(await readdir(folder), ['a.json']);
  });

  it('leaves the target when the last look at it throws', async () => {
    await writeFile(target, 'old');
    const file = await TemporaryFile.create(target, 0o600);
    await file.write(Buffer.from('new'));
    await assert.rejects(file.replaceTarget({ confirm: () => Promise.reject(new Error('it has changed')) }), { message: 'it has changed' });
    await file.discard();
    await file.discard();
    assert.deepEqual([await readFile(target, 'utf8'), await readdir(folder)], ['old', ['a.json']]);
  });

  it('replaces no file that may not be written', async function () {
    if (process.platform === 'win32' || process.getuid?.() === 0) this.skip();
    await writeFile(target, 'old');
    await chmod(target, 0o400);
    await assert.rejects(TemporaryFile.create(target, 0o600), { code: 'EACCES' });
    assert.deepEqual(await readdir(folder), ['a.json']);
  });
});

describe('writeError', () => {
  it('says what the system says in words, and passes on the rest', () => {
    assert.equal(writeError('a.json', Object.assign(new Error('EROFS: x'), { code: 'EROFS' })).message, 'a.json: cannot be written: the file system is read-only');
    assert.equal(writeError('a.json', new Error('broke off')).message, 'a.json: cannot be written: broke off');
  });
});
