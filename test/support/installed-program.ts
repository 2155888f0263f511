/** The program as users start it: a process with streams, signals and an exit code; bundled, as in an installed package. */
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBundle } from '../../src/tooling/build.ts';
import { PROJECT_ROOT } from '../../src/tooling/source-commands.ts';

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartOptions {
  /** A program in place of Node with the installed entry. */
  readonly command?: string;
  readonly stdin?: string | Buffer;
  /** On top of an environment that has PATH, HOME and XDG_CACHE_HOME only, and asks no registry. */
  readonly env?: Readonly<Record<string, string>>;
  /** A file descriptor in place of a pipe for stdout. */
  readonly stdout?: number;
  /** Called with the process as soon as it runs. */
  readonly during?: (child: ChildProcess) => void;
}

/** What the package holds, in a folder of its own, nothing else. */
export interface InstalledProgram {
  readonly folder: string;
  /** bin/kubectl-win.js. */
  readonly entry: string;
  /** HOME of its processes: no kubeconfig, no configuration. */
  readonly home: string;
  run(argv: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Writes a file beside the program and gives its path. */
  write(name: string, content: string | Buffer): Promise<string>;
}

let installed: Promise<InstalledProgram> | undefined;

/** One installation per test process; it is removed when the process ends. */
export function installedProgram(): Promise<InstalledProgram> {
  installed ??= install();
  return installed;
}

async function install(): Promise<InstalledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-e2e-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, 'home');
  const entry = join(folder, 'bin', 'kubectl-win.js');
  await mkdir(home);
  await buildBundle(join(folder, 'dist'));
  const { files } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
  const patterns = ['package.json', ...files.filter((name) => name !== '/dist').map((name) => name.replace(/^\//, ''))];
  for (const file of globSync(patterns, { cwd: PROJECT_ROOT })) await cp(join(PROJECT_ROOT, file), join(folder, file), { recursive: true });
  return {
    folder, entry, home,
    run: (argv, options = {}) => {
      const [command, first] = options.command === undefined ? [process.execPath, [entry]] : [options.command, []];
      const child = spawn(command, [...first, ...argv], {
        env: { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache'), KUBECTL_WIN_IMAGES: 'tags', ...options.env },
        stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
      child.stdin?.on('error', () => undefined); // a command that never reads stdin may end before it is written
      child.stdin?.end(options.stdin ?? '');
      options.during?.(child);
      return new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (exitCode, signal) => resolve({ stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), exitCode, signal }));
      });
    },
    write: async (name, content) => {
      const path = join(folder, name);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, content);
      return path;
    },
  };
}
