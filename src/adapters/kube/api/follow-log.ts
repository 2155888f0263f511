/** The log of a container, across broken connections: nothing twice, nothing left out. */
import type { Readable } from 'node:stream';
import { ClusterError } from '../../../errors.ts';
import { interruption } from '../../http/network-error.ts';
import { lines } from './lines.ts';
import { Backoff, isPassing } from './passing-failure.ts';

export interface LogLine {
  /** RFC 3339 with nine digits, when the container runtime took the line; null for what the kubelet says itself. */
  readonly time: string | null;
  readonly text: string;
}

export interface LogSource {
  /** Opens the log, with times, from a time on (null: as the caller asked at first). Throws ClusterError. */
  open(sinceTime: string | null, signal: AbortSignal): Promise<Readable>;
  /** Asked after the log has ended in good order: whether the container still runs, so that it was the line that ended. */
  stillRuns(signal: AbortSignal): Promise<boolean>;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

/** Longer ones come in pieces. */
const MAX_LINE_BYTES = 2 ** 20;
/** What the kubelet writes with `timestamps=true` (k8s.io/cri-client v0.37.2 pkg/logs/logs.go, timeFormatOut, read 2026-11-30). */
const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})(Z|[+-]\d\d:\d\d) ?/;

interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/**
 * Yields lines until the container has ended. A connection that breaks is opened again from the second of the last line
 * on, as the API server hands on whole seconds only; what of that second was seen is left out.
 * Throws ClusterError for a log that is refused, and what `signal` was aborted with.
 */
export async function* followLog(source: LogSource, signal: AbortSignal): AsyncGenerator<LogLine, void, undefined> {
  try {
    yield* untilEnded(source, signal);
  } catch (error) {
    throw signal.aborted ? interruption(signal) : error;
  }
}

async function* untilEnded(source: LogSource, signal: AbortSignal): AsyncGenerator<LogLine, void, undefined> {
  const backoff = new Backoff(() => source.random());
  let wasOpen = false;
  let latest: Instant | null = null;
  /** Lines seen of the second of the latest: those that come again. */
  let seenInSecond = 0;
  for (;;) {
    let isWhole = false;
    try {
      const stream = await source.open(latest === null ? null : new Date(latest.seconds * 1000).toISOString().replace('.000Z', 'Z'), signal);
      wasOpen = true;
      let repeated: number = seenInSecond;
      // A cut line comes again; the last line of a process may lack its line break.
      for await (const line of lines(stream, { keepsLast: true, maxBytes: MAX_LINE_BYTES, onTooLong: () => undefined })) {
        const { time, instant, text } = parseLine(line);
        if (instant === null) {
          yield { time, text };
          continue;
        }
        const order: number = latest === null ? 1 : compare(instant, latest);
        if (repeated > 0 && order <= 0) {
          repeated -= 1;
          continue;
        }
        repeated = 0;
        backoff.reset();
        if (latest === null || instant.seconds > latest.seconds) seenInSecond = 1;
        else if (instant.seconds === latest.seconds) seenInSecond += 1;
        if (order > 0) latest = instant;
        yield { time, text };
      }
      isWhole = true;
    } catch (error) {
      // A pod that is deleted takes its log with it.
      if (wasOpen && error instanceof ClusterError && error.reason === 'NotFound') return;
      if (signal.aborted || !wasOpen || !isPassing(error)) throw error;
    }
    if (isWhole && !await source.stillRuns(signal)) return;
    await source.sleep(backoff.nextMs(), signal);
  }
}

function parseLine(line: string): LogLine & { readonly instant: Instant | null } {
  const match = TIMED.exec(line);
  if (match === null) return { time: null, text: line, instant: null };
  const [prefix, seconds = '', fraction = '', zone = ''] = match;
  return { time: `${seconds}.${fraction}${zone}`, text: line.slice(prefix.length), instant: { seconds: Date.parse(seconds + zone) / 1000, nanoseconds: Number(fraction) } };
}

function compare(one: Instant, other: Instant): number {
  return one.seconds - other.seconds || one.nanoseconds - other.nanoseconds;
}
