/** Bodies of answers: collected as buffers, inflated, limited, and cut ones told from whole ones. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { BodyCutError, BodyTooLargeError, codeOf, UnreadableBodyError } from './network-error.ts';
import { serverText } from './server-text.ts';

/** Enough for the metadata of a list, which the API server writes before the items. */
const HEAD_BYTES = 2048;

export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** What goes beyond `maxBytes` is left out, in place of making it fail. */
  readonly isCut?: boolean | undefined;
  /** Gets the first bytes as soon as they are there (once, and also for shorter bodies), inflated. */
  readonly onHead?: ((head: Buffer) => void) | undefined;
}

const ENCODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'x-gzip', 'deflate']);

function encodingOf(response: IncomingMessage): string {
  return response.headers['content-encoding']?.trim().toLowerCase() || 'identity';
}

/** Ends an answer in an encoding that this program neither asks for nor reads. Throws UnreadableBodyError. */
export function requireKnownEncoding(response: IncomingMessage): void {
  const encoding = encodingOf(response);
  if (ENCODINGS.has(encoding)) return;
  response.destroy();
  throw new UnreadableBodyError(`it has the Content-Encoding ${JSON.stringify(serverText(encoding))}, which was not asked for`, response.statusCode ?? 0);
}

/** The decoded stream of an answer; errors of the transfer reach it. Throws UnreadableBodyError. */
export function decodedStream(response: IncomingMessage): Readable {
  requireKnownEncoding(response);
  const encoding = encodingOf(response);
  if (encoding === 'identity') return response;
  const inflate = encoding === 'deflate' ? createInflate({ chunkSize: 256 * 1024 }) : createGunzip({ chunkSize: 256 * 1024 });
  response.once('error', (error) => inflate.destroy(error));
  if (response.destroyed) inflate.destroy(response.errored ?? new Error('aborted'));
  response.once('close', () => {
    if (!response.complete) inflate.destroy(new Error('aborted'));
  });
  return response.pipe(inflate);
}

/** Reads an answer to its end. Throws BodyCutError, BodyTooLargeError or UnreadableBodyError. */
export function readBody(response: IncomingMessage, { maxBytes, isCut = false, onHead }: ReadBodyOptions): Promise<Buffer> {
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
      if (bytes > maxBytes && isCut) {
        resolve(Buffer.concat([...chunks, chunk], maxBytes));
        response.destroy();
        return;
      }
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
      const problem = problemIn(response, error);
      if (problem !== null) response.destroy();
      reject(error instanceof BodyTooLargeError ? error : problem !== null ? new UnreadableBodyError(problem, response.statusCode ?? 0, error) : new BodyCutError(bytes, error));
    };
    stream.once('error', fail);
    stream.once('close', () => fail(undefined));
    // One that broke with its first bytes tells nobody any more.
    if (stream.destroyed) fail(response.errored ?? undefined);
  });
}

/** What is wrong with the bytes of a body; null when there are just too few of them. */
function problemIn(response: IncomingMessage, error: unknown): string | null {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  // Z_BUF_ERROR is a compressed body that ends too early.
  if (code === 'Z_DATA_ERROR' || code === 'Z_NEED_DICT') return `it is marked as ${encodingOf(response)}, and is not (${text})`;
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') return `malformed HTTP (${text})`;
  return null;
}
