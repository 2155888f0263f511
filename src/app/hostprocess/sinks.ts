/** Sinks before sinks: the app room has no streams of its own. */
import type { SignFilter } from '../../domain/hostprocess/command/sign.ts';
import type { Sign } from '../../domain/hostprocess/command/transport.ts';
import type { ByteSink } from '../ports.ts';

type Written = (error?: Error | null) => void;

/** `sink` in everything but the bytes of the runner, which it keeps. */
export function withoutSigns(sink: ByteSink, filter: SignFilter, onSign: (sign: Sign) => void): ByteSink {
  return behind(sink, (chunk, written) => {
    const { bytes, signs } = filter.push(chunk);
    for (const sign of signs) onSign(sign);
    return bytes.length > 0 ? sink.write(bytes, written) : drop(written);
  });
}

/** Takes everything and keeps nothing; `sink` gets no byte. */
export function discarding(sink: ByteSink): ByteSink {
  return behind(sink, (_chunk, written) => drop(written));
}

function drop(written?: Written): true {
  if (written !== undefined) queueMicrotask(() => written());
  return true;
}

function behind(sink: ByteSink, write: (chunk: Uint8Array, written?: Written) => boolean): ByteSink {
  return new Proxy(sink, {
    get: (target, name) => {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (...values: readonly unknown[]): unknown => Reflect.apply(value, target, values) : value;
    },
  });
}
