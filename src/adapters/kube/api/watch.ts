/** A watch that goes on for ever: bookmarks, resume, a new list after 410 (client-go tools/cache/reflector.go, v0.37.2, read 2026-11-30). */
import type { Readable } from 'node:stream';
import { ClusterError, InterruptedError } from '../../../errors.ts';
import type { WatchEvent } from '../../../app/ports.ts';
import { isRecord, numberAt, stringAt, type KubeObject } from '../../../domain/kubernetes/object.ts';
import { BodyCutError, interruption } from '../http/network-error.ts';

/** One object is at most 1.5 MiB in etcd; a longer line is no event. */
const MAX_LINE_BYTES = 32 * 2 ** 20;
const FIRST_PAUSE_MS = 800;
const LONGEST_PAUSE_MS = 30_000;
/** Bookmarks come about once a minute; the server ends the watch after its timeout at the latest. */
const SILENCE_ALLOWANCE_SECONDS = 30;

export interface WatchSource {
  /** Opens one watch from a resource version; throws ClusterError for an answer that is no watch. */
  open(resourceVersion: string, timeoutSeconds: number, signal: AbortSignal): Promise<Readable>;
  /** Lists everything anew. */
  relist(signal: AbortSignal): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }>;
  /** The error of a Status that came as an event. */
  errorOf(status: unknown): ClusterError;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

/**
 * Yields changes after `resourceVersion` until `signal` is aborted or the right to watch is refused.
 * A 401 was answered with fresh credentials further down; when it comes up here it ends the watch as 403 does.
 */
export async function* watch(source: WatchSource, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent, void, undefined> {
  try {
    yield* watchUntilAborted(source, resourceVersion, signal);
  } catch (error) {
    // Whatever broke because of the interruption, a sleep or a stream, is the interruption.
    throw signal.aborted ? interruption(signal) : error;
  }
}

async function* watchUntilAborted(source: WatchSource, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent, void, undefined> {
  let version = resourceVersion;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    let relist = false;
    try {
      // Spread, so that many clients do not come back together (reflector.go: 5 to 10 minutes).
      const timeoutSeconds = 300 + Math.floor(source.random() * 300);
      const stream = await source.open(version, timeoutSeconds, signal);
      for await (const line of lines(stream, (timeoutSeconds + SILENCE_ALLOWANCE_SECONDS) * 1000)) {
        const event = parseEvent(line);
        if (event.type === 'ERROR') {
          const error = source.errorOf(event.object);
          if (!isExpired(error)) throw error;
          relist = true;
          break;
        }
        pauseMs = FIRST_PAUSE_MS;
        version = stringAt(event.object, 'metadata', 'resourceVersion') ?? version;
        if (event.type !== 'BOOKMARK') yield { type: event.type, object: event.object };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if (isExpired(error)) relist = true;
      else if (!isPassing(error)) throw error;
    }
    if (signal.aborted) throw interruption(signal);
    if (relist) {
      const whole = await relistPatiently(source, signal);
      version = whole.resourceVersion;
      yield { type: 'RELISTED', objects: whole.objects };
    }
    // Between half and all of the pause, so that clients of a restarted server spread out.
    await source.sleep(pauseMs * (0.5 + source.random() / 2), signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

async function relistPatiently(source: WatchSource, signal: AbortSignal): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await source.relist(signal);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await source.sleep(pauseMs * (0.5 + source.random() / 2), signal);
    }
  }
}

interface RawEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set<RawEvent['type']>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

function parseEvent(line: string): RawEvent {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (cause) {
    throw notAnEvent(line, cause);
  }
  if (!isRecord(parsed) || !EVENT_TYPES.has(parsed.type) || !isRecord(parsed.object)) throw notAnEvent(line);
  return parsed as unknown as RawEvent;
}

function notAnEvent(line: string, cause?: unknown): ClusterError {
  return new ClusterError(`the server sent something that is not a watch event: ${JSON.stringify(line.slice(0, 80))}`, {
    reason: 'NotKubernetes',
    cause,
    suggestions: ['is a proxy or login page in the way?'],
  });
}

/** Lines of a stream; a last line without its line break is a cut one and is dropped, the watch resumes before it. */
async function* lines(stream: Readable, silenceMs: number): AsyncGenerator<string, void, undefined> {
  // Bytes, not text, are kept between chunks: a character of several bytes may be split.
  let rest: Buffer[] = [];
  let restBytes = 0;
  const silent = (): void => void stream.destroy(new BodyCutError(restBytes, 'silence'));
  let timer = setTimeout(silent, silenceMs);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      timer = setTimeout(silent, silenceMs);
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        const piece = chunk.subarray(from, end);
        const line = (rest.length === 0 ? piece : Buffer.concat([...rest, piece])).toString('utf8');
        rest = [];
        restBytes = 0;
        from = end + 1;
        if (line.trim() !== '') yield line;
      }
      if (from < chunk.length) {
        rest.push(chunk.subarray(from));
        restBytes += chunk.length - from;
        if (restBytes > MAX_LINE_BYTES) throw notAnEvent(Buffer.concat(rest).toString('utf8', 0, 80));
      }
    }
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof ClusterError && (error.reason === 'Expired' || error.reason === 'Gone' || error.status === 410);
}

/** What goes away by itself: a restarted server, a broken connection, a shed request. */
function isPassing(error: unknown): boolean {
  if (error instanceof InterruptedError) return false;
  // Errors of the stream itself are no ClusterErrors: the connection broke in the middle.
  if (!(error instanceof ClusterError)) return isTransferError(error);
  if (['Unreachable', 'ConnectionLost', 'DeadlineExceeded', 'TooManyRequests', 'ServiceUnavailable', 'InternalError', 'Timeout', 'ServerTimeout'].includes(error.reason)) return true;
  return (error.status ?? numberAt(error.details, 'code') ?? 0) >= 500;
}

function isTransferError(error: unknown): boolean {
  return error instanceof BodyCutError || (error instanceof Error && ('code' in error || /aborted|terminated|premature|socket/i.test(error.message)));
}
