/** The file of --from-plan. */
import { imagesOfUpgradePlan, type PlannedImages } from '../../domain/prepull/upgrade-plan-images.ts';
import { InputError } from '../../errors.ts';
import type { CommandContext } from '../context.ts';

/** Of what is piped in; a plan of ten thousand images is a tenth of it. */
const MOST_BYTES = 2 ** 26;

/** JSON or YAML; `-` is standard input. Throws InputError with the file, and the field that is wrong. */
export async function readUpgradePlan(file: string, kubeContext: string | null, { ports, stdin, signal }: CommandContext): Promise<PlannedImages> {
  const place = { file: file === '-' ? 'stdin' : file };
  let text: string;
  try {
    text = file === '-' ? await textOf(stdin, signal) : await ports.readTextFile(file, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new InputError(place, `cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const planned = imagesOfUpgradePlan(await parsed(text, place), kubeContext);
  if (typeof planned === 'string') throw new InputError(place, planned, { suggestions: ['--from-plan reads an UpgradePlan, as JSON or YAML'] });
  if (planned.images.length === 0) throw new InputError(place, 'names no image that can be pulled', { suggestions: planned.leftOut.map(({ image, because }) => `${image}: ${because}`) });
  return planned;
}

async function textOf(stdin: CommandContext['stdin'], signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void stdin.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(chunk as Buffer);
      size += bytes.length;
      if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
      chunks.push(bytes);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function parsed(text: string, place: { readonly file: string }): Promise<unknown> {
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
