/** One document of a file, as plain JSON values. */
export interface ParsedDocument {
  readonly value: unknown;
  /** Line of its first content, from 1. */
  readonly line: number;
}

/** Deepest nesting that is read. Kubernetes objects stay below 100; deeper text is an attack or an accident. */
export const NESTING_LIMIT = 500;

/** Whether lists and maps are nested deeper than `limit`. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isNestedDeeper(item, limit - 1)) return true;
    return false;
  }
  const map = value as Readonly<Record<string, unknown>>;
  for (const key in map) if (isNestedDeeper(map[key], limit - 1)) return true;
  return false;
}
