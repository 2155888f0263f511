import type { Writable } from 'node:stream';
import { ClusterError, UsageError } from '../../../errors.ts';
import type { Connection } from '../connection.ts';
import type { ByteSource } from './byte-source.ts';
import { DEFAULT_TIMING, runStreams, STREAM_PROTOCOL, type StreamEnd, type StreamTiming, type TerminalSize } from './exec-streams.ts';
import { remoteFailure } from './upgrade-errors.ts';
import { openWebSocket } from './web-socket.ts';

export interface AttachRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Bytes for the remote process; its stdin is closed when they end. Without it the process has no stdin. */
  readonly stdin?: ByteSource | undefined;
  /** Gets the remote bytes as they are, and stays open. With a slow one the remote process waits. */
  readonly stdout: Writable;
  /** As stdout; gets nothing when `tty` is set, because a terminal has one output. */
  readonly stderr: Writable;
  readonly tty: boolean;
  /** Size of the terminal at the start, in cells. Only with `tty`. */
  readonly initialSize?: TerminalSize | undefined;
  /** Later sizes of the terminal. Only with `tty`. */
  readonly resizes?: AsyncIterable<TerminalSize> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExecRequest extends AttachRequest {
  /** Program and arguments, each handed on as it is: no shell takes part unless it is named here. */
  readonly command: readonly string[];
}

export interface ExecResult {
  /** 0 to 4294967295: Windows exit codes have 32 bits. */
  readonly exitCode: number;
}

export interface ExecTiming extends StreamTiming {
  /** How long the server may take to answer the upgrade: it asks admission webhooks first, 30 s at most for each. */
  readonly handshakeTimeoutSeconds: number;
}

const DEFAULT_EXEC_TIMING: ExecTiming = { ...DEFAULT_TIMING, handshakeTimeoutSeconds: 60 };

/**
 * Runs a command in a container and resolves when it has ended and all its output is written.
 *
 * Exit code 0 is what the API server says, also when its own line to the kubelet breaks: v1.37.2 then reports Success to
 * every client (https://github.com/kubernetes/kubectl/issues/1726, open; seen with a killed kubelet, 2026-11-30).
 * Who must know that a command has run to its end needs a sign of it in the output.
 *
 * Throws ClusterError: the server's Status when it refuses or the command cannot be started, `ConnectionLost` when the
 * socket ends without an exit code (the command may still be running: closing the connection does not stop it),
 * WebSocketUnsupportedError when the server or a proxy does not speak the protocol. After an abort the socket is closed
 * and the signal's reason is thrown, InterruptedError where that is no error of ours. Errors of `stdout` and `stderr` (EPIPE) are thrown as they are.
 *
 * Protocol: https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets, read 2026-11-30.
 */
export async function openExec(connection: Connection, request: ExecRequest, timing: Partial<ExecTiming> = {}): Promise<ExecResult> {
  // The API server lets an empty command through to the runtime; kubectl has this check too.
  if (request.command.length === 0) throw new UsageError('you must specify at least one command for the container');
  return stream(connection, 'exec', request, request.command, timing);
}

/** Joins the main process of a container, with the streams it was started with; otherwise as openExec. */
export function openAttach(connection: Connection, request: AttachRequest, timing: Partial<ExecTiming> = {}): Promise<ExecResult> {
  return stream(connection, 'attach', request, [], timing);
}

async function stream(connection: Connection, subresource: 'exec' | 'attach', request: AttachRequest, command: readonly string[], partialTiming: Partial<ExecTiming>): Promise<ExecResult> {
  const timing = { ...DEFAULT_EXEC_TIMING, ...partialTiming };
  const attempt = { verb: 'create', resource: `pods/${subresource}`, name: request.pod, namespace: request.namespace };
  const socket = await openWebSocket(connection, {
    path: pathOf(subresource, request, command),
    protocol: STREAM_PROTOCOL,
    attempt,
    handshakeTimeoutSeconds: timing.handshakeTimeoutSeconds,
    signal: request.signal,
  });
  const { stdin, stdout, stderr, tty, initialSize, resizes, signal } = request;
  const end = await runStreams(socket, { stdin, stdout, stderr, signal, ...(tty ? { initialSize, resizes } : {}) }, timing);
  if (end.status === null) throw connectionLost(end, subresource, request);
  if (end.status.kind === 'failed') throw remoteFailure(end.status.status, { connection, method: 'GET', attempt });
  return { exitCode: end.status.exitCode };
}

function pathOf(subresource: string, request: AttachRequest, command: readonly string[]): string {
  const query = new URLSearchParams({ container: request.container });
  for (const word of command) query.append('command', word);
  if (request.stdin !== undefined) query.append('stdin', 'true');
  query.append('stdout', 'true');
  if (request.tty) query.append('tty', 'true');
  else query.append('stderr', 'true');
  return `/api/v1/namespaces/${encodeURIComponent(request.namespace)}/pods/${encodeURIComponent(request.pod)}/${subresource}?${query.toString()}`;
}

function connectionLost(end: StreamEnd, subresource: string, request: AttachRequest): ClusterError {
  const how = [end.closeReason, end.cause?.message ?? '', `WebSocket close code ${end.closeCode}`].filter((text) => text !== '').join(', ');
  return new ClusterError(`lost the connection to pod ${request.namespace}/${request.pod} before its exit code came (${how}); the ${subresource === 'exec' ? 'command' : 'process'} may still be running`, {
    reason: 'ConnectionLost',
    attempt: { verb: 'create', resource: `pods/${subresource}`, name: request.pod, namespace: request.namespace },
    ...(end.cause === null ? {} : { cause: end.cause }),
    suggestions: [`see whether the container still runs: kubectl get pod ${request.pod} -n ${request.namespace}`],
  });
}
