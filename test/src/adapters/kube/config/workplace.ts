import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ConnectionEnvironment } from '../../../../../src/adapters/kube/config/environment.ts';

/** A folder of its own with an environment that knows nothing of the machine, for one test. */
export interface Workplace {
  readonly folder: string;
  /** Warnings so far. */
  readonly warnings: string[];
  environment(changes?: Partial<ConnectionEnvironment>): ConnectionEnvironment;
  /** Writes a file, with its folders; answers its path. */
  write(name: string, content: string | Buffer, mode?: number): string;
  close(): void;
}

export function workplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-connection-'));
  const warnings: string[] = [];
  return {
    folder,
    warnings,
    environment: (changes = {}) => ({
      variables: {},
      platform: 'linux',
      workingFolder: folder,
      homeFolder: join(folder, 'home'),
      serviceAccountFolder: join(folder, 'serviceaccount'),
      stdinIsTerminal: false,
      warn: (message) => {
        warnings.push(message);
      },
      now: Date.now,
      ...changes,
    }),
    write(name, content, mode = 0o600) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content, { mode });
      return path;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A kubeconfig with one cluster, one user and one context, as JSON. */
export function kubeconfigText(parts: {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
} = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...parts.cluster } }],
    users: [{ name: 'u', user: parts.user ?? {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...parts.context } }],
    'current-context': 'x',
  });
}
