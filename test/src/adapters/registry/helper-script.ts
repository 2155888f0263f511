import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a credential helper `docker-credential-NAME` as a script of the shell. */
export async function writeHelper(folder: string, name: string, script: string): Promise<void> {
  const path = join(folder, `docker-credential-${name}`);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o700);
}
