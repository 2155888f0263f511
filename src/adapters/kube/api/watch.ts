/** A watch that goes on for ever: bookmarks, resume, a new list after 410 (client-go tools/cache/reflector.go, v0.37.2, read 2026-11-30). */
import type { Readable } from 'node:stream';
import { ClusterError } from '../../../errors.ts';
import type { WatchEvent } from '../../../app/ports.ts';
import { isRecord, stringAt, type KubeObject } from '../../../domain/kubernetes/object.ts';
import { interruption } from '../../http/network-error.ts';
import { lines } from './lines.ts';
import { Backoff, isPassing } from './passing-failure.ts';

/** One object is at most 1.5 MiB in etcd; a longer line is no event. */
const MAX_LINE_BYTES = 32 * 2 ** 20;
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
  /** Told once per outage that the watch was lost and is tried again; a watch that the server ended in good order is none. */
  lost?(error: unknown): void;
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
  const backoff = new Backoff(() => source.random());
  let isLost = false;
  for (;;) {
    let relist = false;
    try {
      // Spread, so that many clients do not come back together (reflector.go: 5 to 10 minutes).
      const timeoutSeconds = 300 + Math.floor(source.random() * 300);
      const stream = await source.open(version, timeoutSeconds, signal);
      const silenceMs = (timeoutSeconds + SILENCE_ALLOWANCE_SECONDS) * 1000;
      // A last line without its line break is a cut one: the watch resumes before it.
      for await (const line of lines(stream, { silenceMs, maxBytes: MAX_LINE_BYTES, onTooLong: refuseLine })) {
        if (line.trim() === '') continue;
        const event = parseEvent(line);
        if (event.type === 'ERROR') {
          const error = source.errorOf(event.object);
          if (!isExpired(error)) throw error;
          relist = true;
          break;
        }
        backoff.reset();
        isLost = false;
        version = stringAt(event.object, 'metadata', 'resourceVersion') ?? version;
        if (event.type !== 'BOOKMARK') yield { type: event.type, object: event.object };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if (isExpired(error)) relist = true;
      else if (!isPassing(error)) throw error;
      else if (!isLost) {
        isLost = true;
        source.lost?.(error);
      }
    }
    if (signal.aborted) throw interruption(signal);
    if (relist) {
      const whole = await relistPatiently(source, signal);
      version = whole.resourceVersion;
      yield { type: 'RELISTED', objects: whole.objects };
    }
    await source.sleep(backoff.nextMs(), signal);
  }
}

async function relistPatiently(source: WatchSource, signal: AbortSignal): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }> {
  const backoff = new Backoff(() => source.random());
  for (;;) {
    try {
      return await source.relist(signal);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await source.sleep(backoff.nextMs(), signal);
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

function refuseLine(head: string): never {
  throw notAnEvent(head);
}

function notAnEvent(line: string, cause?: unknown): ClusterError {
  return new ClusterError(`the server sent something that is not a watch event: ${JSON.stringify(line.slice(0, 80))}`, {
    reason: 'NotKubernetes',
    cause,
    suggestions: ['is a proxy or login page in the way?'],
  });
}

function isExpired(error: unknown): boolean {
  return error instanceof ClusterError && (error.reason === 'Expired' || error.reason === 'Gone' || error.status === 410);
}
