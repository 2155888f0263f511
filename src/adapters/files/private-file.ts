/**
 * Files that are the user's alone: transcripts and the records of runs. Mode 0600 in folders that are made with mode 0700; no symbolic link is followed,
 * so that nobody who can write beside them decides what is read or written. On Windows the folder's own access list, which is that of the
 * user's profile, takes the place of modes.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InputError } from '../../errors.ts';
import { TemporaryFile, writeError } from '../temporary-file.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Windows has none of these. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/** Creates a file that is not there yet. Throws InputError: what is there is not replaced. */
export async function createPrivateFile(path: string): Promise<{ write(content: string | Uint8Array): Promise<void>; close(): Promise<void>; discard(): Promise<void> }> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | O_NOFOLLOW, FILE_MODE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new InputError({ file: path }, 'exists already, and is not replaced', { cause: error });
    throw writeError(path, error);
  }
  let isOpen = true;
  return {
    write: async (content) => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      try {
        // on a disk that gets full the system takes a part of them first
        for (let offset = 0; offset < bytes.length;) offset += (await handle.write(bytes, offset)).bytesWritten;
      } catch (error) {
        throw writeError(path, error);
      }
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await handle.sync().catch(() => undefined); // a pipe cannot
      await handle.close();
    },
    /** In place of `close`: the file is gone. */
    discard: async () => {
      if (!isOpen) return;
      isOpen = false;
      await handle.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

/** Puts a text in the place of a file, whole or not at all; its folder is one of requirePrivateFolder. Throws InputError. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  let temporary: TemporaryFile | null = null;
  try {
    temporary = await TemporaryFile.create(path, FILE_MODE);
    await temporary.write(Buffer.from(text));
    await temporary.replaceTarget();
  } catch (error) {
    throw writeError(path, error);
  } finally {
    await temporary?.discard();
  }
}

/**
 * The text of a private file, of `limitBytes` at most. Throws InputError for what is no file, a link, somebody else's, writable by others
 * or too large, and what the file system says for the rest (ENOENT).
 */
export async function readPrivateFile(path: string, limitBytes: number): Promise<string> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw new InputError({ file: path }, 'is a symbolic link, which is not followed', { cause: error });
    throw error;
  }
  try {
    const { mode, uid, size, isFile } = await statOf(handle);
    if (!isFile) throw new InputError({ file: path }, 'is no regular file');
    if (!isOwn(uid)) throw new InputError({ file: path }, 'belongs to another user');
    if (hasModes() && (mode & 0o022) !== 0) throw new InputError({ file: path }, 'can be written by other users');
    if (size > limitBytes) throw new InputError({ file: path }, `has more than ${limitBytes} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and those of `below` that lead to it from its end, each for the user alone; what lies above is the user's affair and may
 * be a link. Throws InputError where one of them is a link, belongs to somebody else, or can be written by others.
 */
export async function requirePrivateFolder(path: string, { ancestors }: { /** How many of the folders above it are ours, too. */ readonly ancestors: number }): Promise<void> {
  if (ancestors > 0) await requirePrivateFolder(dirname(path), { ancestors: ancestors - 1 });
  try {
    // those above it are the user's own, with the modes that the user's mask gives
    if (ancestors === 0) await mkdir(dirname(path), { recursive: true });
    await mkdir(path, { mode: FOLDER_MODE }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    const stats = await lstat(path);
    if (!stats.isDirectory()) throw new InputError({ file: path }, stats.isSymbolicLink() ? 'is a symbolic link, which is not followed' : 'is no folder');
    if (!isOwn(stats.uid)) throw new InputError({ file: path }, 'belongs to another user');
    // a folder that is there keeps its mode: somebody may have pointed at one that is not ours
    if (hasModes() && (stats.mode & 0o022) !== 0) throw new InputError({ file: path }, 'can be written by other users', { suggestions: ['chmod go-w takes that from them'] });
  } catch (error) {
    throw error instanceof InputError ? error : writeError(path, error);
  }
}

async function statOf(handle: FileHandle): Promise<{ readonly mode: number; readonly uid: number; readonly size: number; readonly isFile: boolean }> {
  const stats = await handle.stat();
  return { mode: stats.mode, uid: stats.uid, size: stats.size, isFile: stats.isFile() };
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function hasModes(): boolean {
  return process.platform !== 'win32';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
