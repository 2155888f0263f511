import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';

/** Nothing that is configuration is larger: a kubeconfig of a large fleet has some megabytes. */
export const SMALL_FILE_LIMIT_BYTES = 64 * 1024 * 1024;

const BLOCK_BYTES = 64 * 1024;

/** A file with more than SMALL_FILE_LIMIT_BYTES, or a device without an end. */
export class FileTooLargeError extends Error {
  constructor() {
    super(`it has more than ${SMALL_FILE_LIMIT_BYTES / 1024 / 1024} MiB`);
    this.name = 'FileTooLargeError';
  }
}

/**
 * The bytes of a file that should be small. A file is read at once, as a turn through the thread pool takes longer than
 * a small file; a pipe or a terminal is waited for, until the signal aborts. Throws FileTooLargeError and what the file
 * system says.
 */
export function readSmallFile(path: string, signal?: AbortSignal): Buffer | Promise<Buffer> {
  const descriptor = openNow(path);
  let isHandedOver = false;
  try {
    const stats = fstatSync(descriptor);
    if (isWaitedFor(descriptor, stats)) {
      isHandedOver = true;
      return readToEnd(descriptor, signal);
    }
    if (stats.isFile() && stats.size > SMALL_FILE_LIMIT_BYTES) throw new FileTooLargeError();
    const blocks: Buffer[] = [];
    // /proc and devices say a size of 0: the end is where nothing is read
    for (let size = 0; ;) {
      // one byte more than the size says, so that the end is seen without another read
      const block = Buffer.allocUnsafe(stats.isFile() && stats.size > size ? stats.size - size + 1 : BLOCK_BYTES);
      const count = readSync(descriptor, block);
      if (count === 0) return Buffer.concat(blocks);
      size += count;
      if (size > SMALL_FILE_LIMIT_BYTES) throw new FileTooLargeError();
      blocks.push(block.subarray(0, count));
      if (stats.isFile() && stats.size > 0 && size === stats.size && count < block.length) return Buffer.concat(blocks);
    }
  } finally {
    if (!isHandedOver) closeSync(descriptor);
  }
}

/** A file as a stream that `destroy` ends at any time, also while a pipe has no writer. Throws what the file system says. */
export async function openFileStream(path: string): Promise<Readable> {
  const descriptor = openNow(path);
  try {
    if (isWaitedFor(descriptor, fstatSync(descriptor))) return await waitingStream(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return createReadStream('', { fd: descriptor, highWaterMark: 1024 * 1024 });
}

/** Without O_NONBLOCK, opening a pipe waits for its writer: in this thread nothing could interrupt it, and in one of the pool it keeps the process from ending. */
function openNow(path: string): number {
  return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // not defined on Windows
}

function isWaitedFor(descriptor: number, stats: Stats): boolean {
  return stats.isFIFO() || stats.isSocket() || isatty(descriptor);
}

/** Reads when the system says that there is something: a pipe that never had a writer reads as ended otherwise. */
async function waitingStream(descriptor: number): Promise<Readable> {
  if (isatty(descriptor)) return new (await import('node:tty')).ReadStream(descriptor);
  return new (await import('node:net')).Socket({ fd: descriptor, readable: true, writable: false });
}

async function readToEnd(descriptor: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const stream = await waitingStream(descriptor);
  const stop = (): void => void stream.destroy();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    signal?.throwIfAborted();
    const blocks: Buffer[] = [];
    let size = 0;
    for await (const block of stream as AsyncIterable<Buffer>) {
      size += block.length;
      if (size > SMALL_FILE_LIMIT_BYTES) throw new FileTooLargeError();
      blocks.push(block);
    }
    signal?.throwIfAborted();
    return Buffer.concat(blocks);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    stream.destroy();
  }
}
