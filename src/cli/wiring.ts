/** Composition root: the only place that loads adapters, and only when a command needs them. */
import { readFileSync } from 'node:fs';
import type { CommandContext, InventorySink, OpenedReader, Ports, ReaderOptions } from './context.ts';

async function openReader(options: ReaderOptions, context: CommandContext): Promise<OpenedReader> {
  if (options.inventory.length > 0) {
    const { openInventory } = await import('../adapters/inventory/open-inventory.ts');
    const reader = await openInventory(options.inventory, {
      stdin: context.stdin, kubernetesVersion: options.kubernetesVersion, signal: context.signal,
    });
    return { reader, recordedAt: reader.recordedAt, notes: reader.notes };
  }
  const [{ processEnvironment }, { resolveConnection }, { openCluster }] = await Promise.all([
    import('../adapters/kube/config/environment.ts'),
    import('../adapters/kube/config/resolve-connection.ts'),
    import('../adapters/kube/cluster.ts'),
  ]);
  const environment = processEnvironment({
    variables: context.env,
    get stdinIsTerminal() {
      return context.stdin.isTTY === true;
    },
    stdinUnavailable: options.stdinUsedBy === null ? undefined : `used by ${options.stdinUsedBy}`,
    warn: options.onNotice,
  });
  const connection = await resolveConnection(options.connection, environment);
  const cluster = openCluster(connection, {
    requestTimeoutSeconds: options.connection.requestTimeoutSeconds,
    onWarning: options.onWarning,
    onNotice: options.onNotice,
    trace: { verbosity: options.verbosity, write: options.onTrace },
    userAgentVersion: context.version,
  });
  const version = options.kubernetesVersion;
  const reader = version === null ? cluster : withServerVersion(cluster, version);
  return { reader, recordedAt: null, notes: [] };
}

/** The same cluster judged by another version (--kubernetes-version). */
function withServerVersion(reader: OpenedReader['reader'], version: string): OpenedReader['reader'] {
  const gitVersion = version.startsWith('v') ? version : `v${version}`;
  return {
    description: reader.description,
    completeness: (resource) => reader.completeness(resource),
    serverVersion: async () => ({ gitVersion }),
    list: (resource, options) => reader.list(resource, options),
    get: (resource, name, options) => reader.get(resource, name, options),
    watch: (resource, options) => reader.watch(resource, options),
    close: () => reader.close(),
  };
}

async function createInventory(file: string, context: CommandContext): Promise<InventorySink> {
  const { InventoryWriter } = await import('../adapters/inventory/save.ts');
  return InventoryWriter.create(file, { signal: context.signal });
}

/** Text of a file; its errors in Go's words, which the messages of printers end with. */
function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const problems: Readonly<Record<string, string>> = { ENOENT: 'no such file or directory', EACCES: 'permission denied', EISDIR: 'is a directory' };
    const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
    throw problem === undefined ? error : new Error(`open ${path}: ${problem}`, { cause: error });
  }
}

export const realPorts: Ports = { openReader, createInventory, readTextFile };
