import { readFile, realpath, stat } from 'node:fs/promises';
import { InputError } from '../../../errors.ts';
import { TemporaryFile, writeError } from '../../temporary-file.ts';

/**
 * Puts bytes in the place of a file that holds `expected`, so that there is always the old or the new file. Mode and owner stay as
 * they are; a symbolic link stays one. A hard link does not: as with sed -i, the other names of the file keep the old bytes, as
 * writing in place could lose both in a crash, and would change what may be a copy that somebody keeps (`cp -l`). That is what the
 * answer says then, else it is null. Throws InputError.
 */
export async function replaceFile(file: string, expected: Uint8Array, bytes: Uint8Array): Promise<string | null> {
  let temporary: TemporaryFile | null = null;
  try {
    const target = await realpath(file);
    const before = await stat(target);
    if (!before.isFile()) throw new InputError({ file }, 'is a device or a pipe, which cannot be replaced');
    temporary = await TemporaryFile.create(target, 0o600);
    await temporary.write(bytes);
    await temporary.replaceTarget({
      like: before,
      confirm: async () => {
        if (Buffer.compare(await readFile(target), expected) !== 0) throw new InputError({ file }, 'has changed since it was read, and was left as it is', { suggestions: ['run the command again'] });
      },
    });
    const others = before.nlink - 1;
    return others <= 0 ? null : `is a file of its own now: ${others === 1 ? 'another name of the old one (a hard link) has' : `${others} other names of the old one (hard links) have`} the old text still`;
  } catch (error) {
    await temporary?.discard();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT' && !(await exists(file))) {
      throw new InputError({ file }, 'has vanished since it was read, and was not made anew', { suggestions: ['run the command again'], cause: error });
    }
    throw error instanceof InputError ? error : writeError(file, error);
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(() => true, () => false);
}
