/** The user's own terminal in raw mode, and how it gets back whatever ends the program. */
import type { Readable, Writable } from 'node:stream';
import type { ByteSource, Terminal, TerminalSize } from '../../app/ports.ts';

/** A standard input that may be a terminal: tty.ReadStream. */
export type TerminalInput = Readable & { readonly isTTY?: boolean; readonly isRaw?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
/** A standard output that may be a terminal: tty.WriteStream. */
export type TerminalOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** What ends the process, or stops it: `process`. */
export interface ProcessEvents {
  readonly pid: number;
  on(event: string, listener: () => void): unknown;
  prependListener(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  listenerCount(event: string): number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

/** Where nobody says; that of the terminals of old, and what servers take, too. */
const DEFAULT_SIZE: TerminalSize = { width: 80, height: 24 };
/** Those that end a process unless somebody listens. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const satisfies readonly NodeJS.Signals[];

/**
 * The terminal of standard input; null where that is none. Its size is that of the first output that is one.
 * After `take` it is restored by `restore`, by the end of the process (process.exit, an error that nothing caught) and by the first signal that
 * asks for that end; SIGKILL leaves it as it is, and `stty sane` helps.
 */
export function openTerminal(input: TerminalInput, outputs: readonly TerminalOutput[], events: ProcessEvents = process): Terminal | null {
  const { setRawMode } = input;
  if (input.isTTY !== true || setRawMode === undefined) return null;
  const output = outputs.find(({ isTTY }) => isTTY === true) ?? null;
  let wasRaw: boolean | null = null;

  const restore = (): void => {
    if (wasRaw === null) return;
    const before = wasRaw;
    wasRaw = null;
    for (const signal of ENDING) events.removeListener(signal, listeners[signal]);
    events.removeListener('SIGCONT', onContinue);
    events.removeListener('exit', restore);
    try {
      setRawMode.call(input, before);
    } catch {
      // a terminal that is gone needs nothing
    }
    input.pause();
  };
  /** Others listen as well, and end the program in their time; where nobody does, the signal has to be sent again. */
  const onEnding = (signal: NodeJS.Signals) => (): void => {
    restore();
    if (events.listenerCount(signal) === 0) events.kill(events.pid, signal);
  };
  const listeners = Object.fromEntries(ENDING.map((signal) => [signal, onEnding(signal)])) as Readonly<Record<(typeof ENDING)[number], () => void>>;
  /** Back from `kill -STOP`: the shell has set its own modes meanwhile, of which Node knows nothing. */
  const onContinue = (): void => {
    setRawMode.call(input, false);
    setRawMode.call(input, true);
  };

  return {
    get size() {
      return sizeOf(output);
    },
    resizes: (signal) => resizesOf(output, signal),
    take: (): ByteSource => {
      if (wasRaw !== null) return input;
      wasRaw = input.isRaw === true;
      events.prependListener('exit', restore);
      for (const signal of ENDING) events.prependListener(signal, listeners[signal]);
      events.on('SIGCONT', onContinue);
      setRawMode.call(input, true);
      return input;
    },
    restore,
  };
}

function sizeOf(output: TerminalOutput | null): TerminalSize {
  const { columns = 0, rows = 0 } = output ?? {};
  // terminals that do not know it say 0
  return columns > 0 && rows > 0 ? { width: columns, height: rows } : DEFAULT_SIZE;
}

/** Each size that differs from the one before; of several that nobody has taken yet the last. Ends with the signal. */
function resizesOf(output: TerminalOutput | null, signal: AbortSignal): AsyncIterable<TerminalSize> {
  return {
    [Symbol.asyncIterator]: () => {
      let current = sizeOf(output);
      let pending: TerminalSize | null = null;
      let isEnded = signal.aborted;
      let wake: (() => void) | null = null;
      const onResize = (): void => {
        const size = sizeOf(output);
        if (size.width === current.width && size.height === current.height) return;
        current = size;
        pending = size;
        wake?.();
      };
      const end = (): void => {
        isEnded = true;
        output?.removeListener('resize', onResize);
        signal.removeEventListener('abort', end);
        wake?.();
      };
      if (!isEnded) {
        output?.on('resize', onResize);
        signal.addEventListener('abort', end, { once: true });
      }
      return {
        next: async () => {
          while (pending === null && !isEnded) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
          const value = pending;
          pending = null;
          return value === null || isEnded ? { done: true, value: undefined } : { done: false, value };
        },
        // at once, and not only after the next size as that of a generator
        return: async () => {
          end();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
