import { createRequire } from 'node:module';
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
  const found = (process.versions['bun'] === undefined ? null : loadByPath()) ?? (await import('ws'));
  if ('PerMessageDeflate' in found) return found;
  throw new ClusterError('unable to open a WebSocket: the "ws" package is missing, and the WebSocket of Bun cannot send the headers that Kubernetes needs', {
    reason: 'BadConfiguration',
    suggestions: ['run kubectl-win with Node, or install its dependencies'],
  });
}

/** null inside a bundle, where there is no package folder and `import('ws')` gives the bundled package. */
function loadByPath(): typeof WebSocketPackage | null {
  const require = createRequire(import.meta.url);
  try {
    return require(require.resolve('ws/package.json').replace(/package\.json$/, 'index.js')) as typeof WebSocketPackage;
  } catch {
    return null;
  }
}
