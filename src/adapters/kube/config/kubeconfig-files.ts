import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ClusterError, InputError } from '../../../errors.ts';
import { FileTooLargeError, readSmallFile } from '../../open-file.ts';
import type { ConnectionEnvironment } from './environment.ts';
import { EMPTY_KUBECONFIG, mergeKubeconfigs, parseKubeconfig } from './kubeconfig.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/** What was read, and where it was looked for. */
export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** Files that exist, in order of precedence. */
  readonly files: readonly string[];
  /** Files that were looked for and are not there. */
  readonly missing: readonly string[];
}

/**
 * Reads the kubeconfig that --kubeconfig names, else those of KUBECONFIG, else ~/.kube/config, with client-go's rules
 * (https://github.com/kubernetes/client-go/blob/v0.37.2/tools/clientcmd/loader.go, read 2026-11-30): missing and empty
 * files are skipped, a path counts once, the file of --kubeconfig must exist and is not merged, and relative paths are
 * meant from the folder of the file they stand in.
 */
export async function loadKubeconfig(explicitFile: string | undefined, environment: ConnectionEnvironment): Promise<LoadedKubeconfig> {
  const paths = explicitFile ? [explicitFile] : kubeconfigPaths(environment);
  const files: string[] = [];
  const missing: string[] = [];
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    const file = resolve(environment.workingFolder, path);
    const text = await readText(file, path, environment.signal);
    if (text === null) {
      missing.push(path);
      continue;
    }
    files.push(path);
    configs.push(text.trim() === '' ? EMPTY_KUBECONFIG : withAbsolutePaths(await parseKubeconfig(text, path), dirname(file), environment.platform));
  }
  if (explicitFile && files.length === 0) {
    throw new ClusterError(`stat ${explicitFile}: no such file or directory`, {
      reason: 'NoConfiguration',
      suggestions: ['name an existing kubeconfig with --kubeconfig, or leave the flag out to use KUBECONFIG or ~/.kube/config'],
    });
  }
  return { config: mergeKubeconfigs(configs), files, missing };
}

/** The list that KUBECONFIG holds (separated by `:`, on Windows by `;`), else ~/.kube/config. */
export function kubeconfigPaths(environment: ConnectionEnvironment): readonly string[] {
  const list = environment.variables['KUBECONFIG'];
  if (!list) return [join(environment.homeFolder, '.kube', 'config')];
  return [...new Set(splitPathList(list, environment.platform))].filter((path) => path !== '');
}

/** Go's filepath.SplitList: on Windows a quoted part may hold the separator. */
function splitPathList(list: string, platform: NodeJS.Platform): readonly string[] {
  if (platform !== 'win32') return list.split(':');
  const parts = [''];
  let quoted = false;
  for (const character of list) {
    if (character === '"') quoted = !quoted;
    else if (character === ';' && !quoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

async function readText(file: string, name: string, signal: AbortSignal | undefined): Promise<string | null> {
  try {
    return decodeText(await readSmallFile(file, signal));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FileTooLargeError) throw new InputError({ file: name }, `is not a kubeconfig: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new InputError({ file: name }, `cannot be read: ${readProblem(code)}`, {
      cause: error,
      suggestions: code === 'EACCES' ? [`make the file readable for you, or name another one with --kubeconfig`] : [],
    });
  }
}

/** UTF-8, or UTF-16 with a byte order mark, which `>` in Windows PowerShell 5 writes and kubectl reads. */
function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2))).swap16().toString('utf16le');
  return new TextDecoder('utf-8').decode(bytes);
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a directory',
};

/** An errno in Go's words, as kubectl would print it. */
export function readProblem(code: string | undefined): string {
  return PROBLEMS[code ?? ''] ?? code ?? 'unknown error';
}

function withAbsolutePaths(config: Kubeconfig, folder: string, platform: NodeJS.Platform): Kubeconfig {
  const absolute = (path: string): string => (isAbsolute(path) ? path : join(folder, path));
  const cluster = (entry: KubeconfigCluster): KubeconfigCluster => ({ ...entry, ...(entry.caFile === undefined ? {} : { caFile: absolute(entry.caFile) }) });
  const user = (entry: KubeconfigUser): KubeconfigUser => ({
    ...entry,
    ...(entry.certFile === undefined ? {} : { certFile: absolute(entry.certFile) }),
    ...(entry.keyFile === undefined ? {} : { keyFile: absolute(entry.keyFile) }),
    ...(entry.tokenFile === undefined ? {} : { tokenFile: absolute(entry.tokenFile) }),
    // A command without a separator is looked up in PATH.
    ...(entry.exec !== undefined && isPath(entry.exec.command, platform) ? { exec: { ...entry.exec, command: absolute(entry.exec.command) } } : {}),
  });
  return {
    ...config,
    clusters: new Map([...config.clusters].map(([name, entry]) => [name, cluster(entry)])),
    users: new Map([...config.users].map(([name, entry]) => [name, user(entry)])),
  };
}

/** Whether a command is a path and not a name for PATH. */
export function isPath(command: string, platform: NodeJS.Platform): boolean {
  return command.includes('/') || (platform === 'win32' && command.includes('\\'));
}
