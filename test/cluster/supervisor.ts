import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isAlive } from './build.ts';

/** A program that the supervisor runs. Its working folder is the state folder; its output goes to `NAME.log` there. */
export interface Component {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What is asked of supervise.ts, one JSON document a line. */
export type Request =
  | { readonly id: number; readonly start: Component }
  | { readonly id: number; readonly stop: string };

/** What supervise.ts answers, one JSON document a line. */
export type Report =
  | { readonly folder: string }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly exited: string; readonly code: number | null; readonly signal: string | null }
  | { readonly ended: true };

/** Processes with a state folder that live no longer than the process that asked for them. */
export interface Supervisor {
  /** State folder; removed by `stopAll` and when the supervisor ends for whatever reason. */
  readonly folder: string;
  readonly pid: number;
  /** Resolves with the process id once the program runs; rejects where it cannot be started. */
  start(component: Component): Promise<number>;
  /** Ends one program: SIGTERM, after two seconds SIGKILL. */
  stop(name: string): Promise<void>;
  /** How a program ended by itself, with the last lines of its log; null while it runs. */
  failure(name: string): string | null;
  /** Ends everything, removes the folder and resolves when the supervisor is gone. */
  stopAll(): Promise<void>;
}

const prefix = 'kubectl-win-test-';

/** Starts a supervisor. It does not keep this process from ending. */
export async function startSupervisor(): Promise<Supervisor> {
  sweepLeftovers();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'supervise.ts'), prefix], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    // A coverage or inspection run of the tests is not meant for this one.
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
  });
  const waiting = new Map<number, { resolve(pid: number): void; reject(error: Error): void }>();
  const exits = new Map<string, string>();
  let nextId = 1;
  let gone = false;
  const closed = new Promise<void>((resolve) => { child.once('close', () => { gone = true; resolve(); }); });

  let folder = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const error = new Error(`the supervisor of the test cluster ended with ${code ?? signal}`);
      reject(error);
      for (const waiter of waiting.values()) waiter.reject(error);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Report;
      if ('folder' in message) {
        folder = message.folder;
        resolve();
      } else if ('id' in message) {
        const waiter = waiting.get(message.id);
        waiting.delete(message.id);
        if ('error' in message) waiter?.reject(new Error(message.error));
        else waiter?.resolve(message.pid);
      } else if ('exited' in message) {
        exits.set(message.exited, `${message.exited} ended with ${message.code ?? message.signal}`);
      }
    });
  });

  // An idle supervisor must not keep mocha alive; one that is to answer must.
  // Bun's pipes have no such methods.
  const pipes = [child.stdin, child.stdout] as unknown as readonly Partial<Socket>[];
  const hold = (on: boolean): void => { for (const handle of [child, ...pipes]) if (on) handle.ref?.(); else handle.unref?.(); };
  hold(false);
  child.stdin.on('error', () => undefined);

  async function ask(request: { readonly start: Component } | { readonly stop: string }): Promise<number> {
    if (gone) throw new Error('the supervisor of the test cluster has ended');
    const id = nextId++;
    hold(true);
    try {
      return await new Promise<number>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.stdin.write(JSON.stringify({ id, ...request }) + '\n');
      });
    } finally {
      if (waiting.size === 0) hold(false);
    }
  }

  return {
    folder,
    pid: child.pid ?? 0,
    start: async (component) => {
      exits.delete(component.name);
      return ask({ start: component });
    },
    stop: async (name) => {
      await ask({ stop: name });
      exits.delete(name);
    },
    failure: (name) => {
      const exit = exits.get(name);
      return exit === undefined ? null : `${exit}:\n${tail(join(folder, `${name}.log`))}`;
    },
    stopAll: async () => {
      if (gone) return;
      hold(true);
      child.stdin.end();
      await closed;
    },
  };
}

function tail(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  } catch {
    return 'no log';
  }
}

/**
 * Ends what a killed supervisor has left: processes that its record names, as far as they still work in its folder
 * (process ids are used again), and the folder.
 */
export function sweepLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const file = join(folder, 'supervisor.json');
    if (!existsSync(file)) continue;
    try {
      const recorded = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number; readonly pids: readonly number[] };
      if (isAlive(recorded.pid) && commandLine(recorded.pid).includes('supervise.ts')) continue;
      for (const pid of recorded.pids) if (isAlive(pid) && worksIn(pid, folder)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // Another run sweeps the same folder, or it belongs to another user: nothing that this run depends on.
    }
  }
}

function worksIn(pid: number, folder: string): boolean {
  try {
    return process.platform === 'linux' ? readlinkSync(`/proc/${pid}/cwd`) === folder : commandLine(pid).includes(folder);
  } catch {
    return false;
  }
}

/** Command line of a process, '' where it cannot be read. */
function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
