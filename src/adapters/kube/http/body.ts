/** Bodies of answers: collected as buffers, inflated, limited, and cut ones told from whole ones. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { BodyCutError, BodyTooLargeError } from './network-error.ts';

/** Enough for the metadata of a list, which the API server writes before the items. */
const HEAD_BYTES = 2048;

export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** Gets the first bytes as soon as they are there (once, and also for shorter bodies), inflated. */
  readonly onHead?: ((head: Buffer) => void) | undefined;
}

/** The decoded stream of an answer; errors of the transfer reach it. */
export function decodedStream(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response;
  const inflate = encoding === 'deflate' ? createInflate({ chunkSize: 256 * 1024 }) : createGunzip({ chunkSize: 256 * 1024 });
  response.once('error', (error) => inflate.destroy(error));
  response.once('close', () => {
    if (!response.complete) inflate.destroy(new Error('aborted'));
  });
  return response.pipe(inflate);
}

/** Reads an answer to its end. Throws BodyCutError or BodyTooLargeError. */
export function readBody(response: IncomingMessage, { maxBytes, onHead }: ReadBodyOptions): Promise<Buffer> {
  const stream = decodedStream(response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let headGiven = onHead === undefined;
    const giveHead = (): void => {
      headGiven = true;
      onHead?.(Buffer.concat(chunks));
    };
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        fail(new BodyTooLargeError(maxBytes));
        response.destroy();
        return;
      }
      chunks.push(chunk);
      if (!headGiven && bytes >= HEAD_BYTES) giveHead();
    });
    stream.once('end', () => {
      // Without a length or chunks the end of the connection is the end of the body; with them `complete` tells.
      if (!response.complete) return fail(new BodyCutError(bytes, undefined));
      if (!headGiven) giveHead();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes));
    });
    const fail = (error: unknown): void => {
      chunks.length = 0;
      reject(error instanceof BodyTooLargeError ? error : new BodyCutError(bytes, error));
    };
    stream.once('error', fail);
    stream.once('close', () => fail(undefined));
  });
}
