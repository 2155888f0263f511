import { readFile, realpath, stat } from 'node:fs/promises';
import { InputError } from '../../../errors.ts';
import { TemporaryFile, writeError } from '../../temporary-file.ts';

/**
 * Puts bytes in the place of a file that holds `expected`, so that there is always the old or the new file. Mode and owner stay as
 * they are; a symbolic link stays one. Throws InputError.
 */
export async function replaceFile(file: string, expected: Uint8Array, bytes: Uint8Array): Promise<void> {
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
  } catch (error) {
    await temporary?.discard();
    throw error instanceof InputError ? error : writeError(file, error);
  }
}
