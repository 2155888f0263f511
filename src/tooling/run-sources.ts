/** Entry of bin/kubectl-win.js in a checkout whose build is missing or older than the sources. */
import { start } from '../cli/start.ts';
import { packageVersion, sourceCommandTable } from './source-commands.ts';

export async function run(argv: readonly string[], executable: string): Promise<void> {
  await start(argv, executable, await sourceCommandTable(), await packageVersion());
}
