/** A process on a node, with all that it has started. */
import type { ExecErrorReason, ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { EXEC_CONTAINER } from '../../domain/hostprocess/run-objects.ts';
import { ClusterError } from '../../errors.ts';
import type { ExecChannel } from '../ports.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { NodeStreams } from './node-streams.ts';
import { discarding } from './sinks.ts';

const KILL_SECONDS = 10;
/** Windows' own sentences are in the language of the node; its exit codes are not. https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill, read 2026-11-30. */
const NO_SUCH_PROCESS = 128;

const NOT_ENDED: ReadonlySet<ExecErrorReason> = new Set(['Timeout', 'Interrupted', 'ConnectionLost', 'EndNotSeen', 'NodeLost']);

/** Whether it was not seen to end: in a pod that stays it may run on. One that never said its number and was not reached has not begun. */
export function mayStillRun({ error, pid }: Pick<ExecOutcome, 'error' | 'pid'>): boolean {
  return error !== null && NOT_ENDED.has(error.reason) && (error.reason !== 'NodeLost' || pid !== null);
}

/** A command that is not waited for any more, with all that it has started; gives what may still be there. */
export async function killTree(place: { readonly namespace: string; readonly pod: string }, pid: number | null, { stdout, stderr }: NodeStreams, { exec, clock }: { readonly exec: ExecChannel; readonly clock: RunClock }): Promise<string | null> {
  const where = `in the pod ${place.namespace}/${place.pod}`;
  if (pid === null) return `whether the command still runs ${where} is not known: it has not said under which number`;
  const over = new AbortController();
  const done = new AbortController();
  clock.sleep(KILL_SECONDS * 1000, done.signal).then(() => over.abort(new ClusterError('the node does not answer', { reason: 'DeadlineExceeded' })), () => undefined);
  try {
    const { exitCode } = await exec.exec({ ...place, container: EXEC_CONTAINER, command: ['taskkill.exe', '/T', '/F', '/PID', String(pid)], stdout: discarding(stdout), stderr: discarding(stderr), tty: false, signal: over.signal });
    return exitCode === 0 || exitCode === NO_SUCH_PROCESS ? null : `the command may still run ${where} as process ${pid}: taskkill ended with exit code ${exitCode}`;
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return `the command may still run ${where} as process ${pid}: ${error.message}`;
  } finally {
    done.abort(new Error('it is killed'));
  }
}
