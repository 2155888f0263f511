import type { ManifestObject } from '../../app/ports.ts';
import { checkFields } from '../../domain/check/check-fields.ts';
import type { FilePlace, ManifestProblem, UnreadableDocument } from '../../domain/check/manifest-problem.ts';
import { stepsBelow, type FieldPath } from '../../domain/kubernetes/field-path.ts';
import { describeValue, isRecord, nameOf, type KubeObject } from '../../domain/kubernetes/object.ts';
import type { KubernetesSchema } from '../../domain/kubernetes/schema/kubernetes-schema.ts';
import { InputError } from '../../errors.ts';
import { foreignKind } from '../inventory/foreign-kind.ts';
import { parseJsonDocuments } from '../inventory/json-documents.ts';
import { refuseKnownMistakes } from '../inventory/parse-documents.ts';
import type { Chunk } from '../inventory/yaml-documents.ts';
import { jsonPlaces, type JsonPlaces } from './json-places.ts';
import { templateIn } from './template-text.ts';
import { textPlaces, type TextPlaces, type TextRange } from './text-places.ts';
import type { DuplicateKey, YamlPlaces } from './yaml-places.ts';

export interface ReadTextOptions {
  /** null: fields are not checked. Asked for only when there is an object. */
  readonly schema: (() => Promise<KubernetesSchema>) | null;
  /** true: a document without apiVersion and kind is no object that was meant for Kubernetes, and left out. */
  readonly skipsForeign?: boolean;
}

/** A document that is no Kubernetes object; given instead of an object where the options say so, and for what this program wrote itself. */
export interface ForeignDocument {
  readonly foreign: 'other' | 'report';
}

type ReadItem = ManifestObject | UnreadableDocument | ForeignDocument;

/** js-yaml is loaded only when there is YAML to read. */
async function loadYaml(): Promise<YamlModules> {
  const [{ linesBeforeContent, parseYamlChunk, splitAtMarkers }, { yamlPlaces }] = await Promise.all([import('../inventory/yaml-documents.ts'), import('./yaml-places.ts')]);
  return { linesBeforeContent, parseYamlChunk, splitAtMarkers, yamlPlaces };
}

interface YamlModules {
  readonly linesBeforeContent: (text: string) => number;
  readonly parseYamlChunk: (chunk: Chunk, file: string, duplicates: 'kept') => { readonly documents: readonly unknown[]; readonly hasDuplicates: boolean };
  readonly splitAtMarkers: (text: string, file: string) => Iterable<Chunk>;
  readonly yamlPlaces: (text: string) => YamlPlaces;
}

/**
 * The objects of a text, Lists unrolled, one document after the other. A document that cannot be read is given with its
 * place, and the rest is read. Each object holds on to the text of its document, for places.
 */
export async function* readManifestText(text: string, file: string, options: ReadTextOptions): AsyncGenerator<ReadItem> {
  const sheet: Sheet = { file, options, schema: null, hasContent: false };
  try {
    refuseKnownMistakes(text, file);
  } catch (error) {
    yield unreadable(sheet, error, 1);
    return;
  }
  if (looksLikeJson(text)) {
    const documents = wholeJson(text, file);
    if (documents !== null) {
      yield* objectsOfPart(sheet, documents);
      return;
    }
  }
  const yaml = await loadYaml();
  let isEmpty = true;
  try {
    for (const chunk of yaml.splitAtMarkers(text, file)) {
      for await (const item of objectsOfChunk(sheet, chunk, yaml)) {
        isEmpty = false;
        yield item;
      }
    }
  } catch (error) {
    isEmpty = false;
    yield unreadable(sheet, error, 1);
  }
  if (isEmpty && !sheet.hasContent && options.skipsForeign !== true) {
    yield { file, line: 1, column: null, message: 'the input holds no objects, only white space or comments', suggestions: ['check that the command that wrote it succeeded'] };
  }
}

interface Sheet {
  readonly file: string;
  readonly options: ReadTextOptions;
  schema: KubernetesSchema | null;
  /** Whether a document holds anything, if only an empty List. */
  hasContent: boolean;
}

/** Documents of one piece of text, and how to find things in it. */
interface Part {
  readonly documents: readonly PartDocument[];
  readonly places: TextPlaces;
  find(document: number, path: FieldPath): TextRange;
}

interface PartDocument {
  readonly value: unknown;
  readonly duplicates: readonly DuplicateKey[];
}

function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text.slice(0, 65_536));
}

function wholeJson(text: string, file: string): Part | null {
  try {
    return jsonPart(text, file, 1);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** Throws InputError. */
function jsonPart(text: string, file: string, firstLine: number): Part {
  const documents = parseJsonDocuments(text, file);
  let cached: JsonPlaces | undefined;
  const json = (): JsonPlaces => (cached ??= jsonPlaces(text));
  return {
    places: textPlaces(file, text, firstLine),
    documents: documents.map(({ value, start }, index) => ({
      value, duplicates: json().hasDuplicates(start, documents[index + 1]?.start ?? text.length, value) ? json().duplicates(start) : [],
    })),
    find: (document, path) => json().find(documents[document]?.start ?? 0, path),
  };
}

/** The text in which something was found last. Only one is kept: the tree of a text takes many times its size. */
let recent: { readonly chunk: Chunk; readonly places: YamlPlaces } | null = null;

/** Throws InputError. */
function yamlPart(chunk: Chunk, file: string, yaml: YamlModules): Part {
  const { documents, hasDuplicates } = yaml.parseYamlChunk(chunk, file, 'kept');
  const places = (): YamlPlaces => {
    if (recent?.chunk !== chunk) recent = { chunk, places: yaml.yamlPlaces(chunk.text) };
    return recent.places;
  };
  return {
    places: textPlaces(file, chunk.text, chunk.line),
    documents: documents.map((value, index) => ({ value, duplicates: hasDuplicates ? places().duplicates(index) : [] })),
    find: (document, path) => places().find(document, path),
  };
}

async function* objectsOfChunk(sheet: Sheet, chunk: Chunk, yaml: YamlModules): AsyncGenerator<ReadItem> {
  const { file } = sheet;
  const bare = looksLikeJson(chunk.text.replace(/^---[^\n]*\n/, ''));
  let jsonError: unknown = null;
  if (bare) {
    const lead = /^---[^\n]*\n/.exec(chunk.text)?.[0].length ?? 0;
    try {
      // blanks in place of the marker: offsets stay those of the chunk
      const part = jsonPart(lead === 0 ? chunk.text : `${' '.repeat(lead - 1)}\n${chunk.text.slice(lead)}`, file, chunk.line);
      yield* objectsOfPart(sheet, part);
      return;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      jsonError = error;
    }
  }
  let part: Part;
  try {
    part = yamlPart(chunk, file, yaml);
  } catch (error) {
    yield parseFault(sheet, chunk, error, jsonError, chunk.line + yaml.linesBeforeContent(chunk.text));
    return;
  }
  yield* objectsOfPart(sheet, part);
}

/** A text in braces is told as JSON where it has keys in quotes, and as YAML otherwise. */
function parseFault(sheet: Sheet, chunk: Chunk, error: unknown, jsonError: unknown, line: number): UnreadableDocument {
  const template = templateIn(chunk.text);
  if (template !== null && error instanceof InputError) {
    const place = textPlaces(sheet.file, chunk.text, chunk.line).placeOf({ start: template.offset, end: template.offset + 2 });
    return { file: sheet.file, line: place.line, column: place.column, message: `${template.language} that is not rendered yet`.replace(/^a\b/, 'the document is a'), suggestions: [template.suggestion] };
  }
  if (jsonError instanceof InputError && /^\s*[{[]\s*(?:"|\]|\}|[{[]|$)/.test(chunk.text.slice(0, 2_000)) && jsonError.line !== null) {
    return { ...unreadable(sheet, jsonError, line), line: jsonError.line + chunk.line - 1 };
  }
  return unreadable(sheet, error, line);
}

/** `line`: of the document, where the error has none. */
function unreadable(sheet: Sheet, error: unknown, line: number): UnreadableDocument {
  if (!(error instanceof InputError)) throw error;
  return unreadableOf(error, sheet.file, line);
}

/** The same as an InputError, whose message begins with its place. */
export function unreadableOf(error: InputError, file: string, line: number | null): UnreadableDocument {
  const lead = [error.file, error.line, error.line === null ? null : error.column].filter((part) => part !== null).join(':');
  return {
    file, line: error.line ?? line, column: error.column,
    message: clip(error.message.startsWith(`${lead}: `) ? error.message.slice(lead.length + 2) : error.message), suggestions: error.suggestions,
  };
}

/** Texts of the file are quoted in messages, and may be of any length. */
function clip(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

async function* objectsOfPart(sheet: Sheet, part: Part): AsyncGenerator<ReadItem> {
  for (const [index, document] of part.documents.entries()) {
    if (document.value === null || document.value === undefined) continue;
    sheet.hasContent = true;
    for (const item of unroll(document.value, [], null)) {
      const place = (path: FieldPath): FilePlace => part.places.placeOf(part.find(index, path));
      if ('problem' in item) {
        if (item.isForeign && (item.isReport || sheet.options.skipsForeign === true)) {
          yield { foreign: item.isReport ? 'report' : 'other' };
        } else {
          const { line, column } = place(item.path);
          yield { file: sheet.file, line, column, message: clip(item.problem), suggestions: item.suggestions };
        }
        continue;
      }
      const { object, path } = item;
      const template = [object.kind, nameOf(object)].find((text) => text !== undefined && text.includes('{{') && templateIn(text) !== null);
      if (template !== undefined) {
        const found = templateIn(template);
        const { line, column } = place([...path, ...(object.kind === template ? ['kind'] : ['metadata', 'name'])]);
        yield { file: sheet.file, line, column, message: `${found?.language ?? 'a template'} that is not rendered yet`.replace(/^a\b/, 'the document is a'), suggestions: found === null ? [] : [found.suggestion] };
        continue;
      }
      const problems: ManifestProblem[] = duplicatesOf(document.duplicates, path, part.places);
      if (sheet.options.schema !== null) {
        sheet.schema ??= await sheet.options.schema();
        problems.push(...checkFields(object, sheet.schema));
      }
      yield {
        object, file: sheet.file, problems,
        locate: (below) => place([...path, ...below]),
        lineText: (line) => part.places.lineText(line),
      };
    }
  }
}

function duplicatesOf(duplicates: readonly DuplicateKey[], above: FieldPath, places: TextPlaces): ManifestProblem[] {
  return duplicates.flatMap(({ path, first, last }) => {
    const below = stepsBelow(above, path);
    return below === null ? [] : [{
      kind: 'duplicate-key', path: below, place: places.placeOf(last),
      message: `${JSON.stringify(path.at(-1))} is given twice, first in line ${places.placeOf(first).line}: kubectl takes the last one, other tools refuse the file`,
      fix: null,
    } as const];
  });
}

type Unrolled =
  | { readonly object: KubeObject; readonly path: FieldPath }
  | { readonly problem: string; readonly path: FieldPath; readonly suggestions: readonly string[]; readonly isForeign: boolean; readonly isReport: boolean };

const LIST_DEPTH = 10;

/** Objects of a document. `inherited`: what a typed list (PodList) says of its items. */
function* unroll(value: unknown, path: FieldPath, inherited: { readonly apiVersion: string; readonly kind: string } | null): Generator<Unrolled> {
  const subject = path.length === 0 ? 'the document' : `items[${path.filter((step) => typeof step === 'number').join('].items[')}]`;
  const problem = (text: string, suggestions: readonly string[] = [], isForeign = false): Unrolled => ({ problem: `${subject} ${text}`, path, suggestions, isForeign, isReport: false });
  if (!isRecord(value)) {
    yield problem(`is ${describeValue(value)}, not a Kubernetes object`, ['every object needs apiVersion, kind and metadata.name'], path.length === 0);
    return;
  }
  const kind = value['kind'] ?? inherited?.kind;
  const apiVersion = value['apiVersion'] ?? inherited?.apiVersion;
  if (kind === undefined && apiVersion === undefined) {
    yield Array.isArray(value['items'])
      ? problem('has items but no kind: it is probably cut off', ['kubectl writes kind after items: run the command that wrote it again'])
      : problem('has no kind: it is not a Kubernetes object', ['every object needs apiVersion, kind and metadata.name'], path.length === 0);
    return;
  }
  if (typeof kind !== 'string' || kind === '') {
    yield problem(kind === undefined || kind === '' ? 'has no kind: it is not a Kubernetes object' : `has ${describeValue(kind)} as its kind`, ['every object needs apiVersion, kind and metadata.name']);
    return;
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    yield problem(`(kind ${kind}) has ${apiVersion === undefined || apiVersion === '' ? 'no apiVersion' : `${describeValue(apiVersion)} as its apiVersion`}`);
    return;
  }
  if (apiVersion.startsWith('kubectl-win/') && kind !== 'Inventory') {
    yield { problem: `${subject} is a report of kubectl win (kind ${kind}), which does not hold the objects themselves`, path, suggestions: [], isForeign: true, isReport: true };
    return;
  }
  const foreign = foreignKind(value, apiVersion, kind, { noun: 'a manifest', advice: 'write it with kubectl get … -o json' });
  if (foreign !== null) {
    yield problem(foreign.text, foreign.suggestions);
    return;
  }
  const { items } = value;
  if ((kind.endsWith('List') || kind === 'Inventory') && (Array.isArray(items) || kind === 'List') && path.length < LIST_DEPTH) {
    if (!Array.isArray(items)) {
      if (items !== null && items !== undefined) yield problem(`(kind ${kind}) has ${describeValue(items)} as items`);
      return;
    }
    const itemKind = kind === 'List' || kind === 'Inventory' ? null : { apiVersion, kind: kind.slice(0, -'List'.length) };
    for (const [index, item] of items.entries()) yield* unroll(item, [...path, 'items', index], itemKind);
    return;
  }
  yield { object: value['kind'] === kind && value['apiVersion'] === apiVersion ? value : { ...value, apiVersion, kind }, path }; // null in an item counts as left out
}
