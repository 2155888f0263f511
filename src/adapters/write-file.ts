import { constants } from 'node:fs';
import { open, realpath, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { InputError } from '../errors.ts';
import { TemporaryFile, writeError } from './temporary-file.ts';

/** Text that is gathered before it is written, in characters. */
const BLOCK_CHARACTERS = 1024 * 1024;

/**
 * Writes a text file whole or not at all. Links are followed; an existing file keeps its mode and owner. What is no regular file
 * (a pipe, /dev/stderr) is written as it is. Throws InputError, and what the signal aborts with.
 */
export async function writeTextFile(file: string, chunks: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const existing = await stat(target).catch(() => null);
  let temporary: TemporaryFile | null = null;
  try {
    if (existing !== null && !existing.isFile() && !existing.isDirectory()) {
      if (existing.isFIFO()) await writePipe(target, blocks(chunks), signal);
      else await writeFile(target, blocks(chunks), { signal });
      return;
    }
    if (existing?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    temporary = await TemporaryFile.create(target, existing === null ? 0o644 : existing.mode & 0o777);
    for await (const block of blocks(chunks)) {
      signal?.throwIfAborted();
      await temporary.write(Buffer.from(block));
    }
    await temporary.replaceTarget({ like: existing });
  } catch (error) {
    await temporary?.discard();
    signal?.throwIfAborted();
    throw error instanceof InputError ? error : writeError(file, error);
  }
}

/** How long to wait before a pipe is looked at again, in milliseconds. */
const PIPE_WAIT = 50;

/** Waits until somebody reads from the pipe: opening it would wait as well, but deaf to Ctrl-C. */
async function writePipe(pipe: string, text: AsyncIterable<string>, signal: AbortSignal | undefined): Promise<void> {
  let probe: FileHandle | null = null;
  while (probe === null) {
    try {
      probe = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await setTimeout(PIPE_WAIT, undefined, { signal });
    }
  }
  try {
    await writeFile(pipe, text, { signal });
  } finally {
    await probe.close(); // last: without a writer the reader would take the pipe for ended
  }
}

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
