/** Docker's credential helpers: https://github.com/docker/docker-credential-helpers/blob/a7bd772ea6eb9568780ffab2d359ce031a07779d/credentials/error.go, read 2026-11-30. */
import { spawn, type ChildProcess } from 'node:child_process';
import { stringAt } from '../../domain/kubernetes/object.ts';
import { findExecutable, spawnCommand } from '../kube/auth/executable.ts';
import type { ConnectionEnvironment } from '../kube/config/environment.ts';
import { passwordOrToken, type RegistryCredentials } from './registry-credentials.ts';
import { formatSeconds } from './registry-error.ts';

/** `problem` completes the name of the program: `was not found`. It holds nothing that the helper wrote. */
export type HelperAnswer = { readonly credentials: RegistryCredentials | null } | { readonly problem: string };

const LARGEST_OUTPUT_BYTES = 1024 * 1024;
/** For what a helper wrote right before its end. */
const DRAIN_MS = 200;
/** What helpers write when they have nothing; the exit code is the same as that of a failure. */
const NOTHING_FOUND = ['credentials not found in native keychain', 'no credentials server URL', 'no credentials username'];

export interface HelperOptions {
  readonly environment: ConnectionEnvironment;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Name of the program for the name in a configuration; null for one that is a path, or worse. */
export function helperProgram(name: string): string | null {
  return /^[A-Za-z0-9][\w.-]*$/.test(name) ? `docker-credential-${name}` : null;
}

/** Asks a helper for the credentials of a server. Throws what the signal was aborted with. */
export async function askHelper(program: string, serverUrl: string, { environment, signal, timeoutMs }: HelperOptions): Promise<HelperAnswer> {
  const found = await findExecutable(program, environment);
  if ('problem' in found) return { problem: found.problem === 'not found' ? 'is not in PATH' : 'may not be run' };
  signal.throwIfAborted();
  const command = spawnCommand(found.path, ['get'], environment);
  return new Promise<HelperAnswer>((resolve, reject) => {
    const variables = Object.fromEntries(Object.entries(environment.variables).filter((entry): entry is [string, string] => entry[1] !== undefined));
    // stderr is not shown: helpers ask nobody anything, and what they complain about may hold secrets.
    // In a group of its own, so that what it starts itself ends with it: a helper has no use for the terminal.
    const ownGroup = environment.platform !== 'win32';
    const child = spawn(command.file, command.args, { env: variables, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true, detached: ownGroup, windowsVerbatimArguments: command.windowsVerbatimArguments });
    const chunks: Buffer[] = [];
    let size = 0;
    let drainTimer: NodeJS.Timeout | undefined;
    const stop = (): void => kill(child, ownGroup);
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      clearTimeout(drainTimer);
      signal.removeEventListener('abort', abort);
      running.delete(stop);
      if (running.size === 0) process.off('exit', endAll);
      // Also what it started itself must not keep this program waiting.
      child.stdin.destroy();
      child.stdout.destroy();
      end();
    };
    const giveUp = (end: () => void): void => {
      stop();
      settle(end);
    };
    const finish = (exitCode: number | null, killedBy: string | null): void => settle(() => resolve(answerIn(Buffer.concat(chunks).toString('utf8'), exitCode, killedBy)));
    const abort = (): void => giveUp(() => reject(signal.reason as Error));
    if (running.size === 0) process.once('exit', endAll);
    running.add(stop);
    const timer = setTimeout(() => giveUp(() => resolve({ problem: `did not answer within ${formatSeconds(timeoutMs / 1000)}` })), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > LARGEST_OUTPUT_BYTES) giveUp(() => resolve({ problem: 'wrote more than credentials have' }));
    });
    child.stdin.on('error', () => undefined);
    child.on('error', (error: NodeJS.ErrnoException) => settle(() => resolve({ problem: `cannot be started (${error.code ?? error.message})` })));
    child.on('close', finish);
    // A daemon that it leaves behind may hold its output open, and has nothing to say.
    child.on('exit', (exitCode, killedBy) => {
      drainTimer = setTimeout(() => finish(exitCode, killedBy), DRAIN_MS);
    });
    child.stdin.end(serverUrl);
  });
}

/** Ctrl-C reaches no other group than that of the terminal. */
const running = new Set<() => void>();

function endAll(): void {
  for (const stop of running) stop();
}

/** Ends a helper, and all that it has started. */
function kill(child: ChildProcess, ownGroup: boolean): void {
  try {
    if (ownGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // Gone already.
  }
}

function answerIn(output: string, exitCode: number | null, killedBy: string | null): HelperAnswer {
  if (exitCode !== 0) {
    if (NOTHING_FOUND.some((text) => output.trim().startsWith(text))) return { credentials: null };
    return { problem: exitCode === null ? `was ended by ${killedBy ?? 'a signal'}` : `failed with exit code ${exitCode}` };
  }
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    return { problem: 'wrote no JSON' };
  }
  const username = stringAt(answer, 'Username');
  const secret = stringAt(answer, 'Secret');
  if (username === undefined || secret === undefined) return { problem: 'wrote JSON without Username and Secret' };
  return { credentials: passwordOrToken(username, secret) };
}
