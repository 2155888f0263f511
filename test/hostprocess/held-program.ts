/** The installed program as a process that a test holds: by its stdin, which ends when the test says so, and by signals. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { nameOf } from '../../src/domain/kubernetes/object.ts';
import { eventually, type ExecRecord, type TestCluster } from '../cluster/start.ts';
import type { Ended, InstalledProgram } from '../support/installed-program.ts';
import { objectsOfRuns } from './played-cluster.ts';

export interface HeldProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** So far. */
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
}

/** `home`: of whoever starts it. Their mask takes no rights from what is created, so that its modes are the program's own. */
export function holdProgram(program: InstalledProgram, argv: readonly string[], { home = program.home, env = {} }: { readonly home?: string; readonly env?: Readonly<Record<string, string>> } = {}): HeldProgram {
  const [command, first] = process.platform === 'win32' ? [process.execPath, [program.entry]] : ['/bin/sh', ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, program.entry]];
  const child = spawn(command, [...first, ...argv], { env: { PATH: process.env['PATH'], HOME: home, CI: 'true', ...env }, stdio: 'pipe' });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // it may end before all of it is written
  child.stdin.on('error', () => undefined);
  const stdout = (): string => Buffer.concat(out).toString();
  const stderr = (): string => Buffer.concat(err).toString();
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject).once('close', (exitCode, signal) => resolve({ stdout: stdout(), stderr: stderr(), exitCode, signal }));
  });
  return { child, stdout, stderr, ended };
}

/** The pod in a namespace in which a command runs now that the test knows by what arrived. */
export async function runningIn(cluster: TestCluster, namespace: string, held: HeldProgram, is: (record: ExecRecord) => boolean): Promise<ExecRecord> {
  return eventually(`a command in ${namespace}`, 40, async () => {
    if (held.child.exitCode !== null) throw new Error(`the program has ended with ${held.child.exitCode}: ${held.stderr()}`);
    for (const object of await objectsOfRuns(cluster, namespace)) {
      const record = object.kind === 'Pod' ? (await cluster.execRecords(nameOf(object))).find((one) => !one.isEnded && is(one)) : undefined;
      if (record !== undefined) return record;
    }
    return undefined;
  });
}
