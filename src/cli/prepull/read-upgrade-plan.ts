/** The file of --from-plan. */
import { imagesOfUpgradePlan, type PlannedImages } from '../../domain/prepull/upgrade-plan-images.ts';
import { InputError } from '../../errors.ts';
import type { CommandContext } from '../context.ts';
import { parseInput, placeOf, readInputText } from '../read-input.ts';

/** JSON or YAML; `-` is standard input. Throws InputError with the file, and the field that is wrong. */
export async function readUpgradePlan(file: string, kubeContext: string | null, context: CommandContext): Promise<PlannedImages> {
  const place = placeOf(file);
  const text = await readInputText(file, context);
  const planned = imagesOfUpgradePlan(await parseInput(text, place), kubeContext);
  if (typeof planned === 'string') throw new InputError(place, planned, { suggestions: ['--from-plan reads an UpgradePlan, as JSON or YAML'] });
  if (planned.images.length === 0) throw new InputError(place, 'names no image that can be pulled', { suggestions: planned.leftOut.map(({ image, because }) => `${image}: ${because}`) });
  return planned;
}
