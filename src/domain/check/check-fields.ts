/**
 * Unknown fields and wrong types of an object of a built-in kind, as the API server's strict decoding sees them
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation, read 2026-11-30). Values of another
 * kind, and what the server checks only after it has decoded an object, are no business of it.
 */
import type { Fix } from './finding.ts';
import type { ManifestProblem } from './manifest-problem.ts';
import type { FieldPath } from '../kubernetes/field-path.ts';
import { formatFieldPath } from '../kubernetes/field-path.ts';
import { isRecord, type KubeObject } from '../kubernetes/object.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';
import type { FieldType, KubernetesSchema, ScalarForm } from '../kubernetes/schema/kubernetes-schema.ts';
import { nearestField } from '../kubernetes/schema/nearest-field.ts';

/** Problems of one object that are told; one that is generated wrong has the same one a thousand times. */
const MOST_PROBLEMS = 100;

/** Kinds that are not built in have no problems. */
export function checkFields(object: KubeObject, schema: KubernetesSchema): readonly ManifestProblem[] {
  if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string') return NONE;
  const type = schema.typeOf(object.apiVersion, object.kind);
  if (type === null) return NONE;
  const walk: Walk = { schema, path: [], types: [], found: [], version: schema.version, root: object };
  checkObject(walk, object, type);
  return walk.found;
}

const NONE: readonly ManifestProblem[] = [];

interface Walk {
  readonly schema: KubernetesSchema;
  readonly version: string;
  readonly root: KubeObject;
  /** Where the walk is. */
  readonly path: (string | number)[];
  /** Types of the objects above, with the length of their path. */
  readonly types: { readonly type: number; readonly depth: number }[];
  readonly found: ManifestProblem[];
}

function checkValue(walk: Walk, value: unknown, field: FieldType): void {
  if (value === null) return;
  switch (field.form) {
    case 'object':
      if (!isRecord(value)) refuse(walk, value, 'a map');
      else checkObject(walk, value, field.type);
      return;
    case 'list': {
      if (!Array.isArray(value)) {
        refuse(walk, value, 'a list');
        return;
      }
      const depth = walk.path.length;
      for (let index = 0; index < value.length; index++) {
        walk.path[depth] = index;
        checkValue(walk, value[index], field.of);
      }
      walk.path.length = depth;
      return;
    }
    case 'map': {
      if (!isRecord(value)) {
        refuse(walk, value, 'a map');
        return;
      }
      const depth = walk.path.length;
      for (const key in value) {
        walk.path[depth] = key;
        checkValue(walk, value[key], field.of);
      }
      walk.path.length = depth;
      return;
    }
    case 'any':
      return;
    case 'string':
      if (typeof value !== 'string') refuse(walk, value, 'text', typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined);
      return;
    case 'boolean': case 'bytes': case 'int32': case 'int64': case 'double': case 'quantity': case 'int-or-string': case 'time': case 'micro-time':
      checkScalar(walk, value, field.form);
      return;
  }
}

function checkObject(walk: Walk, value: Readonly<Record<string, unknown>>, type: number): void {
  if (walk.found.length >= MOST_PROBLEMS) return;
  const { path, types } = walk;
  const fields = walk.schema.fieldsOf(type);
  const depth = path.length;
  types.push({ type, depth });
  for (const key in value) {
    path[depth] = key;
    const field = fields.get(key);
    if (field === undefined) refuseUnknown(walk, key, value, fields);
    else checkValue(walk, value[key], field);
  }
  path.length = depth;
  types.pop();
}

function checkScalar(walk: Walk, value: unknown, form: Exclude<ScalarForm, 'string' | 'any'>): void {
  switch (form) {
    case 'boolean':
      if (typeof value !== 'boolean') refuse(walk, value, 'true or false', BOOLEAN_WORDS.get(value));
      return;
    case 'int32':
      checkInteger(walk, value, 2 ** 31, 'a whole number');
      return;
    case 'int64':
      checkInteger(walk, value, 2 ** 63, 'a whole number');
      return;
    case 'double':
      if (typeof value !== 'number') refuse(walk, value, 'a number', numberOf(value));
      return;
    case 'int-or-string':
      if (typeof value !== 'string') checkInteger(walk, value, 2 ** 31, 'a whole number or text');
      return;
    case 'quantity':
      if (typeof value === 'number' ? !isQuantity(String(value)) : typeof value !== 'string' || !isQuantity(value)) refuse(walk, value, 'a quantity such as 500m or 2Gi');
      return;
    case 'bytes':
      // Go takes the bytes as numbers, too
      if (typeof value === 'string' ? !isBase64(value) : !Array.isArray(value) || !value.every(isByte)) refuse(walk, value, 'text in base64');
      return;
    case 'time':
      if (typeof value !== 'string' || !isTime(value)) refuse(walk, value, 'a time such as 2026-11-30T08:30:00Z');
      return;
    case 'micro-time':
      if (typeof value !== 'string' || !isTime(value) || !/T\d\d:\d\d:\d\d[.,]\d{6}\D/.test(value)) refuse(walk, value, 'a time such as 2026-11-30T08:30:00.000000Z');
      return;
  }
}

/** Numbers become JSON as kubectl writes them: 80.0 is 80. */
function checkInteger(walk: Walk, value: unknown, limit: number, wanted: string): void {
  if (typeof value !== 'number' || !Number.isInteger(value)) refuse(walk, value, wanted, integerOf(value, limit));
  // the double of the largest int64 is 2^63 itself: such a number stands for it
  else if (value < -limit || value > limit || (value === limit && limit < 2 ** 53)) refuse(walk, value, `${wanted}${limit === 2 ** 31 ? ' from -2147483648 to 2147483647' : ' of 64 bits'}`);
}

/** The server cuts white space off: https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/api/resource/quantity.go (UnmarshalJSON), read 2026-11-30 */
function isQuantity(text: string): boolean {
  return parseQuantity(text.trim()) !== null;
}

/** Go's base64.StdEncoding, which passes over line breaks. */
function isBase64(text: string): boolean {
  const digits = text.replaceAll(/[\r\n]/g, '');
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
}

function isByte(value: unknown): boolean {
  return value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256);
}

const TIME = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))$/;

/** RFC 3339 as Go reads it. */
function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60 && zoneHour <= 24 && zoneMinute < 60;
}

const BOOLEAN_WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([['true', true], ['True', true], ['yes', true], ['false', false], ['False', false], ['no', false]]);

function integerOf(value: unknown, limit: number): number | undefined {
  const number = numberOf(value);
  return number !== undefined && Number.isSafeInteger(number) && Math.abs(number) < limit ? number : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(value) ? Number(value) : undefined;
}

/** `replacement`: the same value as it should be written, where that is certain. */
function refuse(walk: Walk, value: unknown, wanted: string, replacement?: string | number | boolean): void {
  if (walk.found.length >= MOST_PROBLEMS) return;
  const path = walk.path.slice();
  const fix: Fix | null = replacement === undefined ? null : {
    title: `write ${formatFieldPath(path)} as ${shown(replacement)}`,
    edits: [{ op: 'set', path, value: replacement }],
    // of `yes` or 014 only the value is known here, not what the author wrote
    isSafe: typeof value === 'string',
  };
  const last = path.at(-1);
  const what = typeof last === 'number' ? `item ${last} of ${String(path.findLast((step) => typeof step === 'string') ?? 'the list')}` : (last ?? 'the object');
  walk.found.push({ kind: 'wrong-type', path, message: `${what} is ${describe(value)}, where Kubernetes wants ${wanted}${replacement === undefined ? '' : `: did you mean ${shown(replacement)}?`}`, place: null, fix });
}

function refuseUnknown(walk: Walk, key: string, parent: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, FieldType>): void {
  if (walk.found.length >= MOST_PROBLEMS) return;
  const { path } = walk;
  const where = path.slice();
  const above = path.length === 1 ? String(walk.root.kind) : formatFieldPath(path.slice(0, -1));
  const said = `${shown(key)} is no field of ${above} in Kubernetes ${walk.version.replace(/^v(\d+\.\d+).*/, '$1')}`;
  const nearest = nearestField(key, fields.keys());
  // a field of the same name in an object above: a wrong indentation
  const home = nearest !== null && sameLetters(nearest, key) ? undefined : walk.types.slice(0, -1).findLast(({ type }) => walk.schema.fieldsOf(type).has(key));
  if (home !== undefined) {
    const target: FieldPath = [...path.slice(0, home.depth), key];
    walk.found.push({ kind: 'unknown-field', path: where, message: `${said}: did you mean ${formatFieldPath(target)}?`, place: null, fix: null });
    return;
  }
  const isFree = nearest !== null && !Object.hasOwn(parent, nearest);
  const fix: Fix | null = nearest === null || !isFree ? null : {
    title: `rename ${formatFieldPath(where)} to ${nearest}`,
    edits: [{ op: 'remove', path: where }, { op: 'set', path: [...where.slice(0, -1), nearest], value: parent[key] }],
    isSafe: false,
  };
  walk.found.push({ kind: 'unknown-field', path: where, message: `${said}${nearest === null ? '' : `: did you mean ${nearest}?`}`, place: null, fix });
}

function sameLetters(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** Characters of a value that are shown. */
const SHOWN = 60;

function shown(value: string | number | boolean): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${shown(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'boolean' ? `the boolean ${String(value)}` : 'a map';
}
