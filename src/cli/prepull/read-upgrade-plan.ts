/** The file of --from-plan. */
import { imagesOfUpgradePlan, type PlannedImages } from '../../domain/prepull/upgrade-plan-images.ts';
import { InputError } from '../../errors.ts';
import type { CommandContext } from '../context.ts';
import { placeOf, readInputText } from '../read-input.ts';

/** JSON or YAML; `-` is standard input. Throws InputError with the file, and the field that is wrong. */
export async function readUpgradePlan(file: string, kubeContext: string | null, context: CommandContext): Promise<PlannedImages> {
  const place = placeOf(file);
  const text = await readInputText(file, context);
  const planned = imagesOfUpgradePlan(await parsed(text, place), kubeContext);
  if (typeof planned === 'string') throw new InputError(place, planned, { suggestions: ['--from-plan reads an UpgradePlan, as JSON or YAML'] });
  if (planned.images.length === 0) throw new InputError(place, 'names no image that can be pulled', { suggestions: planned.leftOut.map(({ image, because }) => `${image}: ${because}`) });
  return planned;
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
