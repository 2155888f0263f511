import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { InputError, UsageError } from '../../errors.ts';
import { openFileStream } from '../open-file.ts';
import { decodeText } from './decode-text.ts';

/** Bytes of one file or of stdin, unpacked. A JavaScript string cannot hold more than 2^29 characters. */
export const SOURCE_LIMIT_BYTES = 500 * 1024 * 1024;

const MANIFEST_NAME = /\.(?:ya?ml|json)(?:\.gz)?$/i;

const READ_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'is a folder: give its path to read it'],
  ['ELOOP', 'a chain of symbolic links that leads back to itself'],
]);

export interface SourceText {
  /** Path as the user would type it, or `stdin`. */
  readonly file: string;
  readonly text: string;
}

export interface ReadOptions {
  readonly stdin: Readable;
  readonly signal?: AbortSignal | undefined;
}

/** The texts of the sources in their order; the files of a folder sorted by path. Throws InputError and UsageError. */
export async function* readSources(sources: readonly string[], options: ReadOptions): AsyncGenerator<SourceText> {
  if (sources.filter((source) => source === '-').length > 1) throw new UsageError('standard input (-) can be given only once');
  for (const source of sources) {
    if (source === '-') {
      yield { file: 'stdin', text: await readStreamText(options.stdin, 'stdin', options.signal) };
      continue;
    }
    for (const file of await expand(source)) yield { file, text: await readFileText(file, options.signal) };
  }
}

async function expand(source: string): Promise<readonly string[]> {
  if (source === '') throw new UsageError('an inventory needs a file, a folder or - for standard input');
  if (/^https?:\/\//i.test(source)) {
    throw new InputError({ file: source }, 'an inventory is read from files only', { suggestions: ['download it first and give the file'] });
  }
  const kind = await kindOf(source);
  if (kind === 'file') return [source];
  const files = await filesBelow(source, new Set());
  if (files.length > 0) return files;
  throw new InputError({ file: source }, 'the folder has no .yaml, .yml or .json files', {
    suggestions: ['give a folder of Kubernetes objects, or a file that --save or kubectl get -o json wrote'],
  });
}

async function kindOf(path: string): Promise<'file' | 'folder'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    throw readError(path, error);
  }
}

/**
 * Manifests of a folder and its folders. Links are followed; a folder that was read already (a loop) is not read again.
 * Names that start with a dot are left out: .git, and the `..data` of mounted ConfigMaps, whose files are linked beside it.
 */
async function filesBelow(folder: string, visited: Set<string>): Promise<string[]> {
  const files: string[] = [];
  try {
    const real = await realpath(folder);
    if (visited.has(real)) return files;
    visited.add(real);
    const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
    for (const name of names) {
      const path = join(folder, name);
      const kind = MANIFEST_NAME.test(name) ? await kindOf(path) : await kindOrNull(path);
      if (kind === 'folder') files.push(...(await filesBelow(path, visited)));
      else if (kind === 'file' && MANIFEST_NAME.test(name)) files.push(path);
    }
  } catch (error) {
    throw error instanceof InputError ? error : readError(folder, error);
  }
  return files;
}

/** A dangling link that is no manifest by its name says nothing. */
async function kindOrNull(path: string): Promise<'file' | 'folder' | null> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

/** Text of a file, unpacked and decoded. Throws InputError. */
export async function readFileText(file: string, signal?: AbortSignal): Promise<string> {
  const stream = await openFileStream(file).catch((error: unknown) => {
    throw readError(file, error);
  });
  return readStreamText(stream, file, signal);
}

/** The same of a stream; `file` stands in errors. */
export async function readStreamText(stream: Readable, file: string, signal?: AbortSignal): Promise<string> {
  return toText(await readStream(stream, file, signal), file);
}

async function readStream(stream: Readable, file: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stream.destroy();
  if (signal?.aborted === true) stop();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer | string>) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > SOURCE_LIMIT_BYTES) throw tooLarge(file);
      chunks.push(bytes);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof InputError ? error : readError(file, error);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  signal?.throwIfAborted();
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Text of the bytes of a file. Throws InputError. */
export async function toText(bytes: Buffer, file: string): Promise<string> {
  if (bytes.length === 0) {
    throw new InputError({ file }, 'the input is empty', { suggestions: ['check that the command that wrote it succeeded'] });
  }
  return decodeText(bytes[0] === 0x1f && bytes[1] === 0x8b ? await unzip(bytes, file) : bytes, file);
}

async function unzip(bytes: Buffer, file: string): Promise<Buffer> {
  const { gunzip } = await import('node:zlib');
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: SOURCE_LIMIT_BYTES });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(file);
    throw new InputError({ file }, `the gzip data is damaged or cut off (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  }
}

function tooLarge(file: string): InputError {
  return new InputError({ file }, `the input is larger than ${SOURCE_LIMIT_BYTES / 1024 / 1024} MiB`, {
    suggestions: ['save fewer kinds or namespaces per file and give several files'],
  });
}

/** What the file system said, in words. */
export function readError(file: string, error: unknown): InputError {
  const problem = READ_PROBLEMS.get(codeOf(error) ?? '') ?? `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  return new InputError({ file }, problem, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
