import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileTooLargeError, openFileStream, readSmallFile } from '../../../src/adapters/open-file.ts';

describe('readSmallFile and openFileStream', () => {
  let folder: string;
  let fifo: string;
  before(function () {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-open-'));
    if (process.platform === 'win32') this.skip();
    fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('read files of any small size at once', () => {
    for (const size of [0, 1, 65_535, 65_536, 65_537, 1_000_000]) {
      const file = join(folder, 'file');
      writeFileSync(file, 'x'.repeat(size));
      const bytes = readSmallFile(file);
      assert.ok(Buffer.isBuffer(bytes));
      assert.equal(bytes.toString(), 'x'.repeat(size));
    }
  });

  it('refuse what has no end, and say what the file system says', () => {
    assert.throws(() => readSmallFile('/dev/zero'), FileTooLargeError);
    assert.throws(() => readSmallFile(folder), { code: 'EISDIR' });
    assert.throws(() => readSmallFile(join(folder, 'none')), { code: 'ENOENT' });
  });

  it('wait for the writer of a pipe, and for its end', async () => {
    const reading = readSmallFile(fifo);
    assert.ok(reading instanceof Promise);
    await writeFile(fifo, 'x'.repeat(200_000));
    assert.equal((await reading).length, 200_000);
  });

  it('give up waiting when the signal says so', async () => {
    const controller = new AbortController();
    const reading = readSmallFile(fifo, controller.signal);
    controller.abort();
    await assert.rejects(async () => reading, { name: 'AbortError' });
    const stream = await openFileStream(fifo);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.destroy();
    await closed;
    assert.ok(stream.destroyed);
  });

  it('stream a file to its end', async () => {
    const file = join(folder, 'streamed');
    writeFileSync(file, 'a'.repeat(3_000_000));
    let size = 0;
    for await (const block of await openFileStream(file)) size += (block as Buffer).length;
    assert.equal(size, 3_000_000);
  });
});
