import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as WebSocketPackage from 'ws';
import { ClusterError } from '../../../errors.ts';

let loaded: Promise<typeof WebSocketPackage> | undefined;

/**
 * The `ws` package, loaded at the first use: only exec and attach need it.
 *
 * Bun answers `import 'ws'` with a WebSocket of its own that joins repeated request headers into one line. Two
 * Impersonate-Group headers then become the one group "a, b", that is: another identity, silently (Bun 1.4.5, seen
 * 2026-11-30). So Bun is given the package by its path, and a stand-in is refused.
 */
export function loadWebSocketPackage(): Promise<typeof WebSocketPackage> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof WebSocketPackage> {
  // In a bundle this is the package itself, also on Bun.
  const imported = await import('ws');
  if (isPackage(imported)) return imported;
  const file = findPackage();
  const found = file === null ? null : (createRequire(import.meta.url)(file) as typeof WebSocketPackage);
  if (found !== null && isPackage(found)) return found;
  throw new ClusterError('unable to open a WebSocket: the "ws" package is missing, and the WebSocket of Bun cannot send the headers that Kubernetes needs', {
    reason: 'BadConfiguration',
    suggestions: ['run kubectl-win with Node, or install its dependencies'],
  });
}

/** The stand-in of Bun lacks this class. */
function isPackage(candidate: object): boolean {
  return 'PerMessageDeflate' in candidate;
}

/** Looks for the file itself: resolving a name that is not installed makes Bun download it. */
function findPackage(): string | null {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', 'ws', 'index.js');
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) return null;
  }
}
