import { EVENT_ID, YAMLException, constructFromEvents, getScalarValue } from 'js-yaml';
import type { Event } from 'js-yaml';
import { InputError } from '../../errors.ts';
import { parseMended, type MendedYaml } from './mended-yaml.ts';
import type { ParsedDocument } from './parsed-document.ts';
import { KUBECTL_SCHEMA } from './yaml-schema.ts';

/** Longest line that is read as YAML. An object is at most 1.5 MiB in etcd, so a line of a manifest is never this long. */
export const YAML_LINE_LIMIT = 16 * 1024 * 1024;
/** Values that the aliases of one document may expand to; a document of a few lines can stand for billions ("billion laughs"). */
const ALIAS_EXPANSION_LIMIT = 400_000;

/** js-yaml's own words. */
const DUPLICATE_KEY = 'duplicated mapping key';

/** The documents of a YAML text, empty ones included. Throws InputError with line and column at the first error. */
export function parseYamlDocuments(text: string, file: string): ParsedDocument[] {
  const documents: ParsedDocument[] = [];
  for (const chunk of splitAtMarkers(text, file)) {
    const values = parseChunk(chunk.text, chunk.line, file);
    const line = chunk.line + linesBeforeContent(chunk.text);
    for (const value of values) documents.push({ value, line });
    if (values.length === 0) documents.push({ value: null, line });
  }
  return documents;
}

/** Text from one `---` line to the next. */
export interface Chunk {
  readonly text: string;
  /** Line of the chunk's first line in the file, from 1. */
  readonly line: number;
}

/** Cuts at `---` lines, so that one document after the other is in memory as parser events. */
export function* splitAtMarkers(text: string, file: string): Generator<Chunk> {
  let chunkStart = 0;
  let chunkLine = 1;
  let line = 1;
  let onlyDirectives = true;
  for (let start = 0; start <= text.length; line++) {
    let end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    if (end - start > YAML_LINE_LIMIT) {
      throw new InputError({ file, line }, `this line has ${end - start} characters, which no Kubernetes manifest has`, {
        suggestions: ['check that the file holds Kubernetes objects as JSON or YAML'],
      });
    }
    const marker = text.startsWith('---', start) && /^---(?:[ \t\r]|$)/.test(text.slice(start, Math.min(end, start + 4)));
    if (marker && !onlyDirectives) {
      yield { text: text.slice(chunkStart, start), line: chunkLine };
      chunkStart = start;
      chunkLine = line;
    }
    // Comments and %directives before a marker belong to the document after it.
    if (marker) onlyDirectives = false;
    else if (onlyDirectives && end > start && !/^(?:[#%]|[ \t]*\r?$|[ \t]+#)/.test(text.slice(start, Math.min(end, start + 200)))) onlyDirectives = false;
    start = end + 1;
  }
  yield { text: text.slice(chunkStart), line: chunkLine };
}

/** Lines of a chunk before its first content. */
export function linesBeforeContent(text: string): number {
  const lead = /^(?:(?:---[^\n]*|%[^\n]*|[ \t]*#[^\n]*|[ \t\r]*)\n)*/.exec(text.slice(0, 65_536))?.[0] ?? '';
  return lead.split('\n').length - 1;
}

function parseChunk(source: string, firstLine: number, file: string): unknown[] {
  return parseYamlChunk({ text: source, line: firstLine }, file).documents;
}

/** The documents of a chunk. Throws InputError with line and column, also for duplicate keys unless they are `kept`: then the last value counts, as for kubectl. */
export function parseYamlChunk({ text: source, line: firstLine }: Chunk, file: string, duplicates: 'refused' | 'kept' = 'refused'): { readonly documents: unknown[]; readonly hasDuplicates: boolean } {
  let mended: MendedYaml | null = null;
  const place = (offset: number): Place => placeIn(source, firstLine, file, mended?.originalOffset(offset) ?? offset);
  try {
    mended = parseMended(source);
    const { events, text } = mended;
    checkAliases(text, events, place);
    try {
      return { documents: constructFromEvents(events, { source: text, schema: KUBECTL_SCHEMA }), hasDuplicates: false };
    } catch (error) {
      if (duplicates === 'refused' || !(error instanceof YAMLException) || error.reason !== DUPLICATE_KEY) throw error;
      return { documents: constructFromEvents(events, { source: text, schema: KUBECTL_SCHEMA, json: true }), hasDuplicates: true };
    }
  } catch (error) {
    if (error instanceof RangeError) throw new InputError({ file, line: firstLine }, 'the document is nested too deep', { cause: error });
    if (!(error instanceof YAMLException)) throw error;
    const at = error.mark === undefined ? { file, line: firstLine } : place(error.mark.position);
    if (error.reason === DUPLICATE_KEY && error.mark !== undefined && mended !== null) {
      const duplicate = findDuplicate(mended.text, mended.events, error.mark.position);
      if (duplicate !== null) {
        throw new InputError(at, `key ${JSON.stringify(duplicate.key)} is given twice, first in line ${place(duplicate.firstOffset).line}`, {
          suggestions: ['kubectl would silently use the last one: keep one of the two'], cause: error,
        });
      }
    }
    throw new InputError(at, `not valid YAML: ${error.reason}`, { cause: error });
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

function placeIn(source: string, firstLine: number, file: string, offset: number): Place {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { file, line: firstLine + before.split('\n').length - 1, column: offset - lineStart + 1 };
}

/** Refuses aliases that contain themselves or that expand beyond the limit, before anything is built. */
function checkAliases(source: string, events: readonly Event[], place: (offset: number) => Place): void {
  if (!events.some((event) => event.type === EVENT_ID.ALIAS)) return;
  const sizes = new Map<string, number | 'open'>();
  const open: { anchor: string | null; size: number }[] = [];
  let expanded = 0;
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        sizes.clear();
        expanded = 0;
        open.push({ anchor: null, size: 0 });
        break;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE: {
        const anchor = event.anchorStart === -1 ? null : source.slice(event.anchorStart, event.anchorEnd);
        if (anchor !== null) sizes.set(anchor, 'open');
        open.push({ anchor, size: 1 });
        break;
      }
      case EVENT_ID.SCALAR: {
        if (event.anchorStart !== -1) sizes.set(source.slice(event.anchorStart, event.anchorEnd), 1);
        const frame = open.at(-1);
        if (frame !== undefined) frame.size++;
        break;
      }
      case EVENT_ID.ALIAS: {
        const name = source.slice(event.anchorStart, event.anchorEnd);
        const size = sizes.get(name) ?? 1;
        if (size === 'open') throw new InputError(place(event.anchorStart), `anchor "${name}" contains itself`);
        expanded += size;
        if (expanded > ALIAS_EXPANSION_LIMIT) {
          throw new InputError(place(event.anchorStart), `aliases expand to more than ${ALIAS_EXPANSION_LIMIT} values`);
        }
        const frame = open.at(-1);
        if (frame !== undefined) frame.size += size;
        break;
      }
      case EVENT_ID.POP: {
        const frame = open.pop();
        if (frame === undefined) break;
        if (frame.anchor !== null) sizes.set(frame.anchor, frame.size);
        const parent = open.at(-1);
        if (parent !== undefined) parent.size += frame.size;
        break;
      }
    }
  }
}

/** Where the key at `position` was given before in the same map; null when it came from a merge. */
function findDuplicate(source: string, events: readonly Event[], position: number): { key: string; firstOffset: number } | null {
  const frames: { keys: Map<string, number> | null; expectsKey: boolean }[] = [];
  const countValue = (): void => {
    const frame = frames.at(-1);
    if (frame !== undefined && frame.keys !== null) frame.expectsKey = !frame.expectsKey;
  };
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT: frames.push({ keys: null, expectsKey: false }); break;
      case EVENT_ID.SEQUENCE: frames.push({ keys: null, expectsKey: false }); break;
      case EVENT_ID.MAPPING: frames.push({ keys: new Map(), expectsKey: true }); break;
      case EVENT_ID.ALIAS: countValue(); break;
      case EVENT_ID.POP: frames.pop(); countValue(); break;
      case EVENT_ID.SCALAR: {
        const frame = frames.at(-1);
        if (frame?.keys != null && frame.expectsKey) {
          const key = getScalarValue(source, event);
          const first = frame.keys.get(key);
          if (first === undefined) frame.keys.set(key, event.valueStart);
          else if (event.valueStart >= position) return { key, firstOffset: first };
        }
        countValue();
        break;
      }
    }
  }
  return null;
}
