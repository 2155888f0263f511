import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const packages = resolve(import.meta.dirname, '../../node_modules/@oven');

/**
 * Bun's program, from the platform package that npm installs beside `bun`; null where there is none for this machine.
 * `bun` itself holds it only after its install script, which `npm ci --ignore-scripts` leaves out.
 */
export function findBun(folder = packages): string | null {
  const program = join('bin', process.platform === 'win32' ? 'bun.exe' : 'bun');
  // npm installs glibc's and musl's side by side where it cannot tell: the one that runs is the right one.
  return namesIn(folder).map((name) => join(folder, name, program)).find((candidate) => spawnSync(candidate, ['--version'], { stdio: 'ignore' }).status === 0) ?? null;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith('bun-')).sort();
  } catch {
    return [];
  }
}
