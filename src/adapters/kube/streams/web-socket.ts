/** Opens a WebSocket to the API server, with the connection's agent, headers and credentials. */
import type { IncomingMessage } from 'node:http';
import type { ClientOptions, WebSocket } from 'ws';
import type { Attempt } from '../api/api-error.ts';
import type { Connection, RequestCredentials } from '../connection.ts';
import { agentFor, requestHeaders } from '../../http/agent.ts';
import { DeadlineExceeded, interruption, networkError } from '../../http/network-error.ts';
import { traceRequest, traceResponse, type Trace } from '../../http/trace.ts';
import type { Answer } from '../../http/transport.ts';
import { upgradeRefusal, WebSocketUnsupportedError } from './upgrade-errors.ts';
import { loadWebSocketPackage } from './web-socket-package.ts';

export interface WebSocketRequest {
  /** Path and query below the server's URL, beginning with `/`. */
  readonly path: string;
  /** The only subprotocol offered and accepted; null for none. */
  readonly protocol: string | null;
  /** Value of the Origin header, which programs have no need of. */
  readonly origin?: string | undefined;
  readonly attempt: Attempt;
  /** How long the server may take to answer the upgrade. */
  readonly handshakeTimeoutSeconds: number;
  readonly trace?: Trace | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** client-go reads as much of a refusal (transport/websocket/roundtripper.go, read 2026-11-30). */
const REFUSAL_LIMIT_BYTES = 64 * 1024;

type Outcome = { readonly kind: 'open'; readonly socket: WebSocket } | { readonly kind: 'refused'; readonly answer: Answer };

/**
 * Resolves with an open socket that is paused: the caller sets its listeners and then resumes it, so that no message is lost.
 * A 401 is tried once more with refreshed credentials.
 * Throws ClusterError (with the server's Status where it sent one), WebSocketUnsupportedError, or InterruptedError.
 */
export async function openWebSocket(connection: Connection, request: WebSocketRequest): Promise<WebSocket> {
  const { signal, attempt } = request;
  try {
    signal?.throwIfAborted();
    const credentials = await connection.credentials.get(signal);
    let outcome = await upgrade(connection, credentials, request);
    if (outcome.kind === 'refused' && outcome.answer.status === 401 && (await connection.credentials.refresh(signal, credentials))) {
      outcome = await upgrade(connection, await connection.credentials.get(signal), request);
    }
    if (outcome.kind === 'refused') throw upgradeRefusal(outcome.answer, connection, attempt);
    return outcome.socket;
  } catch (error) {
    throw networkError(signal?.aborted === true ? interruption(signal) : error, connection, attempt);
  }
}

// Weak, as the agents are.
const dialingConnections = new WeakMap<Connection, Connection>();

/**
 * The same connection under another key, so with an agent of its own that never keeps a socket: every WebSocket is
 * dialled anew, as client-go does. On a kept socket that the server has just given up, nobody could tell whether the
 * command was started, and trying again might run it twice.
 */
function dialing(connection: Connection): Connection {
  let copy = dialingConnections.get(connection);
  if (copy === undefined) {
    copy = { ...connection };
    dialingConnections.set(connection, copy);
  }
  return copy;
}

async function upgrade(connection: Connection, credentials: RequestCredentials, request: WebSocketRequest): Promise<Outcome> {
  const { WebSocket } = await loadWebSocketPackage();
  const headers = requestHeaders(connection, credentials);
  const { signal, handshakeTimeoutSeconds, trace, protocol, origin } = request;
  const options = {
    agent: agentFor(dialing(connection), credentials),
    headers,
    ...(origin === undefined ? {} : { origin }),
    // client-go's dialer does not offer compression either.
    perMessageDeflate: false,
  };
  signal?.throwIfAborted();
  const started = performance.now();
  const url = connection.server + request.path;
  if (trace !== undefined) traceRequest(trace, 'GET', url, headers, undefined);
  const answered = ({ statusCode, statusMessage, headers: received }: IncomingMessage): void => {
    if (trace !== undefined) traceResponse(trace, 'GET', url, `${statusCode} ${statusMessage}`.trim(), performance.now() - started, received);
  };
  // The types of `ws` allow one value per header; it hands headers to node:http, which takes arrays.
  const socket = new WebSocket(connection.server.replace(/^http/i, 'ws') + request.path, protocol === null ? [] : [protocol], options as unknown as ClientOptions);
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const giveUp = (error: unknown): void => {
    reject(error);
    socket.terminate();
  };
  const abort = (): void => giveUp(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => giveUp(new DeadlineExceeded(handshakeTimeoutSeconds)), handshakeTimeoutSeconds * 1000);
  socket.once('upgrade', answered);
  socket.once('open', () => {
    socket.pause();
    resolve({ kind: 'open', socket });
  });
  socket.once('unexpected-response', (_clientRequest, response) => {
    const { socket: dialed } = response;
    answered(response);
    void readRefusal(response).then((body) => {
      const answer = { status: response.statusCode ?? 0, statusText: response.statusMessage ?? '', headers: response.headers, body, tries: 1 };
      resolve({ kind: 'refused', answer });
      socket.terminate();
      dialed.destroy();
    });
  });
  // Stays for the socket's life: an error without a listener would end the process.
  socket.on('error', (error) => reject(isProtocolRefusal(error) ? new WebSocketUnsupportedError(request.attempt, `${error.message} (${protocol ?? 'no subprotocol'} was offered)`) : error));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Messages of `ws` for a 101 that is none, or for another protocol (lib/websocket.js of 8.23, read 2026-11-30). */
function isProtocolRefusal(error: Error): boolean {
  return /^(Server sent (no|an invalid) subprotocol|Invalid (Upgrade|Sec-WebSocket-Accept) header|Server (sent|indicated) .*extension)/.test(error.message);
}

/** What came of the body, as far as it came: half a refusal still says more than a broken transfer. */
async function readRefusal(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= REFUSAL_LIMIT_BYTES) break;
    }
  } catch {
    // The status line is known; apiError says what it means.
  }
  return Buffer.concat(chunks).subarray(0, REFUSAL_LIMIT_BYTES);
}
