import { UsageError } from '../errors.ts';
import { ColumnWriter, type ColumnRow } from './column-writer.ts';
import { parseCustomColumns, parseCustomColumnsFile, renderCustomColumns, type CustomColumn } from './custom-columns.ts';
import { renderCsv } from './csv.ts';
import { quoteGoString } from './go-values.ts';
import { renderHtml } from './html.ts';
import { isLazyList, renderJson } from './json.ts';
import { JsonPathError, parseJsonPath, printJsonPath, type JsonPath } from './jsonpath.ts';
import { renderMarkdown } from './markdown.ts';
import { visibleControls } from './terminal-text.ts';
import type { Column, RenderedFormat, View } from './view.ts';
import { renderYaml } from './yaml.ts';

/** What -o asked for, read and checked before anything is fetched. */
export type OutputFormat =
  | { readonly name: 'table' | 'wide' | 'json' | 'yaml' | 'name' | 'markdown' | 'csv' | 'html' | ReportFormat }
  | { readonly name: 'jsonpath'; readonly path: JsonPath; readonly asJson: boolean }
  | { readonly name: 'custom-columns'; readonly columns: readonly CustomColumn[]; readonly fromFile: boolean };

/** Formats that only views with a rendering of their own have. */
const REPORT_FORMATS = ['github', 'junit', 'sarif'] as const;

type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Reads a file that a format names; throws when it cannot. */
export type ReadTextFile = (path: string) => string;

type ReadFormat = (argument: string, readFile: ReadTextFile) => OutputFormat;

/** The formats, as help lists them. What needs an argument (`jsonpath=…`) has it after `=`. */
const FORMATS = {
  'csv': () => ({ name: 'csv' }),
  'custom-columns': (argument) => ({ name: 'custom-columns', columns: parseCustomColumns(argument), fromFile: false }),
  'custom-columns-file': (argument, readFile) => ({ name: 'custom-columns', columns: readCustomColumnsFile(argument, readFile), fromFile: true }),
  'github': () => ({ name: 'github' }),
  'html': () => ({ name: 'html' }),
  'json': () => ({ name: 'json' }),
  'jsonpath': (argument) => readJsonPath(argument, false),
  'jsonpath-as-json': (argument) => readJsonPath(argument, true),
  'jsonpath-file': (argument, readFile) => readJsonPathFile(argument, readFile),
  'junit': () => ({ name: 'junit' }),
  'markdown': () => ({ name: 'markdown' }),
  'name': () => ({ name: 'name' }),
  'sarif': () => ({ name: 'sarif' }),
  'table': () => ({ name: 'table' }),
  'wide': () => ({ name: 'wide' }),
  'yaml': () => ({ name: 'yaml' }),
} as const satisfies Readonly<Record<string, ReadFormat>>;

type FormatName = keyof typeof FORMATS;

/** Names of the formats that every view has, in alphabetical order: help and the error for an unknown one list them. */
export const OUTPUT_FORMATS: readonly FormatName[] = (Object.keys(FORMATS) as FormatName[]).filter((name) => !(REPORT_FORMATS as readonly string[]).includes(name)).sort();

/** As OUTPUT_FORMATS, for commands whose result is a report of findings. */
export const FINDING_FORMATS: readonly FormatName[] = [...OUTPUT_FORMATS, ...REPORT_FORMATS].sort();

const WITH_ARGUMENT: ReadonlySet<string> = new Set(['custom-columns', 'custom-columns-file', 'jsonpath', 'jsonpath-as-json', 'jsonpath-file']);

/**
 * Reads the value of -o; '' is the table. Throws UsageError in kubectl's words for unknown formats (go-template is one of
 * them), for templates that do not parse, and for files that cannot be read.
 * `allowed` narrows the formats to those that a command has.
 */
export function parseOutputFormat(text: string, readFile: ReadTextFile, allowed: readonly string[] = OUTPUT_FORMATS): OutputFormat {
  if (text === '') return { name: 'table' };
  const equals = text.indexOf('=');
  const written = equals === -1 ? text : text.slice(0, equals);
  // kubectl takes JSON and YAML in capitals too, and nothing else.
  const lowered = text.toLowerCase();
  const name = lowered === 'json' || lowered === 'yaml' ? lowered : written;
  if (!isFormatName(name) || !allowed.includes(name) || (equals !== -1 && !WITH_ARGUMENT.has(name))) {
    throw new UsageError(`unable to match a printer suitable for the output format ${quoteGoString(text)}, allowed formats are: ${[...allowed].sort().join(',')}`);
  }
  return FORMATS[name](equals === -1 ? '' : text.slice(equals + 1), readFile);
}

function isFormatName(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name);
}

function readJsonPath(template: string, asJson: boolean): OutputFormat {
  if (template === '') throw new UsageError('template format specified but no template given');
  try {
    return { name: 'jsonpath', path: parseJsonPath(template), asJson };
  } catch (error) {
    if (error instanceof JsonPathError) throw new UsageError(`error parsing jsonpath ${template}, ${error.message}`, { cause: error });
    throw error;
  }
}

function readJsonPathFile(file: string, readFile: ReadTextFile): OutputFormat {
  if (file === '') throw new UsageError('template format specified but no template given');
  return readJsonPath(readOrExplain(file, readFile, 'error reading --template'), false);
}

function readCustomColumnsFile(file: string, readFile: ReadTextFile): CustomColumn[] {
  if (file === '') throw new UsageError('custom-columns format specified but no custom columns given');
  return parseCustomColumnsFile(readOrExplain(file, readFile, 'error reading template'));
}

function readOrExplain(file: string, readFile: ReadTextFile, what: string): string {
  try {
    return readFile(file);
  } catch (error) {
    throw new UsageError(`${what} ${file}, ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

export interface RenderOptions {
  /** kubectl's --no-headers: for table, wide, custom-columns and csv. */
  readonly noHeaders?: boolean;
  /** Paint the table's cells: what allowsColour says of stdout. */
  readonly colour?: boolean;
}

/**
 * The view in a format, as text in chunks for writeOut. A table or a list of names without items is no text at all; the
 * caller says `view.emptyMessage` on stderr. Throws UsageError where a path does not fit the document.
 */
export async function render<Item>(view: View<Item>, format: OutputFormat, options: RenderOptions = {}): Promise<Iterable<string>> {
  const rendering = isRendered(format.name) ? view.renderings?.[format.name] : undefined;
  if (rendering !== undefined) return rendering(options);
  switch (format.name) {
    case 'github':
    case 'junit':
    case 'sarif':
      throw new UsageError(`the output format ${format.name} is for reports of findings`);
    case 'table':
    case 'wide': {
      const columns = columnsOf(view, format.name === 'wide');
      return new ColumnWriter(columns.map(({ header }) => header), options).format(view.items.map((item) => columnRow(columns, item, options.colour === true)));
    }
    case 'json':
      return renderJson(view.document());
    case 'yaml':
      return renderYaml(view.document());
    case 'name':
      return view.items.map((item) => `${visibleControls(view.nameOf(item))}\n`);
    case 'markdown':
      return renderMarkdown(view);
    case 'html':
      return renderHtml(view);
    case 'csv':
      return renderCsv(view, options);
    case 'jsonpath':
      return [printJsonPath(format.path, withArrays(view.document()), { asJson: format.asJson })];
    case 'custom-columns': {
      const document = withArrays(view.document());
      const items = document[view.listField ?? 'items'];
      // kubectl shows the headers of a custom-columns file whatever --no-headers says (customcolumn.go, NewCustomColumnsPrinterFromTemplate).
      return renderCustomColumns(format.columns, Array.isArray(items) ? items : [document], { noHeaders: options.noHeaders === true && !format.fromFile });
    }
  }
}

function isRendered(name: OutputFormat['name']): name is RenderedFormat {
  return name !== 'json' && name !== 'yaml' && name !== 'csv' && name !== 'jsonpath' && name !== 'custom-columns';
}

/** The document with its lists in memory, for paths that go to and fro in it. */
function withArrays(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, isLazyList(value) ? [...value] : value]));
}

/** The columns that a table shows. */
export function columnsOf<Item>(view: Pick<View<Item>, 'columns'>, wide: boolean): readonly Column<Item>[] {
  return wide ? view.columns : view.columns.filter((column) => column.wide !== true);
}

/** One item as a row for ColumnWriter, as a watch needs it too. */
export function columnRow<Item>(columns: readonly Column<Item>[], item: Item, colour: boolean): ColumnRow {
  const cells = columns.map(({ value }) => value(item));
  return colour ? { cells, tones: columns.map(({ tone }) => tone?.(item) ?? 'plain') } : { cells };
}
