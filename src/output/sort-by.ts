/** --sort-by: kubectl's own sorting by a field, and sorting by the name of a column. Sorting is stable and copies. */
import { UsageError } from '../errors.ts';
import { relaxJsonPath } from './custom-columns.ts';
import { compareGoStrings, isGoInteger, quoteGoString } from './go-values.ts';
import { findJsonPath, JsonPathError, parseJsonPath } from './jsonpath.ts';
import { compareQuantities } from './quantity-order.ts';
import type { Column } from './view.ts';

/**
 * The items in the order that --sort-by asks for: by a column when the text is the header of one (`build`, `KUBELET`),
 * else by a path into each item's document (`.build`, `{.containerRuntime.version}`).
 * Throws UsageError when neither is there, or when values cannot be compared.
 */
export function sortItems<Item>(
  items: readonly Item[],
  sortBy: string,
  columns: readonly Column<Item>[],
  documentOf: (item: Item) => unknown = (item) => item,
): Item[] {
  const wanted = sortBy.toUpperCase();
  const column = columns.find(({ header }) => header.toUpperCase() === wanted);
  if (column !== undefined) return sortByColumn(items, column);
  try {
    return sortByPath(items, sortBy, documentOf);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.message, {
      cause: error,
      suggestions: [`sort by a column: ${columns.map(({ header }) => header.toLowerCase()).join(', ')}`, 'or by a field that -o json shows: --sort-by=.name'],
    });
  }
}

/**
 * kubectl's order: items without the field first, numbers as numbers, strings that are quantities by size, other strings by their bytes
 * (https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/get/sorter.go, read 2026-11-30).
 */
export function sortByPath<Item>(items: readonly Item[], expression: string, documentOf: (item: Item) => unknown = (item) => item): Item[] {
  const field = relaxJsonPath(expression);
  const keyed = items.map((item) => ({ item, value: firstValue(field, documentOf(item)) }));
  if (items.length > 0 && keyed.every(({ value }) => value === undefined)) {
    throw new UsageError(`couldn't find any field with path ${quoteGoString(field)} in the list of objects`);
  }
  return keyed.sort((left, right) => compareFields(left.value, right.value, field)).map(({ item }) => item);
}

function firstValue(field: string, document: unknown): unknown {
  try {
    return findJsonPath(parseJsonPath(field), document, { allowMissingKeys: true })[0]?.[0];
  } catch (error) {
    if (error instanceof JsonPathError) throw new UsageError(`sorting error: ${error.message}`, { cause: error });
    throw error;
  }
}

function compareFields(left: unknown, right: unknown, field: string): number {
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === 'string' && typeof right === 'string') return compareQuantities(left, right) ?? compareGoStrings(left, right);
  if (typeof left === 'number' && typeof right === 'number' && isGoInteger(left) === isGoInteger(right)) return left - right;
  const types = [...new Set([typeNameOf(left), typeNameOf(right)])].sort();
  throw new UsageError(types.length === 1 ? `field ${field} is an unsortable type: ${types[0]}` : `field ${field} holds values of different types: ${types.join(', ')}`);
}

function typeNameOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return isGoInteger(value) ? 'integer' : 'float';
  return typeof value === 'object' ? 'map' : typeof value;
}

/**
 * By the text of a column as people read it: ages by time, numbers and quantities by size, `10.0.9` before `10.0.10`,
 * what is not known (`<none>`, `<unknown>`) last.
 */
export function sortByColumn<Item>(items: readonly Item[], column: Column<Item>): Item[] {
  const { sortKey } = column;
  if (sortKey !== undefined) {
    return items.map((item) => ({ item, key: sortKey(item) ?? Number.POSITIVE_INFINITY })).sort((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key))).map(({ item }) => item);
  }
  return items
    .map((item) => ({ item, text: column.value(item) }))
    .sort((left, right) => compareCells(left.text, right.text))
    .map(({ item }) => item);
}

let natural: Intl.Collator | undefined;

/** Made at the first use: it takes longer than all of a small table. */
function compareNaturally(left: string, right: string): number {
  natural ??= new Intl.Collator('en', { numeric: true });
  return natural.compare(left, right);
}

function compareCells(left: string, right: string): number {
  const leftMissing = isMissing(left);
  const rightMissing = isMissing(right);
  if (leftMissing || rightMissing) return Number(leftMissing) - Number(rightMissing);
  const leftAge = ageSeconds(left);
  const rightAge = ageSeconds(right);
  if (leftAge !== null && rightAge !== null) return leftAge - rightAge;
  const versions = DOTTED.test(left) && DOTTED.test(right);
  return (versions ? null : compareQuantities(left, right)) ?? compareNaturally(left, right);
}

/** Digits and dots are a version in our tables: revision 17763.100 comes after 17763.99. */
const DOTTED = /^\d+(\.\d+)+$/;

function isMissing(text: string): boolean {
  return text === '' || /^<[a-z ]+>$/.test(text);
}

const SECONDS_OF: Readonly<Record<string, number>> = { y: 365 * 86400, d: 86400, h: 3600, m: 60, s: 1 };

/** Seconds of an age as kubectl prints it (`3d4h`); null for other text. A bare `5m` is an age, not five thousandths. */
function ageSeconds(text: string): number | null {
  if (!/^(\d+[ydhms])+$/.test(text)) return null;
  let seconds = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)([ydhms])/g)) seconds += Number(count) * (SECONDS_OF[unit] ?? 0);
  return seconds;
}
