import { ClusterError } from '../../../errors.ts';
import type { Trace } from '../../http/trace.ts';
import type { Connection } from '../connection.ts';
import { openWebSocket } from './web-socket.ts';

export interface ProbeOptions {
  readonly namespace: string;
  readonly trace?: Trace | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Nothing has to be admitted for a watch, so that a server which lives answers at once. */
const HANDSHAKE_TIMEOUT_SECONDS = 15;

/**
 * Whether WebSockets reach the API server and what is on the way to it lets them pass, without a pod: by a watch that can
 * show nothing, closed as soon as it is open. null if they do; else `UpgradeRefused`, or what else the request met.
 * The API server takes a watch over a WebSocket from browsers alone, which it knows by their Origin header; without one it
 * answers 403 with no text (kube-apiserver v1.37.2, seen 2026-11-30; https://github.com/kubernetes/apiserver/blob/v0.37.2/pkg/endpoints/handlers/watch.go).
 * Throws what the signal is aborted with.
 */
export async function probeUpgrade(connection: Connection, { namespace, trace, signal }: ProbeOptions): Promise<ClusterError | null> {
  try {
    const socket = await openWebSocket(connection, {
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`,
      protocol: null,
      origin: new URL(connection.server).origin,
      attempt: { verb: 'watch', resource: 'pods', namespace },
      handshakeTimeoutSeconds: HANDSHAKE_TIMEOUT_SECONDS,
      trace,
      signal,
    });
    socket.terminate();
    return null;
  } catch (error) {
    if (error instanceof ClusterError) return error;
    throw error;
  }
}
