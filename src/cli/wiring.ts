/** Composition root: the only place that loads adapters, and only when a command needs them. */
import { randomBytes, randomInt } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ImageRegistry, LocalRuns, LocalTree, ManifestEditor, ManifestSource, Terminal } from '../app/ports.ts';
import type { Recipe } from '../domain/hostprocess/recipes/recipe.ts';
import { PipeClosed, type CommandContext, type InventorySink, type OpenedReader, type Ports, type PrivateFile, type ReaderOptions, type RegistryOptions } from './context.ts';

async function openReader(options: ReaderOptions, context: CommandContext): Promise<OpenedReader> {
  if (options.inventory.length > 0) {
    const { openInventory } = await import('../adapters/inventory/open-inventory.ts');
    const reader = await openInventory(options.inventory, {
      stdin: context.stdin, signal: context.signal,
    });
    return { reader, writer: null, exec: null, podLogs: null, nodeLogs: null, recordedAt: reader.recordedAt, notes: reader.notes };
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
    signal: context.signal,
  });
  const connection = await resolveConnection(options.connection, environment);
  const cluster = openCluster(connection, {
    requestTimeoutSeconds: options.connection.requestTimeoutSeconds,
    onWarning: options.onWarning,
    onNotice: options.onNotice,
    trace: { verbosity: options.verbosity, write: options.onTrace },
    userAgentVersion: context.version,
  });
  return { reader: cluster, writer: cluster.writer, exec: cluster.execChannel, podLogs: cluster.podLogs, nodeLogs: cluster.nodeLogs, recordedAt: null, notes: [] };
}

async function createInventory(file: string, context: CommandContext): Promise<InventorySink> {
  const { InventoryWriter } = await import('../adapters/inventory/save.ts');
  return InventoryWriter.create(file, { signal: context.signal, isWanted: () => context.signal.reason instanceof PipeClosed });
}

async function openManifests({ sources, recursive }: { readonly sources: readonly string[]; readonly recursive: boolean }, context: CommandContext): Promise<ManifestSource> {
  const adapter = await import('../adapters/manifests/open-manifests.ts');
  return adapter.openManifests(sources, { stdin: context.stdin, recursive });
}

async function openManifestEditor(): Promise<ManifestEditor> {
  const adapter = await import('../adapters/manifests/edit/open-manifest-editor.ts');
  return adapter.openManifestEditor();
}

async function openRegistry(options: RegistryOptions, context: CommandContext): Promise<ImageRegistry> {
  const adapter = await import('../adapters/registry/open-registry.ts');
  return adapter.openRegistry({ ...options, env: context.env, userAgentVersion: context.version, signal: context.signal });
}

async function writeTextFile(path: string, chunks: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  const adapter = await import('../adapters/write-file.ts');
  return adapter.writeTextFile(path, chunks, signal);
}

/** Text of a small file; its errors in Go's words, which the messages of printers end with, and with their codes. */
async function readTextFile(path: string, signal?: AbortSignal): Promise<string> {
  const { readSmallFile } = await import('../adapters/open-file.ts');
  try {
    return (await readSmallFile(path, signal)).toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = READ_PROBLEMS[code ?? ''];
    throw problem === undefined ? error : Object.assign(new Error(`open ${path}: ${problem}`, { cause: error }), { code });
  }
}

async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: wait } = await import('node:timers/promises');
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const RUN_ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** 36⁶ are two thousand million: runs of one namespace do not meet. */
function createRunId(): string {
  return Array.from({ length: 6 }, () => RUN_ID_LETTERS[randomInt(RUN_ID_LETTERS.length)]).join('');
}

function createNonce(): string {
  return randomBytes(8).toString('hex');
}

async function openTerminal({ stdin, stdout, stderr }: CommandContext): Promise<Terminal | null> {
  const adapter = await import('../adapters/terminal/open-terminal.ts');
  return adapter.openTerminal(stdin, [stdout, stderr]);
}

async function ask(question: string, { stdin, stderr, signal }: CommandContext): Promise<string | null> {
  const adapter = await import('../adapters/terminal/ask.ts');
  return adapter.ask(question, stdin, stderr, signal);
}

/** Beside the kubeconfig, and not in the cache, which may be deleted at any time. */
async function openLocalRuns({ env }: CommandContext, onNotice: (text: string) => void): Promise<LocalRuns> {
  const adapter = await import('../adapters/files/local-runs.ts');
  return adapter.openLocalRuns(join(env['HOME'] ?? env['USERPROFILE'] ?? homedir(), '.kube', 'kubectl-win', 'runs'), { onNotice });
}

async function loadRecipe(recipe: Recipe): Promise<string> {
  const adapter = await import('../adapters/hostprocess/load-recipe.ts');
  return adapter.loadRecipe(recipe);
}

async function openLocalTree(path: string): Promise<LocalTree> {
  const adapter = await import('../adapters/files/local-tree.ts');
  return adapter.openLocalTree(path);
}

async function createPrivateFile(path: string): Promise<PrivateFile> {
  const adapter = await import('../adapters/files/private-file.ts');
  return adapter.createPrivateFile(path);
}

const READ_PROBLEMS: Readonly<Record<string, string>> = { ENOENT: 'no such file or directory', EACCES: 'permission denied', EISDIR: 'is a directory' };

export const realPorts: Ports = { openReader, createInventory, openManifests, openManifestEditor, openRegistry, readTextFile, writeTextFile, sleep, createRunId, createNonce, openTerminal, ask, openLocalRuns, loadRecipe, openLocalTree, createPrivateFile };
