/** One command in a pod that runs: its streams, its signs, its end. */
import { durationText } from '../../domain/duration-text.ts';
import { SignFilter } from '../../domain/hostprocess/command/sign.ts';
import type { Sign, Transport } from '../../domain/hostprocess/command/transport.ts';
import { mayBeCutOff, outcomeOf, remedyOf, startFailure, type ExecError, type ExecErrorReason, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { EXEC_CONTAINER } from '../../domain/hostprocess/run-objects.ts';
import { ClusterError, type ClusterErrorReason } from '../../errors.ts';
import type { ByteSink, ByteSource, ExecChannel, ExecRequest } from '../ports.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { NodeStreams } from './node-streams.ts';
import { withoutSigns } from './sinks.ts';

export interface CommandOptions {
  readonly timeoutSeconds: number;
  /** Of the run. */
  readonly signal: AbortSignal;
  /** Of the session, which may end before: an outcome says why. */
  readonly over: AbortSignal;
  readonly note: (message: string) => void;
  /** Of the process on the node, as soon as it is known. */
  readonly onPid?: (pid: number) => void;
  /** What has become of the pod; asked where the command may have ended with it, and waits so long for news of that. */
  readonly lost?: (waitMs: number) => Promise<ExecError | null>;
}

const ATTEMPTS = 4;
const PAUSE_MS = 1_000;
/** The watch of pods may come behind the end of a command that went with its pod. */
const NEWS_MS = 1_000;

/** What became of it is its outcome, also where it is interrupted. Throws errors of local streams. */
export async function runCommand(place: { readonly namespace: string; readonly pod: string }, transport: Transport, streams: NodeStreams, options: CommandOptions, { exec, clock }: { readonly exec: ExecChannel; readonly clock: RunClock }): Promise<ExecOutcome> {
  const { timeoutSeconds, signal, over, note } = options;
  const begunAt = clock.now().getTime();
  const signs: Sign[] = [];
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(timeoutSeconds * 1000, done.signal).then(() => late.abort(new Error('the time of the command is over')), () => undefined);
  const stops = AbortSignal.any([signal, over, late.signal]);
  const end = (exitCode: number | null, error: ExecError | null, lost: ExecError | null = null): ExecOutcome => outcomeOf({
    exitCode, error, signs, lost, hasSigns: transport.nonce !== null, program: programOf(transport), durationSeconds: (clock.now().getTime() - begunAt) / 1000,
  });
  /** As `end`, with a look at the pod where it may have been the end of that. */
  const endOrLost = async (exitCode: number | null, error: ExecError | null): Promise<ExecOutcome> => {
    const ended = end(exitCode, error);
    const hasSigns = transport.nonce !== null;
    if (!mayBeCutOff({ exitCode, error, signs, hasSigns })) return ended;
    // without signs each command that fails would wait for nothing
    const lost = await options.lost?.(hasSigns ? NEWS_MS : 0) ?? null;
    return lost === null ? ended : { ...end(exitCode, error, lost), durationSeconds: ended.durationSeconds };
  };
  let { tty } = streams;
  let isStdinTaken = false;
  const onStdin = (): void => {
    isStdinTaken = true;
  };
  try {
    for (let attempt = 1; ; attempt += 1) {
      const filter = transport.nonce === null ? null : new SignFilter(transport.nonce);
      const stderr = filter === null ? streams.stderr : withoutSigns(streams.stderr, filter, (sign) => {
        signs.push(sign);
        if (sign.sign === 'start') options.onPid?.(sign.pid);
      });
      try {
        const { exitCode } = await exec.exec({
          ...place, container: EXEC_CONTAINER, command: transport.argv, ...stdinOf(transport, streams.stdin, { until: tty === null ? null : done.signal, onStdin }), stdout: streams.stdout, stderr, tty: tty !== null, signal: stops,
          ...(tty === null ? {} : { initialSize: tty.size, resizes: tty.resizes }),
        });
        await writeRest(filter, streams.stderr);
        return await endOrLost(exitCode, null);
      } catch (error) {
        await writeRest(filter, streams.stderr);
        if (signal.aborted) return end(null, { reason: 'Interrupted', message: 'it was interrupted' });
        if (late.signal.aborted) return end(null, { reason: 'Timeout', message: `not ended within ${durationText(timeoutSeconds)}`, remedy: 'Give it more time (--timeout).' });
        if (over.aborted) return end(null, { reason: 'Deleted', message: over.reason instanceof Error ? over.reason.message : 'the session is over' });
        if (!(error instanceof ClusterError)) throw error;
        if (tty !== null && /console emulation not supported/i.test(error.message)) {
          note(`the node gives HostProcess containers no terminal (${error.message}): the command runs without one`);
          tty = null;
        } else if (attempt < ATTEMPTS && isUnsent(error) && !isStdinTaken) await clock.sleep(PAUSE_MS * attempt, stops).catch(() => undefined);
        else return await endOrLost(null, isStdinTaken && isUnsent(error) ? withReadStdin(failureOf(error)) : failureOf(error));
      }
    }
  } finally {
    done.abort(new Error('the command is over'));
  }
}

function programOf({ argv: [program = ''] }: Transport): string {
  return program.split(/[\\/]/).at(-1) ?? program;
}

/**
 * In the words of the API server's two ways to a kubelet: it passes a WebSocket on, or turns it into SPDY, and then names its request with everything
 * in it: https://github.com/kubernetes/client-go/blob/v0.37.2/transport/spdy/spdy.go (Negotiate), read 2026-11-30.
 */
const UNREACHED = /error dialing backend|error sending request: \w+ "[^"]*": dial /i;

/** The request never got to the node. The API server may have taken stdin by then: it opens the WebSocket before it dials the kubelet. */
function isUnsent({ reason, message }: ClusterError): boolean {
  return ['Unreachable', 'TooManyRequests', 'ServiceUnavailable'].includes(reason) || UNREACHED.test(message);
}

const REASONS: Partial<Readonly<Record<ClusterErrorReason, ExecErrorReason>>> = {
  UpgradeRefused: 'UpgradeRefused', Forbidden: 'Forbidden', Unauthorized: 'Forbidden', NotFound: 'Deleted', Gone: 'Deleted', ConnectionLost: 'ConnectionLost', DeadlineExceeded: 'ConnectionLost', Unreachable: 'ConnectionLost',
};

function failureOf(error: ClusterError): ExecError {
  const { reason, suggestions } = error;
  const message = withoutCommand(error.message);
  const remedy = remedyOf(suggestions);
  const known = REASONS[reason];
  if (known !== undefined) return { reason: known, message, remedy };
  if (UNREACHED.test(message)) return { reason: 'NodeLost', message, remedy };
  if (/error sending request/i.test(message)) return { reason: 'ConnectionLost', message, remedy };
  return reason === 'InternalError' || reason === 'Unknown' ? { ...startFailure(message), remedy } : { reason: 'Unknown', message, remedy };
}

/** A request to a kubelet holds the whole command. */
function withoutCommand(message: string): string {
  return message.replaceAll(/(https?:\/\/[^\s"?]+)\?[^\s"]*/g, '$1');
}

/** What was read is gone, and a command that got the rest alone, or nothing, would take that for all of it. */
function withReadStdin({ message, ...error }: ExecError): ExecError {
  return { ...error, message: `${message}; stdin had been read by then, so that it was not tried again` };
}

interface StdinOptions {
  /** Of a terminal, whose stdin has to stay open: without it, Windows ends what is in it. */
  readonly until: AbortSignal | null;
  /** Called when the user's is read. */
  readonly onStdin: () => void;
}

/** What the transport sends first, then the user's. */
function stdinOf({ preamble, opensStdin }: Transport, stdin: ByteSource | undefined, { until, onStdin }: StdinOptions): Pick<ExecRequest, 'stdin' | 'onStdin'> {
  if (stdin === undefined && !opensStdin) return {};
  if (preamble.length === 0 && stdin !== undefined) return { stdin, onStdin };
  return { stdin: joined(preamble, stdin, { until, onStdin }) };
}

async function* joined(preamble: Uint8Array, stdin: ByteSource | undefined, { until, onStdin }: StdinOptions): AsyncGenerator<Uint8Array, void, undefined> {
  if (preamble.length > 0) yield preamble;
  if (stdin !== undefined) {
    // who leaves in the middle closes it, also where nothing has come yet
    onStdin();
    yield* stdin;
  }
  else if (until !== null && !until.aborted) await new Promise<void>((resolve) => until.addEventListener('abort', () => resolve(), { once: true }));
}

async function writeRest(filter: SignFilter | null, sink: ByteSink): Promise<void> {
  const bytes = filter?.end().bytes ?? new Uint8Array(0);
  if (bytes.length > 0) await new Promise<void>((resolve, reject) => sink.write(bytes, (error) => (error ? reject(error) : resolve())));
}
