import type { Readable } from 'node:stream';
import type { ManifestObject, ManifestSource } from '../../app/ports.ts';
import type { UnreadableDocument } from '../../domain/check/manifest-problem.ts';
import { someOf } from '../../domain/some-of.ts';
import { InputError, UsageError } from '../../errors.ts';
import { readSmallFile, FileTooLargeError } from '../open-file.ts';
import { readError, readFileText, readStreamText, toText } from '../inventory/read-source.ts';
import { loadSchema } from './load-schema.ts';
import { manifestFiles, refuseSource } from './manifest-files.ts';
import { readManifestText, unreadableOf, type ForeignDocument } from './read-manifest-text.ts';

export interface OpenManifestsOptions {
  /** Read for the source `-`. */
  readonly stdin: Readable;
  /** kubectl's -R. */
  readonly recursive?: boolean;
}

/** Files without Kubernetes objects that are named one by one; the rest is counted. */
const NAMED_FILES = 5;

/**
 * Reads manifests as `kubectl apply -f` does: files, folders (.json, .yaml, .yml), standard input (`-`), in the order
 * given. What cannot be read is given with its place, and the rest is read. Throws UsageError for sources that are none,
 * before anything is read.
 */
export function openManifests(sources: readonly string[], options: OpenManifestsOptions): ManifestSource {
  if (sources.length === 0) throw new UsageError('-f needs at least one file, a folder or - for standard input');
  if (sources.filter((source) => source === '-').length > 1) throw new UsageError('standard input (-) can be given only once');
  for (const source of sources) refuseSource(source);
  const notes: string[] = [];
  return {
    description: { source: 'files', context: null, location: sources.map((source) => (source === '-' ? 'stdin' : source)).join(', ') },
    notes,
    read: (signal) => readAll(sources, options, notes, signal),
  };
}

async function* readAll(sources: readonly string[], options: OpenManifestsOptions, notes: string[], signal: AbortSignal | undefined): AsyncGenerator<ManifestObject | UnreadableDocument> {
  notes.length = 0;
  const foreignFiles: Readonly<Record<ForeignDocument['foreign'], Set<string>>> = { other: new Set(), report: new Set() };
  for (const source of sources) {
    for await (const found of manifestFiles(source, { recursive: options.recursive === true, notes })) {
      signal?.throwIfAborted();
      if ('message' in found) {
        yield found;
        continue;
      }
      const file = found.file === '-' ? 'stdin' : found.file;
      let text: string;
      try {
        text = found.file === '-' ? await readStreamText(options.stdin, file, signal) : await readText(file, signal);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        if (!(found.isOfFolder && error.message.endsWith(': the input is empty'))) yield unreadableOf(error, file, null);
        continue;
      }
      for await (const item of readManifestText(text, file, { schema: loadSchema, skipsForeign: found.isOfFolder })) {
        signal?.throwIfAborted();
        if ('foreign' in item) foreignFiles[item.foreign].add(file);
        else yield item;
      }
    }
  }
  if (foreignFiles.other.size > 0) notes.push(`no Kubernetes objects, left out: ${someOf([...foreignFiles.other], NAMED_FILES)}`);
  if (foreignFiles.report.size > 0) notes.push(`written by kubectl win, without the objects themselves, left out: ${someOf([...foreignFiles.report], NAMED_FILES)}`);
}

/** At once where it is small, as most are: a turn through the thread pool takes longer than reading it. */
async function readText(file: string, signal: AbortSignal | undefined): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readSmallFile(file, signal);
  } catch (error) {
    if (error instanceof FileTooLargeError) return readFileText(file, signal);
    signal?.throwIfAborted();
    throw readError(file, error);
  }
  return toText(bytes, file);
}
