/** Files that a recipe has named, from its node into a folder of their own. */
import { joinNodePath, readNodePath } from '../../domain/hostprocess/copy/copy-path.ts';
import type { SourceEntry } from '../../domain/hostprocess/copy/copy-plan.ts';
import { numberAt, stringAt } from '../../domain/kubernetes/object.ts';
import type { RecipeDocument } from '../../domain/hostprocess/recipes/read-output.ts';
import { someOf } from '../../domain/some-of.ts';
import type { LocalTree } from '../ports.ts';
import { CopyLedger, isThere, type CopyItem, type CopyTotals } from './copy/copy-ledger.ts';
import { CopyFailure, type CopyNode } from './copy/copy-node.ts';
import { downloadEntries } from './copy/download.ts';

export interface FetchedFiles {
  /** Paths begin with the letter of their drive: `C/k/kubelet.log`. */
  readonly items: readonly CopyItem[];
  /** Those of the items that are not there. */
  readonly left: readonly CopyItem[];
  readonly totals: CopyTotals;
  /** Why not all of them are there, as a clause. */
  readonly problem: string | null;
}

/** Those of recipe logs that have changed in the time that was asked for. */
export function filesToFetch(document: RecipeDocument, minutes: number): readonly SourceEntry[] {
  const takenAt = Date.parse(stringAt(document, 'takenAt') ?? '');
  const files = Array.isArray(document['files']) ? document['files'] : [];
  return files.flatMap((file: unknown): readonly SourceEntry[] => {
    const [path, sizeBytes, modifiedMs] = [stringAt(file, 'path'), numberAt(file, 'sizeBytes') ?? 0, Date.parse(stringAt(file, 'changedAt') ?? '')];
    const read = path === undefined ? 'none' : readNodePath(path);
    if (typeof read === 'string' || read.name === '' || Number.isNaN(modifiedMs) || modifiedMs < takenAt - minutes * 60_000) return [];
    return [{ path: read.path, kind: 'file', sizeBytes, modifiedMs, message: null }];
  });
}

/** `folder`: a name in `tree` for what comes from this node. */
export async function fetchFiles(node: CopyNode, files: readonly SourceEntry[], { tree, folder, platform }: { readonly tree: LocalTree; readonly folder: string; readonly platform: string }): Promise<FetchedFiles> {
  const items: CopyItem[] = [];
  const totals = { files: 0, sizeBytes: 0, sentBytes: 0, doneBytes: 0, doneFiles: 0 };
  let problem: string | null = null;
  await tree.makeFolder([]);
  await tree.makeFolder([folder]);
  for (const [drive, some] of Map.groupBy(files, ({ path }) => path.slice(0, 1))) {
    const ledger = new CopyLedger();
    await tree.makeFolder([folder, drive]);
    const local = tree.into(folder).into(drive);
    try {
      await downloadEntries(node, { root: joinNodePath(`${drive}:`, ''), entries: entriesBelow(some), local, platform, onProgress: () => undefined }, ledger);
    } catch (error) {
      if (!(error instanceof CopyFailure)) throw error;
      problem ??= error.message;
    } finally {
      await local.close();
    }
    problem ??= ledger.problem;
    items.push(...ledger.items.map((item) => ({ ...item, path: `${drive}/${item.path}` })));
    for (const key of ['files', 'sizeBytes', 'sentBytes', 'doneBytes', 'doneFiles'] as const) totals[key] += ledger.totals[key];
  }
  return { items, left: items.filter(({ result }) => !isThere(result)), totals, problem };
}

/** Files that a message names. */
const MOST_NAMED = 3;

/** ` (C/k/a.log: why and 2 more)`; what says nothing of why is not named. */
export function leftText(left: FetchedFiles['left']): string {
  const told = left.filter(({ message }) => message !== null);
  return told.length === 0 ? '' : ` (${someOf(told, MOST_NAMED, ({ path, message }) => `${path}: ${message ?? ''}`)})`;
}

/** Paths without their drive, and the folders on the way to them. */
function entriesBelow(files: readonly SourceEntry[]): readonly SourceEntry[] {
  const folders = new Set<string>();
  const below = files.map((file) => {
    const parts = file.path.slice(3).split('\\');
    for (let count = 1; count < parts.length; count += 1) folders.add(parts.slice(0, count).join('\\'));
    return { ...file, path: parts.join('\\') };
  });
  return [...[...folders].map((path): SourceEntry => ({ path, kind: 'folder', sizeBytes: 0, modifiedMs: 0, message: null })), ...below];
}
