import { randomBytes } from 'node:crypto';
import { chmod, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../errors.ts';

/** Text that is gathered before it is written, in characters. */
const BLOCK_CHARACTERS = 1024 * 1024;

/**
 * Writes a text file as a whole or not at all: to a temporary file beside the target, which is then renamed. Links are
 * followed; an existing file keeps its mode. What is no regular file (a pipe, /dev/stderr) is written as it is. Throws InputError.
 */
export async function writeTextFile(file: string, chunks: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const existing = await stat(target).catch(() => null);
  try {
    if (existing !== null && !existing.isFile() && !existing.isDirectory()) {
      await writeFile(target, blocks(chunks), { signal });
      return;
    }
    if (existing?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
    try {
      const handle = await open(temporary, 'wx', existing === null ? 0o644 : existing.mode & 0o777);
      try {
        for await (const block of blocks(chunks)) {
          signal?.throwIfAborted();
          await handle.write(block);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (existing !== null) await chmod(temporary, existing.mode & 0o777); // the umask does not count for a file that was there
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof InputError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InputError({ file }, `cannot be written: ${WRITE_PROBLEMS[code ?? ''] ?? message}`, { cause: error });
  }
}

const WRITE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist', EACCES: 'permission denied', EISDIR: 'it is a folder', ENOSPC: 'no space left on the device', EROFS: 'the file system is read-only', ENOTDIR: 'a part of its path is no folder',
};

async function* blocks(chunks: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let pending = '';
  for await (const chunk of chunks) {
    pending += chunk;
    if (pending.length < BLOCK_CHARACTERS) continue;
    yield pending;
    pending = '';
  }
  if (pending !== '') yield pending;
}
