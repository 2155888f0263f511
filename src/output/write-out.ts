import type { Writable } from 'node:stream';
import { once } from 'node:events';

/**
 * Writes the chunks one after the other and waits whenever the reader is slower, so that output of any size is held in
 * memory one chunk at a time. Ends without an error when the reader has gone (`| head`): nobody is left to read the rest.
 */
export async function writeOut(stream: Writable, chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void> {
  let failure: NodeJS.ErrnoException | null = null;
  const onError = (error: NodeJS.ErrnoException): void => {
    failure = error;
  };
  stream.on('error', onError);
  try {
    for await (const chunk of chunks) {
      if (failure !== null || stream.destroyed) break;
      if (chunk.length > 0 && !stream.write(chunk)) await drained(stream);
    }
    if (failure === null && !stream.destroyed) await flushed(stream);
  } finally {
    stream.off('error', onError);
  }
  throwUnlessReaderLeft(failure);
}

async function drained(stream: Writable): Promise<void> {
  const stop = new AbortController();
  // A pipe whose reader has gone ends with `error`, `close` or both; the loop above looks at the state then.
  await Promise.race(['drain', 'close', 'error'].map((event) => once(stream, event, { signal: stop.signal }).catch(() => undefined)));
  stop.abort();
}

async function flushed(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.write('', () => resolve());
  });
}

function throwUnlessReaderLeft(failure: NodeJS.ErrnoException | null): void {
  if (failure === null || failure.code === 'EPIPE' || failure.code === 'ERR_STREAM_DESTROYED') return;
  throw failure;
}
