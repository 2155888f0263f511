import type { AttachRequest, ExecRequest, ExecResult } from '../../../app/ports.ts';
import { ClusterError, UsageError } from '../../../errors.ts';
import type { Connection } from '../connection.ts';
import type { Trace } from '../../http/trace.ts';
import { DEFAULT_TIMING, runStreams, STREAM_PROTOCOL, type StreamEnd, type StreamTiming } from './exec-streams.ts';
import { remoteFailure } from './upgrade-errors.ts';
import { openWebSocket } from './web-socket.ts';

export interface ExecTiming extends StreamTiming {
  /** How long the server may take to answer the upgrade: it asks admission webhooks first, 30 s at most for each. */
  readonly handshakeTimeoutSeconds: number;
}

export interface ExecOptions extends Partial<ExecTiming> {
  readonly trace?: Trace | undefined;
}

const DEFAULT_EXEC_TIMING: ExecTiming = { ...DEFAULT_TIMING, handshakeTimeoutSeconds: 60 };

/**
 * ExecChannel.exec of a connection. Rejects with WebSocketUnsupportedError for `UpgradeRefused`.
 * Protocol: https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets, read 2026-11-30.
 */
export async function openExec(connection: Connection, request: ExecRequest, options: ExecOptions = {}): Promise<ExecResult> {
  // The API server lets an empty command through to the runtime; kubectl has this check too.
  if (request.command.length === 0) throw new UsageError('you must specify at least one command for the container');
  return stream(connection, 'exec', request, request.command, options);
}

/** ExecChannel.attach of a connection; otherwise as openExec. */
export function openAttach(connection: Connection, request: AttachRequest, options: ExecOptions = {}): Promise<ExecResult> {
  return stream(connection, 'attach', request, [], options);
}

async function stream(connection: Connection, subresource: 'exec' | 'attach', request: AttachRequest, command: readonly string[], { trace, ...given }: ExecOptions): Promise<ExecResult> {
  const timing = { ...DEFAULT_EXEC_TIMING, ...given };
  const attempt = { verb: 'create', resource: `pods/${subresource}`, name: request.pod, namespace: request.namespace };
  const socket = await openWebSocket(connection, {
    path: pathOf(subresource, request, command),
    protocol: STREAM_PROTOCOL,
    attempt,
    handshakeTimeoutSeconds: timing.handshakeTimeoutSeconds,
    trace,
    signal: request.signal,
  });
  const { stdin, onStdin, stdout, stderr, tty, initialSize, resizes, signal } = request;
  const end = await runStreams(socket, { stdin, onStdin, stdout, stderr, signal, ...(tty ? { initialSize, resizes } : {}) }, timing);
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
