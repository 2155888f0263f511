import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readdir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { InputError } from '../errors.ts';

/** Mode and owner that a file should have: `stat` of the one that it replaces. */
export interface FileOwnership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * A file that is written whole or not at all: beside its target, which `replaceTarget` puts it in the place of. Whoever creates one
 * calls `replaceTarget` or `discard`. All of it throws what the file system says; writeError makes that a message.
 */
export class TemporaryFile {
  readonly #target: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  #isOpen = true;

  private constructor(target: string, path: string, handle: FileHandle) {
    this.#target = target;
    this.#path = path;
    this.#handle = handle;
  }

  /** `target` is no symbolic link: a rename would replace it. The umask narrows `mode`. */
  static async create(target: string, mode: number): Promise<TemporaryFile> {
    // A rename would replace a file that may not be written.
    await access(target, constants.W_OK).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    await removeLeftovers(target);
    const path = join(dirname(target), `${temporaryPrefix(target)}${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
    return new TemporaryFile(target, path, await open(path, 'wx', mode).catch((error: unknown) => {
      throw new FolderError(error);
    }));
  }

  /** Appends all of the bytes: on a disk that gets full the system takes a part of them first, and complains at the next call alone. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, offset);
      offset += bytesWritten;
    }
  }

  /** `like`: whose mode and owner it takes. `confirm` runs last, and keeps the target as it is by throwing. */
  async replaceTarget({ like, confirm }: { readonly like?: FileOwnership | null; readonly confirm?: () => Promise<void> } = {}): Promise<void> {
    if (like != null) {
      await this.#handle.chmod(like.mode & 0o7777);
      // Only root can give a file to somebody else; for all others it stays theirs.
      await this.#handle.chown(like.uid, like.gid).catch(() => undefined);
    }
    await this.#handle.sync();
    await this.#close();
    await confirm?.();
    await rename(this.#path, this.#target);
  }

  /** Removes what was written. Never throws, and does nothing after `replaceTarget`. */
  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    await rm(this.#path, { force: true }).catch(() => undefined);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

/** What the names of the temporary files for a target begin with; cut, as a name has at most 255 bytes and a character up to four. */
function temporaryPrefix(target: string): string {
  return `.${Array.from(basename(target)).slice(0, 48).join('')}.`;
}

/** A file beside the target that nothing was written to for so long is no other machine's or container's, whose processes cannot be seen here. */
const LEFTOVER_MS = 60 * 60 * 1000;

/** Removes what processes that were killed have left of the same target; whatever cannot be removed stays. */
async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = temporaryPrefix(target);
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = name.startsWith(prefix) ? /^(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (owner === undefined || isRunning(Number(owner))) continue;
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() === true && Date.now() - found.mtimeMs > LEFTOVER_MS) await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** No file can be made beside the target. */
class FolderError extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = codeOf(cause);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const WRITE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the file would be larger than is allowed'],
  ['ENAMETOOLONG', 'the name is too long'],
]);

/** What the file system said, for the user: `file` as it was typed. */
export function writeError(file: string, error: unknown): InputError {
  if (error instanceof FolderError && (error.code === 'EACCES' || error.code === 'EPERM')) {
    return new InputError({ file }, 'cannot be written: permission denied to make a file in its folder, from which it is put in its place as a whole', { cause: error });
  }
  return new InputError({ file }, `cannot be written: ${WRITE_PROBLEMS.get(codeOf(error)) ?? (error instanceof Error ? error.message : String(error))}`, { cause: error });
}
