/** The JSON document among what a recipe has printed. */
import type { Recipe } from './recipe.ts';

/** A document of a recipe: the head that all have; the rest is as the schema of the recipe says. */
export interface RecipeDocument {
  readonly recipe: string;
  readonly schemaVersion: number;
  readonly problems: readonly { readonly part: string; readonly message: string }[];
  readonly [part: string]: unknown;
}

export type RecipeOutput = { readonly data: RecipeDocument } | { readonly problem: string };

/**
 * The document, or a sentence why there is none. Other lines may stand around it: a profile, a policy or a tool of the node can
 * print something of its own.
 */
export function readRecipeOutput({ id, schemaVersion }: Pick<Recipe, 'id' | 'schemaVersion'>, stdout: string): RecipeOutput {
  const head = `{"recipe":${JSON.stringify(id)},`;
  const start = stdout.lastIndexOf(head);
  if (start === -1) return { problem: stdout.trim() === '' ? `recipe ${id} has printed nothing` : `recipe ${id} has printed no document, but ${JSON.stringify(shortened(stdout.trim()))}` };
  const end = stdout.indexOf('\n', start);
  const document = parsed(stdout.slice(start, end === -1 ? undefined : end).trimEnd());
  if (document === null) return { problem: `the document of recipe ${id} is cut off or damaged after ${stdout.length - start} characters` };
  if (document['schemaVersion'] !== schemaVersion) return { problem: `the document of recipe ${id} has schemaVersion ${JSON.stringify(document['schemaVersion'])}, and this program reads ${schemaVersion}` };
  if (!isProblemList(document['problems'])) return { problem: `the document of recipe ${id} has no list of problems` };
  return { data: { ...document, recipe: id, schemaVersion, problems: document['problems'] } };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>; // it begins with a brace
  } catch {
    return null;
  }
}

function isProblemList(value: unknown): value is RecipeDocument['problems'] {
  return Array.isArray(value) && value.every((one: unknown) => typeof one === 'object' && one !== null && 'part' in one && typeof one.part === 'string' && 'message' in one && typeof one.message === 'string');
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}...`;
}
