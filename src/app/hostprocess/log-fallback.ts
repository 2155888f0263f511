/** A command that is the main process of its pod: waited for, and its log read at the end. */
import { durationText } from '../../domain/duration-text.ts';
import type { LogCommand } from '../../domain/hostprocess/command/log-command.ts';
import { SignFilter, type Filtered } from '../../domain/hostprocess/command/sign.ts';
import type { Sign } from '../../domain/hostprocess/command/transport.ts';
import { outcomeOf, type ExecError, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { EXEC_CONTAINER } from '../../domain/hostprocess/run-objects.ts';
import { arrayAt, stringAt, valueAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { ClusterError } from '../../errors.ts';
import type { ByteSink, PodLogs } from '../ports.ts';
import type { NodeStreams } from './node-streams.ts';
import type { Anchor, PodWatch } from './pod-watch.ts';

export interface LogOptions {
  readonly timeoutSeconds: number;
  /** Of the run. */
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
}

/** What became of it is its outcome, also where it is interrupted. Throws errors of local streams, and what ended the watch. */
export async function runByLog(place: { readonly namespace: string; readonly pod: string; readonly anchor: Anchor }, { nonce, argv }: LogCommand, streams: NodeStreams, { timeoutSeconds, signal, note }: LogOptions, { watch, logs }: { readonly watch: PodWatch; readonly logs: PodLogs }): Promise<ExecOutcome> {
  const { namespace, pod, anchor } = place;
  let ended: Awaited<ReturnType<PodWatch['untilEnded']>>;
  try {
    ended = await watch.untilEnded(anchor, timeoutSeconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { exitCode: null, error: { reason: 'Interrupted', message: 'it was interrupted' }, pid: null, durationSeconds: 0 };
  }
  const terminated = ended === null ? null : terminatedOf(ended.pod ?? {});
  const exitCode = ended?.state.state === 'ended' && ended.state.exitCode !== null ? unsigned(ended.state.exitCode) : null;
  const signs: Sign[] = [];
  let error: ExecError | null = errorOf(ended, timeoutSeconds);
  try {
    await readLog(await logs.read({ namespace, pod, container: EXEC_CONTAINER }, { signal }), nonce, streams.stdout, signs);
  } catch (failure) {
    if (signal.aborted) return { exitCode, error: { reason: 'Interrupted', message: 'it was interrupted' }, pid: null, durationSeconds: 0 };
    if (!(failure instanceof ClusterError)) throw failure;
    // why it has ended matters more than that nothing can be read any more
    error ??= { reason: 'OutputUnreadable', message: `its log cannot be read: ${failure.message}` };
  }
  if (nonce !== null && signs.some(({ sign }) => sign === 'end') && !signs.some(({ sign }) => sign === 'start')) note('the log has lost its beginning: the kubelet keeps the last of it (containerLogMaxSize)');
  const outcome = outcomeOf({ exitCode, error, signs: error === null ? signs : signs.filter(({ sign }) => sign === 'start'), hasSigns: false, program: argv[0] ?? '', durationSeconds: terminated === null ? timeoutSeconds : secondsOf(terminated) });
  // the code is known all the same
  return error?.reason === 'OutputUnreadable' ? { ...outcome, exitCode } : outcome;
}

function errorOf(ended: Awaited<ReturnType<PodWatch['untilEnded']>>, timeoutSeconds: number): ExecError | null {
  if (ended === null) return { reason: 'Timeout', message: `not ended within ${durationText(timeoutSeconds)}`, remedy: 'Give it more time (--timeout).' };
  const { state } = ended;
  if (state.state === 'ended') return state.exitCode === null ? { reason: 'Unknown', message: 'the kubelet does not say with which exit code it ended' } : null;
  return { reason: state.reason, message: state.message, ...(state.remedy === undefined ? {} : { remedy: state.remedy }) };
}

/** Pods hold exit codes as signed numbers of 32 bits. */
function unsigned(code: number): number {
  return code >>> 0;
}

function terminatedOf(pod: KubeObject): unknown {
  return valueAt(arrayAt(pod, 'status', 'containerStatuses').find((one) => stringAt(one, 'name') === EXEC_CONTAINER), 'state', 'terminated') ?? null;
}

function secondsOf(terminated: unknown): number {
  const [from, to] = [Date.parse(stringAt(terminated, 'startedAt') ?? ''), Date.parse(stringAt(terminated, 'finishedAt') ?? '')];
  return Number.isNaN(to - from) ? 0 : Math.max(0, (to - from) / 1000);
}

async function readLog(chunks: AsyncIterable<Uint8Array>, nonce: string | null, stdout: ByteSink, signs: Sign[]): Promise<void> {
  const filter = nonce === null ? null : new SignFilter(nonce);
  const take = async ({ bytes, signs: some }: Filtered): Promise<void> => {
    signs.push(...some);
    if (bytes.length > 0) await new Promise<void>((resolve, reject) => stdout.write(bytes, (failure) => (failure ? reject(failure) : resolve())));
  };
  for await (const chunk of chunks) await take(filter?.push(chunk) ?? { bytes: chunk, signs: [] });
  if (filter !== null) await take(filter.end());
}
