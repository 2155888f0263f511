import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../../../errors.ts';
import { removeLeftovers, temporaryPrefix, writeError } from '../../inventory/save.ts';

/**
 * Puts bytes in the place of a file that holds `expected`, by a temporary file beside it that is renamed, so that there is always
 * the old or the new file. Mode and owner stay as they are; a symbolic link stays one. Throws InputError.
 */
export async function replaceFile(file: string, expected: Uint8Array, bytes: Uint8Array): Promise<void> {
  let temporary: string | null = null;
  try {
    const target = await realpath(file);
    const before = await stat(target);
    if (!before.isFile()) throw new InputError({ file }, 'is a device or a pipe, which cannot be replaced');
    // A rename would replace a file that may not be written.
    await access(target, constants.W_OK);
    await removeLeftovers(target);
    temporary = join(dirname(target), `${temporaryPrefix(target)}${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.chmod(before.mode & 0o7777);
      // Only root can give a file to somebody else; for all others it stays theirs.
      await handle.chown(before.uid, before.gid).catch(() => undefined);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (Buffer.compare(await readFile(target), expected) !== 0) {
      throw new InputError({ file }, 'has changed since it was read, and was left as it is', { suggestions: ['run the command again'] });
    }
    await rename(temporary, target);
    temporary = null;
  } catch (error) {
    throw error instanceof InputError ? error : writeError(file, error);
  } finally {
    if (temporary !== null) await rm(temporary, { force: true }).catch(() => undefined);
  }
}
