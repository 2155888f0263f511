import type { Readable, Writable } from 'node:stream';
import { interruption } from '../http/network-error.ts';

/** More is no answer. */
const LONGEST_ANSWER = 4096;

/**
 * Asks on stderr and waits for a line of the terminal on standard input; gives it without its end, and '' where input ends before one.
 * null where standard input or stderr is no terminal, so that nobody can be asked. Throws what the signal is aborted with.
 */
export async function ask(question: string, input: Readable & { readonly isTTY?: boolean }, stderr: Writable & { readonly isTTY?: boolean }, signal: AbortSignal): Promise<string | null> {
  if (input.isTTY !== true || stderr.isTTY !== true) return null;
  if (signal.aborted) throw interruption(signal);
  stderr.write(question);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const decoder = new TextDecoder();
  let text = '';
  const onData = (chunk: Uint8Array | string): void => {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const end = text.search(/[\r\n]/);
    if (end !== -1) resolve(text.slice(0, end));
    else if (text.length > LONGEST_ANSWER) resolve('');
  };
  const onEnd = (): void => resolve('');
  const onError = (error: unknown): void => reject(error);
  const onAbort = (): void => reject(interruption(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
  input.resume();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    input.pause();
    input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
    // what was not ended by Enter leaves the cursor behind the question
    if (!/[\r\n]/.test(text)) stderr.write('\n');
  }
}
