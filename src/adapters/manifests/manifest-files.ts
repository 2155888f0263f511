import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { UsageError } from '../../errors.ts';
import { readError } from '../inventory/read-source.ts';
import { unreadableOf } from './read-manifest-text.ts';
import type { UnreadableDocument } from '../../domain/check/manifest-problem.ts';

export interface ManifestFile {
  /** Path as the user named it, with the rest of the path for a file of a folder. */
  readonly file: string;
  /** Whether it was found in a folder: then it may hold something else than Kubernetes objects. */
  readonly isOfFolder: boolean;
}

/** Endings that kubectl reads in folders. https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/resource/builder.go (FileExtensions), read 2026-11-30 */
const MANIFEST_NAME = /\.(?:json|ya?ml)$/;
const KUSTOMIZATIONS = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);

export interface FilesOptions {
  /** Folders of folders too: kubectl's -R. */
  readonly recursive: boolean;
  readonly notes: string[];
}

/**
 * The files that a -f argument of kubectl names: a file, the manifests of a folder by name, files by a pattern that no
 * shell has expanded, several of these with commas between. `-` stays `-`. Links to folders are not followed in folders, as
 * kubectl does not. Throws UsageError for what is no file.
 */
export async function* manifestFiles(source: string, options: FilesOptions): AsyncGenerator<ManifestFile | UnreadableDocument> {
  refuseSource(source);
  if (source === '-') {
    yield { file: source, isOfFolder: false };
    return;
  }
  const found = await kindOf(source);
  if (found === 'folder') {
    yield* folderFiles(source, options);
  } else if (found === 'file') {
    yield { file: source, isOfFolder: false };
  } else {
    const matches = /[*?[]/.test(source) ? await expandPattern(source) : [];
    if (matches.length > 0) {
      for (const match of matches) yield* manifestFiles(match, options);
    } else if (source.includes(',')) {
      for (const part of source.split(',')) yield* manifestFiles(part, options);
    } else {
      yield unreadableOf(readError(source, found), source, null);
    }
  }
}

/** Throws UsageError for a -f argument that names no file. */
export function refuseSource(source: string): void {
  if (source === '') throw new UsageError('-f needs a file, a folder or - for standard input');
  // a drive letter is one letter
  if (/^[a-z][a-z0-9+]+:\/\//i.test(source)) {
    throw new UsageError(`manifests are read from files, folders and standard input, not from ${source}`, { suggestions: [`curl -sSL ${source} | kubectl win check -f -`] });
  }
}

/** What stat says, or its error. */
async function kindOf(path: string): Promise<'file' | 'folder' | Error> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function* folderFiles(folder: string, options: FilesOptions): AsyncGenerator<ManifestFile | UnreadableDocument> {
  let count = 0;
  for await (const item of filesBelow(folder, options)) {
    count++;
    yield item;
  }
  if (count === 0) options.notes.push(`${folder} has no .yaml, .yml or .json files${options.recursive ? '' : ' of its own; with -R its folders are read too'}`);
}

async function* filesBelow(folder: string, options: FilesOptions): AsyncGenerator<ManifestFile | UnreadableDocument> {
  let entries;
  try {
    entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    yield unreadableOf(readError(folder, error), folder, null);
    return;
  }
  if (entries.some(({ name }) => KUSTOMIZATIONS.has(name))) {
    options.notes.push(`${folder} has a kustomization, which is not applied; to check what it makes: kubectl kustomize ${folder} | kubectl win check -f -`);
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (options.recursive) yield* filesBelow(path, options);
      continue;
    }
    if (!MANIFEST_NAME.test(entry.name) || KUSTOMIZATIONS.has(entry.name)) continue;
    const target = entry.isSymbolicLink() ? await statOrError(path) : entry;
    if (target instanceof Error) yield unreadableOf(readError(path, target), path, null);
    else if (target.isFile()) yield { file: path, isOfFolder: true };
    else if (!target.isDirectory()) options.notes.push(`${path} is no regular file and was left out`);
  }
}

async function statOrError(path: string): Promise<Stats | Error> {
  try {
    return await stat(path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Paths that match a pattern with * ? [a-z] in its parts, sorted: kubectl expands what cmd and PowerShell do not. */
async function expandPattern(pattern: string): Promise<readonly string[]> {
  const { root } = parse(pattern);
  let paths = [root];
  for (const part of pattern.slice(root.length).split(sep === '\\' ? /[\\/]+/ : /\/+/).filter((name) => name !== '')) {
    const next: string[] = [];
    const expression = /[*?[]/.test(part) ? patternOf(part) : null;
    for (const path of paths) {
      if (expression === null) next.push(path === '' || path === root ? `${path}${part}` : join(path, part));
      else next.push(...(await namesIn(path)).filter((name) => expression.test(name)).map((name) => (path === '' ? name : join(path, name))));
    }
    paths = next;
  }
  const existing = await Promise.all(paths.map(async (path) => (await kindOf(path)) instanceof Error ? [] : [path]));
  return existing.flat();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder === '' ? '.' : folder)).toSorted();
  } catch {
    return [];
  }
}

/** Go's filepath.Match, of which a [ without ] matches nothing. */
function patternOf(part: string): RegExp {
  const text = part.replaceAll(/\[(\^?)([^\]]+)\]|[*?]|[^*?[]+|\[/g, (token, negation: string | undefined, set: string | undefined) => {
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (set !== undefined) return `[${negation ?? ''}${set.replaceAll(/[\\[\]^]/g, String.raw`\$&`)}]`;
    return token.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  });
  try {
    return new RegExp(`^${text}$`, 'u');
  } catch {
    return /^\b$/; // [z-a]: a range that is none
  }
}
