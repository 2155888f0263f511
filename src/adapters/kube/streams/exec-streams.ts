/** Bytes between local streams and an open WebSocket that speaks v5.channel.k8s.io. */
import type { WebSocket } from 'ws';
import type { ByteSink, ByteSource, TerminalSize } from '../../../app/ports.ts';
import { AppError, ClusterError, InputError } from '../../../errors.ts';
import { interruption } from '../../http/network-error.ts';
import { pumpBytes, pumpIterable } from './byte-source.ts';
import { readRemoteStatus, type RemoteStatus } from './remote-status.ts';

export const STREAM_PROTOCOL = 'v5.channel.k8s.io';

// First byte of every message: https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/util/remotecommand/constants.go, read 2026-11-30.
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CLOSE = 255;

/** client-go copies stdin in pieces of 32 KiB and servers size their buffers for that. */
const STDIN_CHUNK_BYTES = 32 * 1024;
/** Stdin that may wait in the socket before reading on: enough to keep a fast line busy. */
const STDIN_WINDOW_BYTES = 256 * 1024;
/** Unconfirmed stdin from which on silence may mean that the command does not read. Nobody types as much. */
const STALLED_STDIN_BYTES = 64 * 1024;
/** A Status is a few hundred bytes; more is not one. */
const STATUS_LIMIT_BYTES = 1024 * 1024;

export interface StreamTiming {
  /** How often a ping is sent. client-go: 5 s. */
  readonly pingIntervalSeconds: number;
  /** The connection counts as dead when nothing at all has come for this long. client-go: 61 s. */
  readonly silenceSeconds: number;
  /** After the status, how long the server may take to close the socket. */
  readonly closeSeconds: number;
}

/** https://github.com/kubernetes/client-go/blob/v0.37.2/tools/remotecommand/websocket.go (pingPeriod, pingReadDeadline), read 2026-11-30. */
export const DEFAULT_TIMING: StreamTiming = { pingIntervalSeconds: 5, silenceSeconds: 61, closeSeconds: 10 };

export interface LocalStreams {
  readonly stdin?: ByteSource | undefined;
  /** As that of AttachRequest. */
  readonly onStdin?: (() => void) | undefined;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  readonly initialSize?: TerminalSize | undefined;
  readonly resizes?: AsyncIterable<TerminalSize> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How the WebSocket ended. */
export interface StreamEnd {
  /** null when the server closed without saying how the command ended. */
  readonly status: RemoteStatus | null;
  /** WebSocket close code; 1006 when the socket just dropped. */
  readonly closeCode: number;
  readonly closeReason: string;
  /** What was wrong with the socket, where Node said so. */
  readonly cause: Error | null;
}

/**
 * Runs until the socket is closed and all output is written; `stdout` and `stderr` stay open, they may be the
 * process's own. `socket` has to be open and paused, so that nothing came before its listeners.
 *
 * Rejects with the signal's reason after an abort (InterruptedError where that is no error of ours), with a local stream's own error (EPIPE), with InputError when
 * stdin cannot be read, and with ClusterError `ConnectionLost` when the other side no longer answers pings.
 */
export async function runStreams(socket: WebSocket, local: LocalStreams, timing: StreamTiming = DEFAULT_TIMING): Promise<StreamEnd> {
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<Omit<StreamEnd, 'status'>>();
  failed.catch(() => undefined);
  const stops: (() => void)[] = [];

  const life = watchLife(socket, timing, fail);
  stops.push(life.stop);
  const outputs = writeOutputs(socket, fail, life);
  stops.push(outputs.stop);

  let statusBytes: Uint8Array = new Uint8Array(0);
  let status: RemoteStatus | null = null;
  let cause: Error | null = null;
  let closeTimer: NodeJS.Timeout | undefined;
  /** The status is the last message; a server that then forgets to close must not hold us. A slow reader may. */
  const expectClose = (): void => {
    clearTimeout(closeTimer);
    closeTimer = setTimeout(() => (outputs.isBlocked() ? expectClose() : socket.terminate()), timing.closeSeconds * 1000);
  };
  stops.push(() => clearTimeout(closeTimer));

  socket.on('message', (data, isBinary) => {
    life.sign();
    if (!isBinary) {
      fail(new ClusterError(`the server sent text on ${STREAM_PROTOCOL}, where only bytes are due`, { reason: 'Unknown' }));
      return;
    }
    const bytes = data as Buffer; // binaryType of a `ws` socket is nodebuffer unless somebody sets it
    const channel = bytes[0];
    const payload = bytes.subarray(1);
    if (status !== null) expectClose();
    if (channel === STDOUT) outputs.write(local.stdout, payload);
    else if (channel === STDERR) outputs.write(local.stderr, payload);
    else if (channel === ERROR && status === null && statusBytes.length + payload.length <= STATUS_LIMIT_BYTES) {
      statusBytes = Buffer.concat([statusBytes, payload]);
      status = readRemoteStatus(statusBytes);
      if (status !== null) expectClose();
    }
    // Other channels, and the server's CLOSE of one of them, are none of our business: client-go discards them too.
  });
  socket.on('error', (error) => {
    cause ??= error;
  });
  socket.once('close', (code, reason) => {
    life.stop();
    resolveClosed({ closeCode: code, closeReason: reason.toString(), cause });
  });

  const abort = (): void => {
    if (local.signal !== undefined) fail(interruption(local.signal));
  };
  local.signal?.addEventListener('abort', abort, { once: true });
  stops.push(() => local.signal?.removeEventListener('abort', abort));

  try {
    if (local.signal?.aborted === true) throw interruption(local.signal);
    if (local.initialSize !== undefined) sendSize(socket, local.initialSize);
    if (local.resizes !== undefined) {
      const pump = pumpIterable(local.resizes, (size) => sendSize(socket, size));
      stops.push(pump.stop);
      pump.finished.catch(fail);
    }
    if (local.stdin !== undefined) {
      const pump = pumpBytes(local.stdin, (chunk) => {
        local.onStdin?.();
        return sendStdin(socket, chunk, life);
      });
      stops.push(pump.stop);
      pump.finished.then(
        () => send(socket, Uint8Array.of(CLOSE, STDIN)),
        (error: unknown) => fail(stdinError(error)),
      );
    }
    socket.resume();
    const end = await Promise.race([closed, failed]);
    await Promise.race([outputs.drained(), failed]);
    return { status, ...end };
  } finally {
    for (const stop of stops) stop();
    socket.terminate();
  }
}

/** Settles when the socket has taken the message; the socket's end is told by its own events, not here. */
function send(socket: WebSocket, message: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) resolve();
    else socket.send(message, () => resolve());
  });
}

async function sendStdin(socket: WebSocket, chunk: Uint8Array, life: Life): Promise<void> {
  for (let start = 0; start < chunk.length; start += STDIN_CHUNK_BYTES) {
    const part = chunk.subarray(start, start + STDIN_CHUNK_BYTES);
    const message = new Uint8Array(part.length + 1);
    message[0] = STDIN;
    message.set(part, 1);
    life.sent(message.length);
    const sent = send(socket, message);
    if (socket.bufferedAmount > STDIN_WINDOW_BYTES) await sent;
  }
}

/** Sizes of a window that is hidden or not a terminal (0, undefined) are not sent: they would collapse the remote one. */
function sendSize(socket: WebSocket, { width, height }: TerminalSize): void {
  if (![width, height].every((cells) => Number.isInteger(cells) && cells > 0 && cells < 2 ** 16)) return;
  void send(socket, Buffer.concat([Uint8Array.of(RESIZE), Buffer.from(JSON.stringify({ Width: width, Height: height }))]));
}

function stdinError(error: unknown): unknown {
  if (error instanceof AppError || (error instanceof Error && error.name === 'AbortError')) return error;
  return new InputError({ file: 'stdin' }, `unable to read it: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

interface Outputs {
  readonly write: (stream: ByteSink, bytes: Uint8Array) => void;
  readonly isBlocked: () => boolean;
  /** Fulfilled when everything that came has left the streams' buffers. */
  readonly drained: () => Promise<void>;
  readonly stop: () => void;
}

/** Writes to the local streams and stops reading the socket while one of them is full. */
function writeOutputs(socket: WebSocket, fail: (error: unknown) => void, life: Life): Outputs {
  const watched = new Set<ByteSink>();
  const blocked = new Map<ByteSink, () => void>();
  let unwritten = 0;
  let isEnding = false;
  const { promise: empty, resolve: resolveEmpty } = Promise.withResolvers<void>();

  const onWritten = (error?: Error | null): void => {
    unwritten -= 1;
    if (error) fail(error);
    if (isEnding && unwritten === 0) resolveEmpty();
  };
  const block = (stream: ByteSink): void => {
    const onDrain = (): void => {
      blocked.delete(stream);
      if (blocked.size > 0) return;
      socket.resume();
      life.resume();
    };
    blocked.set(stream, onDrain);
    stream.once('drain', onDrain);
    socket.pause();
    life.pause();
  };
  return {
    write(stream, bytes) {
      if (bytes.length === 0) return;
      if (!watched.has(stream)) {
        watched.add(stream);
        stream.on('error', fail);
      }
      unwritten += 1;
      if (!stream.write(bytes, onWritten) && !blocked.has(stream)) block(stream);
    },
    isBlocked: () => blocked.size > 0,
    drained() {
      isEnding = true;
      if (unwritten === 0) resolveEmpty();
      return empty;
    },
    stop() {
      for (const stream of watched) stream.off('error', fail);
      for (const [stream, onDrain] of blocked) stream.off('drain', onDrain);
    },
  };
}

interface Life {
  /** Something came from the other side. */
  readonly sign: () => void;
  /** So many bytes of stdin were handed to the socket. */
  readonly sent: (byteCount: number) => void;
  /** While nothing is read, nothing can be heard: silence does not count. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly stop: () => void;
}

/**
 * Sends pings and fails when nothing comes back.
 *
 * The API server reads pings and stdin in one line, so while a command leaves its stdin unread, pings stay unanswered:
 * `kubectl exec` then gives a living command up after 61 s (v1.37.2: `sleep 90` with 20 MB of stdin, 2026-11-30). As long
 * as much stdin is unconfirmed, a dead line is therefore left to TCP to find, which takes minutes at most.
 */
function watchLife(socket: WebSocket, timing: StreamTiming, fail: (error: unknown) => void): Life {
  const silenceMs = timing.silenceSeconds * 1000;
  let sentBytes = 0;
  let confirmedBytes = 0;
  let isHeard = false;
  const ping = setInterval(() => {
    // Only into silence: the server closes its end right after the status, and whatever reaches it then makes its kernel
    // drop all output that a slow reader has not fetched yet, status included (seen with v1.37.2, 2026-11-30).
    const isNeeded = !isHeard && !socket.isPaused;
    isHeard = false;
    // The number comes back in the pong: everything sent before this ping has then been read.
    if (isNeeded && socket.readyState === socket.OPEN) socket.ping(String(sentBytes));
  }, timing.pingIntervalSeconds * 1000);
  let checking: NodeJS.Immediate | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let isStopped = false;
  const check = (): void => {
    // Timers run before sockets are read: after a blocked or suspended process an answer may be waiting already.
    checking = setImmediate(() => {
      if (sentBytes - confirmedBytes > STALLED_STDIN_BYTES) return resume();
      fail(
        new ClusterError(`the server has not answered for ${timing.silenceSeconds} s; the command may still be running`, {
          reason: 'ConnectionLost',
          suggestions: ['check the network, VPN or proxy between here and the API server'],
        }),
      );
    });
  };
  const pause = (): void => {
    clearTimeout(deadline);
    clearImmediate(checking);
    deadline = undefined;
  };
  const resume = (): void => {
    pause();
    if (!isStopped) deadline = setTimeout(check, silenceMs);
  };
  const sign = (): void => {
    isHeard = true;
    clearImmediate(checking);
    deadline?.refresh();
  };
  socket.on('ping', sign).on('pong', (payload) => {
    confirmedBytes = Number(payload.toString()) || confirmedBytes;
    sign();
    isHeard = false;
  });
  resume();
  return {
    sign,
    sent(byteCount) {
      sentBytes += byteCount;
    },
    pause,
    resume,
    stop() {
      isStopped = true;
      clearInterval(ping);
      pause();
    },
  };
}
