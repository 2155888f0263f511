import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertValid, compileClosed } from './schema.ts';

const FOLDER = join(import.meta.dirname, '../../docs/schemas/recipes');

export function recipeSchemaFiles(): readonly string[] {
  return readdirSync(FOLDER).toSorted();
}

/** Fails unless the document fits docs/schemas/recipes/<id>.schema.json, and has no field that is not described there. */
export function assertMatchesRecipeSchema(id: string, document: unknown): void {
  const schema: unknown = JSON.parse(readFileSync(join(FOLDER, `${id}.schema.json`), 'utf8'));
  assertValid(compileClosed(schema, false), document, `recipes/${id}.schema.json`);
}
