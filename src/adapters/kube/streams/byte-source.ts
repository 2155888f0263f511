import type { Readable } from 'node:stream';
import type { ByteSource } from '../../../app/ports.ts';

/** A source being read. */
export interface Pump {
  /** Fulfilled when the source has ended and its last chunk is written, or after stop(); rejected when reading fails. */
  readonly finished: Promise<void>;
  /** Stops reading and leaves the source open: it may be the process's own stdin. */
  readonly stop: () => void;
}

/**
 * Hands chunk after chunk to `write`, never the next one before `write` has settled: so the source feels back-pressure.
 * A Readable is read by events and only paused at the end, because leaving a `for await` loop would destroy it.
 */
export function pumpBytes(source: ByteSource, write: (chunk: Uint8Array) => Promise<void>): Pump {
  return isReadable(source) ? pumpReadable(source, write) : pumpIterable(source, write);
}

/** Reads any async iterable until it ends or stop() is called; `use` is never called twice at a time. */
export function pumpIterable<T>(source: AsyncIterable<T>, use: (item: T) => Promise<void> | void): Pump {
  const iterator = source[Symbol.asyncIterator]();
  const { promise: stopped, resolve: resolveStopped } = Promise.withResolvers<null>();
  let isStopped = false;
  const read = async (): Promise<void> => {
    while (!isStopped) {
      const result = await Promise.race([iterator.next(), stopped]);
      if (result === null || result.done === true) return;
      await use(result.value);
    }
  };
  return {
    finished: read(),
    stop() {
      if (isStopped) return;
      isStopped = true;
      resolveStopped(null);
      // Not awaited: a generator that waits for its next item only sees return() after that item.
      iterator.return?.().catch(() => undefined);
    },
  };
}

function pumpReadable(source: Readable, write: (chunk: Uint8Array) => Promise<void>): Pump {
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  let written: Promise<void> = Promise.resolve();
  let isStopped = false;

  const onData = (chunk: Uint8Array | string): void => {
    source.pause();
    // A string comes only from a stream that somebody else has given an encoding.
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    written = written.then(() => write(bytes));
    written.then(
      () => {
        if (!isStopped) source.resume();
      },
      (error: unknown) => settle(() => reject(error)),
    );
  };
  const onEnd = (): void => {
    written.then(() => settle(resolve), () => undefined);
  };
  const onError = (error: unknown): void => settle(() => reject(error));
  const onClose = (): void => {
    if (!source.readableEnded) settle(() => reject(new Error('the stream was closed before its end')));
  };
  const settle = (then: () => void): void => {
    if (isStopped) return;
    isStopped = true;
    source.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
    then();
  };

  if (source.readableEnded) {
    settle(resolve);
  } else if (source.destroyed) {
    onClose();
  } else {
    source.on('end', onEnd).on('close', onClose).on('error', onError).on('data', onData);
    source.resume();
  }
  return {
    finished,
    stop: () =>
      settle(() => {
        source.pause();
        resolve();
      }),
  };
}

function isReadable(source: ByteSource): source is Readable {
  return 'on' in source && typeof source.on === 'function' && 'pause' in source && typeof source.pause === 'function';
}
