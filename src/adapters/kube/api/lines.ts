import type { Readable } from 'node:stream';
import { BodyCutError } from '../../http/network-error.ts';

export interface LinesOptions {
  /** The stream breaks after this time without a byte. */
  readonly silenceMs?: number;
  /** Whether a last line without its line break counts; else it is a cut one and is dropped. */
  readonly keepsLast?: boolean;
  readonly maxBytes: number;
  /** Called with the first bytes of a longer line; throws, or lets it pass as a line of its own. */
  readonly onTooLong: (head: string) => void;
}

/** Lines of a stream without their line breaks, empty ones too. The stream is destroyed at the end, also when the reader leaves early. */
export async function* lines(stream: Readable, { silenceMs, keepsLast = false, maxBytes, onTooLong }: LinesOptions): AsyncGenerator<string, void, undefined> {
  // Bytes, not text, are kept between chunks: a character of several bytes may be split.
  let rest: Buffer[] = [];
  let restBytes = 0;
  const silent = (): void => void stream.destroy(new BodyCutError(restBytes, 'silence'));
  let timer: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    if (silenceMs !== undefined) timer = setTimeout(silent, silenceMs);
  };
  const take = (last: Buffer): string => {
    const line = (rest.length === 0 ? last : Buffer.concat([...rest, last])).toString('utf8');
    rest = [];
    restBytes = 0;
    return line;
  };
  heard();
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      heard();
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        yield take(chunk.subarray(from, end));
        from = end + 1;
      }
      if (from === chunk.length) continue;
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      if (restBytes <= maxBytes) continue;
      onTooLong(Buffer.concat(rest).toString('utf8', 0, 80));
      yield take(Buffer.alloc(0));
    }
    if (keepsLast && restBytes > 0) yield take(Buffer.alloc(0));
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}
