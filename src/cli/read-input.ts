/** What a flag names as a file, or `-` for standard input. */
import { InputError } from '../errors.ts';
import type { CommandContext } from './context.ts';

/** Of what is piped in where a flag says nothing else. */
const MOST_BYTES = 2 ** 26;

/** As errors name it. */
export function placeOf(file: string): { readonly file: string } {
  return { file: file === '-' ? 'stdin' : file };
}

/** Text of a small file, or of standard input. Throws InputError that names it. */
export async function readInputText(file: string, context: Pick<CommandContext, 'ports' | 'stdin' | 'signal'>): Promise<string> {
  const { ports, stdin, signal } = context;
  try {
    return file === '-' ? (await readStandardInput(stdin, signal)).toString('utf8') : await ports.readTextFile(file, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new InputError(placeOf(file), `cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** All of it; throws where it has more than `mostBytes`, and what the signal is aborted with. */
export async function readStandardInput(stdin: CommandContext['stdin'], signal: AbortSignal, mostBytes = MOST_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stdin.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(chunk as Buffer);
      size += bytes.length;
      if (size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
      chunks.push(bytes);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks);
}

/** JSON or YAML. Throws InputError. */
export async function parseInput(text: string, place: { readonly file: string }): Promise<unknown> {
  const isJson = text.trimStart().startsWith('{');
  try {
    if (isJson) return JSON.parse(text) as unknown;
    const { parse } = await import('yaml');
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new InputError(place, `is no ${isJson ? 'JSON' : 'YAML'}: ${line}`, { cause: error });
  }
}
