/**
 * Kubernetes objects as they are on the wire: plain JSON that nothing was dropped from.
 * Files and old servers hold objects of any shape, so the readers below answer `undefined` for a field that is
 * missing *or of another type*; they never throw.
 */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** A JSON object; arrays and null are none. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of field names, or undefined as soon as a step is missing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    if (!isRecord(current) || !Object.hasOwn(current, step)) return undefined;
    current = current[step];
  }
  return current;
}

export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

export function booleanAt(value: unknown, ...path: readonly string[]): boolean | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'boolean' ? found : undefined;
}

/** The array at a path; an empty one when it is missing or no array. */
export function arrayAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The map at a path; an empty one when it is missing or no map. */
export function recordAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  const found = valueAt(value, ...path);
  return isRecord(found) ? found : {};
}

/** String values of the map at a path (labels, annotations, capacity); entries of other types are left out. */
export function stringMapAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = valueAt(value, ...path);
  if (!isRecord(found)) return {};
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** `metadata.name`, or an empty string where there is none. */
export function nameOf(object: unknown): string {
  return stringAt(object, 'metadata', 'name') ?? '';
}

/** `metadata.namespace`, or `default`, where kubectl puts an object without one. Of no use for objects of the cluster as a whole. */
export function namespaceOf(object: unknown): string {
  return stringAt(object, 'metadata', 'namespace') ?? 'default';
}

/** What a value of a file is, in words: `a list`, `text`, `the number 3`. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'boolean') return `the boolean ${String(value)}`;
  return typeof value === 'object' ? 'a map' : 'nothing';
}

/** A field of a map from outside, without the prototype's. */
export function ownValue<Value>(map: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
