/**
 * kubectl's -o custom-columns: paths into each object, `<none>` for what is missing, several values joined by commas
 * (https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/get/customcolumn.go, read 2026-11-30).
 * One difference: a value of several lines is cut at its first line break with `...` and tabs are shown as `\t`, as in any other
 * cell; kubectl lets them through, and with them lines that look like rows of their own.
 */
import { UsageError } from '../errors.ts';
import { ColumnWriter } from './column-writer.ts';
import { printGoValue } from './go-values.ts';
import { findJsonPath, JsonPathError, parseJsonPath, type JsonPath } from './jsonpath.ts';

export interface CustomColumn {
  readonly header: string;
  readonly path: JsonPath;
}

/** `metadata.name`, `.metadata.name`, `{metadata.name}` and `{.metadata.name}` are all `{.metadata.name}`. Throws UsageError. */
export function relaxJsonPath(expression: string): string {
  if (expression === '') return '';
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(expression);
  if (match === null) {
    throw new UsageError("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'");
  }
  return `{.${match[1] ?? match[2] ?? ''}}`;
}

/** Reads `NAME:.metadata.name,OS:.status.nodeInfo.osImage`. Throws UsageError. */
export function parseCustomColumns(spec: string): CustomColumn[] {
  if (spec === '') throw new UsageError('custom-columns format specified but no custom columns given');
  return spec.split(',').map((part) => {
    const colon = part.indexOf(':');
    if (colon === -1) throw new UsageError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return customColumn(part.slice(0, colon), part.slice(colon + 1));
  });
}

/** Reads the two lines of a custom-columns file: headers, and under them paths, both separated by blanks. Throws UsageError. */
export function parseCustomColumnsFile(text: string): CustomColumn[] {
  const [headerLine, specLine] = linesOf(text);
  const expected = 'Expected format is one line of space separated headers, one line of space separated column specs.';
  if (headerLine === undefined) throw new UsageError(`invalid template, missing header line. ${expected}`);
  if (specLine === undefined) throw new UsageError(`invalid template, missing spec line. ${expected}`);
  const headers = wordsOf(headerLine);
  const specs = wordsOf(specLine);
  if (headers.length !== specs.length) throw new UsageError(`number of headers (${headers.length}) and field specifications (${specs.length}) don't match`);
  return headers.map((header, index) => customColumn(header, specs[index] ?? ''));
}

/** The first lines of a text as Go's scanner counts them: a line end at the end begins no further line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function wordsOf(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== '');
}

function customColumn(header: string, expression: string): CustomColumn {
  const path = relaxJsonPath(expression);
  try {
    return { header, path: parseJsonPath(path) };
  } catch (error) {
    throw asUsageError(error, expression);
  }
}

function asUsageError(error: unknown, expression: string): unknown {
  return error instanceof JsonPathError ? new UsageError(`${error.message}, in the custom column ${expression}`, { cause: error }) : error;
}

/** The text of one cell, before it is made safe for the terminal. Throws UsageError where the path does not fit the object. */
export function customColumnValue(column: CustomColumn, object: unknown): string {
  let found: unknown[][];
  try {
    found = findJsonPath(column.path, object, { allowMissingKeys: true });
  } catch (error) {
    throw asUsageError(error, column.path.template);
  }
  const values = found.flatMap((results) => results.map(printGoValue));
  if ((found[0] ?? []).length === 0) values.unshift('<none>');
  return values.join(',');
}

/** A table of the objects under the given columns. */
export async function renderCustomColumns(
  columns: readonly CustomColumn[],
  objects: readonly unknown[],
  options: { readonly noHeaders?: boolean } = {},
): Promise<Iterable<string>> {
  // kubectl leaves an empty string empty here, and says <none> only where nothing was found.
  const writer = new ColumnWriter(columns.map((column) => column.header), { noHeaders: options.noHeaders ?? false, emptyCell: '' });
  if (objects.length === 0) return [await writer.formatHeader()];
  return writer.format(objects.map((object) => ({ cells: columns.map((column) => customColumnValue(column, object)) })));
}
