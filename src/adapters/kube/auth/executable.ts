import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, normalize, win32 } from 'node:path';
import type { ConnectionEnvironment } from '../config/environment.ts';
import { isPath } from '../config/kubeconfig-files.ts';

/** Extensions that Windows runs when PATHEXT is not set (Go's os/exec, lp_windows.go, read 2026-11-30). */
const DEFAULT_PATHEXT = '.com;.exe;.bat;.cmd';

export type FoundExecutable = { readonly path: string } | { readonly problem: 'not found' | 'permission denied' };

/**
 * The file that a command stands for, as Go's exec.LookPath finds it: a path as it is, a name in PATH, on Windows with the
 * extensions of PATHEXT.
 */
export async function findExecutable(command: string, environment: ConnectionEnvironment): Promise<FoundExecutable> {
  const windows = environment.platform === 'win32';
  const names = windows ? withExtensions(command, variable(environment, 'PATHEXT') || DEFAULT_PATHEXT) : [command];
  const folders = isPath(command, environment.platform)
    ? ['']
    : (variable(environment, 'PATH') ?? '').split(windows ? ';' : delimiter).filter((folder) => folder !== '');
  let problem: 'not found' | 'permission denied' = 'not found';
  for (const folder of folders) {
    for (const name of names) {
      const path = folder === '' ? name : join(folder, name);
      const state = await executableState(path, windows);
      if (state === 'runs') return { path };
      if (state === 'permission denied') problem = state;
    }
  }
  return { problem };
}

/** Names of the environment do not mind case on Windows. */
function variable({ variables, platform }: ConnectionEnvironment, name: string): string | undefined {
  if (platform !== 'win32' || variables[name] !== undefined) return variables[name];
  const key = Object.keys(variables).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : variables[key];
}

function withExtensions(command: string, pathExt: string): readonly string[] {
  const extensions = pathExt.toLowerCase().split(';').filter((extension) => extension !== '').map((extension) => (extension.startsWith('.') ? extension : `.${extension}`));
  const named = extensions.map((extension) => command + extension);
  return extensions.includes(win32.extname(command).toLowerCase()) ? [command, ...named] : named;
}

async function executableState(path: string, windows: boolean): Promise<'runs' | 'permission denied' | 'missing'> {
  try {
    if ((await stat(path)).isDirectory()) return 'missing';
    if (!windows) await access(path, constants.X_OK);
    return 'runs';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'permission denied' : 'missing';
  }
}

/** Go's filepath.Clean. */
export function cleanPath(path: string): string {
  const clean = normalize(path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** What to hand to child_process.spawn. */
export interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly windowsVerbatimArguments: boolean;
}

/**
 * Batch files need cmd.exe: Node refuses to spawn them itself since April 2024 (CVE-2024-27980,
 * https://nodejs.org/en/blog/vulnerability/april-2024-security-releases-2, read 2026-11-30). Each argument is quoted for the
 * batch file, then each character that cmd.exe would act on is escaped twice, as cmd.exe reads the line and then the batch file's own `%*` again.
 */
export function spawnCommand(path: string, args: readonly string[], environment: ConnectionEnvironment): SpawnCommand {
  if (environment.platform !== 'win32' || !/\.(cmd|bat)$/i.test(path)) return { file: path, args, windowsVerbatimArguments: false };
  const line = [escapeForCmd(win32.normalize(path)), ...args.map((argument) => escapeForCmd(escapeForCmd(quoteArgument(argument))))].join(' ');
  return { file: variable(environment, 'COMSPEC') || 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** The quoting that Windows programs undo (https://learn.microsoft.com/en-us/cpp/c-language/parsing-c-command-line-arguments, read 2026-11-30). */
function quoteArgument(argument: string): string {
  return `"${argument.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
}

function escapeForCmd(text: string): string {
  return text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
