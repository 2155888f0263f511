import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROLOGUE_FILE, recipeText, scriptFile, type Recipe } from '../../domain/hostprocess/recipes/recipe.ts';
import { packageFile } from '../package-file.ts';

const FOLDER = join('src', 'domain', 'hostprocess', 'recipes');

/**
 * The text of a recipe as nodes run it. The scripts lie beside the bundle and not in it, so that whoever has to trust them can
 * read them where they were installed. Throws when the package was installed without them.
 */
export async function loadRecipe(recipe: Recipe): Promise<string> {
  const [prologue = '', script = ''] = await Promise.all([PROLOGUE_FILE, scriptFile(recipe)].map(async (file) => readFile(packageFile(join(FOLDER, file)), 'utf8')));
  return recipeText(prologue, script);
}
