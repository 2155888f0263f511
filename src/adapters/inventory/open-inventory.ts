import type { Readable } from 'node:stream';
import { nameOf, stringAt } from '../../domain/kubernetes/object.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { groupOf } from '../../domain/kubernetes/resource.ts';
import { UsageError } from '../../errors.ts';
import { InventoryReader, resourceKey } from './inventory-reader.ts';
import { parseDocuments } from './parse-documents.ts';
import { readSources } from './read-source.ts';
import { unrollObjects } from './unroll-objects.ts';

export interface OpenInventoryOptions {
  /** Read for the source `-`. */
  readonly stdin: Readable;
  readonly signal?: AbortSignal | undefined;
}

/** Duplicates that are named one by one; the rest is counted. */
const NAMED_DUPLICATES = 5;

/**
 * Reads files, folders (with their folders, sorted) and standard input (`-`) as one inventory: objects, Lists,
 * NodeLists, several YAML or JSON documents in a file, what --save wrote, each also compressed with gzip.
 * An object that occurs twice (same kind, namespace and name) counts once, as it was read last, and a note says so.
 * Throws InputError with file, line and column for whatever cannot be read as a whole; nothing is skipped silently.
 */
export async function openInventory(sources: readonly string[], options: OpenInventoryOptions): Promise<InventoryReader> {
  if (sources.length === 0) throw new UsageError('an inventory needs at least one file, a folder or - for standard input');
  const objects = new Map<string, KubeObject>();
  const held = new Map<string, boolean>();
  const files: string[] = [];
  const notes: string[] = [];
  const recordings: Recording[] = [];
  const duplicates: string[] = [];
  let unnamed = 0;
  for await (const { file, text } of readSources(sources, options)) {
    files.push(file);
    const documents = await parseDocuments(text, file);
    let found = 0;
    let kinds = 0;
    for (const [index, document] of documents.entries()) {
      const content = unrollObjects(document, { file, documentNumber: index + 1, documentCount: documents.length });
      found += content.objects.length;
      kinds += content.resources.length;
      for (const { group, kind, complete } of content.resources) {
        const key = resourceKey(group, kind);
        held.set(key, held.get(key) === true || complete);
      }
      for (const object of content.objects) {
        const name = nameOf(object);
        const key = name === '' ? `generated ${unnamed++}` : identity(object);
        // A second set of the same key would keep the first place, so the order of reading stays that of the last.
        if (objects.delete(key)) duplicates.push(`${label(object)} (again in ${file})`);
        objects.set(key, object);
      }
      if (content.inventory !== null) recordings.push({ ...content.inventory, file });
    }
    if (found === 0 && kinds === 0) notes.push(`${file} is an empty list; of which kind it does not say`);
  }
  if (duplicates.length > 0) {
    const named = duplicates.slice(0, NAMED_DUPLICATES).join(', ');
    const more = duplicates.length > NAMED_DUPLICATES ? ` and ${duplicates.length - NAMED_DUPLICATES} more` : '';
    notes.push(`${duplicates.length === 1 ? 'an object occurs' : `${duplicates.length} objects occur`} more than once, the last one read counts: ${named}${more}`);
  }
  const serverVersion = newest(recordings, 'serverVersion', notes, 'server versions');
  return new InventoryReader({
    objects: [...objects.values()],
    held,
    files,
    sources,
    serverVersion,
    recordedAt: newest(recordings, 'generatedAt', notes, 'times'),
    context: recordings.at(-1)?.context ?? null,
    notes,
  });
}

interface Recording {
  readonly file: string;
  readonly serverVersion: string | null;
  readonly generatedAt: string | null;
  readonly context: string | null;
}

/** The value of the inventory that was recorded last; a note where the others say something else. */
function newest(recordings: readonly Recording[], field: 'serverVersion' | 'generatedAt', notes: string[], what: string): string | null {
  const known = recordings.filter((recording) => recording[field] !== null).sort((a, b) => (Date.parse(a.generatedAt ?? '') || 0) - (Date.parse(b.generatedAt ?? '') || 0));
  const last = known.at(-1);
  if (last === undefined) return null;
  const values = new Set(known.map((recording) => recording[field]));
  if (values.size > 1) notes.push(`the inventories were recorded with different ${what} (${[...values].join(', ')}): ${last[field]} of ${last.file} is used`);
  return last[field];
}

function identity(object: KubeObject): string {
  return `${resourceKey(groupOf(object.apiVersion ?? ''), object.kind ?? '')} ${stringAt(object, 'metadata', 'namespace') ?? ''}/${nameOf(object)}`;
}

function label(object: KubeObject): string {
  const namespace = stringAt(object, 'metadata', 'namespace');
  return `${(object.kind ?? '').toLowerCase()}/${nameOf(object)}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}
