import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const FOLDER = join(import.meta.dirname, '../../docs/schemas');

/** Kinds that have a committed schema. */
export const SCHEMA_KINDS = ['WindowsNodeList', 'Inventory', 'VersionInfo', 'CheckReport', 'CheckRuleList', 'ImageReport', 'PrepullReport', 'PrepullRunList', 'PrepullCleanup', 'SweepReport', 'RecipeReport', 'RecipeList', 'ExecReport', 'CopyReport'] as const;
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

const validators = new Map<SchemaKind, ValidateFunction>();

/** The committed schema as it is. */
export function readSchema(kind: SchemaKind): unknown {
  return JSON.parse(readFileSync(join(FOLDER, `${kind}.schema.json`), 'utf8'));
}

/**
 * Fails unless the document (as JSON: fields that are undefined are not there) fits docs/schemas/<kind>.schema.json.
 * Readers must accept fields they do not know, so the schemas are open; here a field that the schema does not
 * describe is a failure, for it would be a promise that nobody wrote down.
 */
export function assertMatchesSchema(kind: SchemaKind, document: unknown): void {
  const validate = validators.get(kind) ?? compileClosed(readSchema(kind), kind === 'Inventory');
  validators.set(kind, validate);
  assertValid(validate, document, `${kind}.schema.json`);
}

export function assertValid(validate: ValidateFunction, document: unknown, file: string): void {
  const valid = validate(JSON.parse(JSON.stringify(document)));
  const problems = (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? ''} ${JSON.stringify(error.params)}`);
  assert.ok(valid, `not as docs/schemas/${file} says:\n${problems.join('\n')}`);
}

/** What allows no field that it does not describe. */
export function compileClosed(schema: unknown, rawItems: boolean): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  ajv.addFormat('date-time', (text: string) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)));
  return ajv.compile(closed(schema, rawItems) as object);
}

/** The schema with every described object closed; the raw objects of an inventory stay open. */
function closed(schema: unknown, rawItems: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, rawItems));
  if (typeof schema !== 'object' || schema === null) return schema;
  const record = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, rawItems && name === 'items' ? value : closed(value, rawItems)]));
  const describesObject = record['type'] === 'object' && 'properties' in record;
  return describesObject && !('additionalProperties' in record) ? { ...record, additionalProperties: false } : record;
}
