import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const modules = resolve(import.meta.dirname, '../../node_modules');

/**
 * Bun's program; null where there is none for this machine. It comes in a platform package (@oven/bun-…), from where the
 * install script of `bun` moves it into that package itself; `npm ci --ignore-scripts` leaves it where it was, and a stub
 * that only explains itself in its place.
 */
export function findBun(folder = modules): string | null {
  const program = join('bin', process.platform === 'win32' ? 'bun.exe' : 'bun');
  // npm installs glibc's and musl's side by side where it cannot tell: the one that runs is the right one.
  const candidates = [...platformPackages(join(folder, '@oven')).map((name) => join(folder, '@oven', name, program)), join(folder, 'bun', 'bin', 'bun.exe')];
  return candidates.find((candidate) => spawnSync(candidate, ['--version'], { stdio: 'ignore' }).status === 0) ?? null;
}

function platformPackages(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith('bun-')).sort();
  } catch {
    return [];
  }
}
