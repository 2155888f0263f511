/** Which files of a source are copied, under which names, and what is left. */
import { caseClashes, localNameProblem, PART_SUFFIX, readRelativePath, windowsNameProblem } from './copy-path.ts';

/** Something below the root of a source, or the root itself, whose path is ''. */
export interface SourceEntry {
  /** As its side gave it, with its separators. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other' | 'unreadable';
  readonly sizeBytes: number;
  /** Since 1970. */
  readonly modifiedMs: number;
  /** Why it cannot be read; what a link leads to. */
  readonly message: string | null;
}

export interface PlannedFile {
  /** `/` separates; '' for the root itself. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** refused: its name cannot be on the other side, or could lead astray. skipped: it is none that is copied. */
export interface LeftEntry {
  readonly path: string;
  readonly result: 'refused' | 'skipped' | 'failed';
  /** A clause. */
  readonly message: string;
}

export interface CopyPlan {
  /** Those that lead to others first. */
  readonly folders: readonly string[];
  readonly files: readonly PlannedFile[];
  readonly left: readonly LeftEntry[];
}

export interface CopyDirection {
  readonly to: 'node' | 'local';
  /** Of this machine. */
  readonly platform: string;
}

/** Whether names that differ by case alone are one. */
function mindsNoCase({ to, platform }: CopyDirection): boolean {
  return to === 'node' || platform === 'win32' || platform === 'darwin';
}

/** Everything is in one of the three lists; what lies in a folder that is left is left, too. */
export function planCopy(entries: readonly SourceEntry[], direction: CopyDirection): CopyPlan {
  const separator = direction.to === 'node' ? '/' : '\\';
  const problemOf = direction.to === 'node' ? windowsNameProblem : (name: string) => localNameProblem(name, direction.platform);
  const folders: string[] = [];
  const files: PlannedFile[] = [];
  const left: LeftEntry[] = [];
  const named: { readonly entry: SourceEntry; readonly path: string }[] = [];
  for (const entry of entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    const read = readRelativePath(entry.path, separator, problemOf);
    if ('problem' in read) left.push({ path: entry.path, result: 'refused', message: read.problem });
    else named.push({ entry, path: read.parts.join('/') });
  }
  const clashes = mindsNoCase(direction) ? caseClashes(named.map(({ path }) => path)) : new Map<string, string>();
  // a folder that is left takes with it what is in it
  const closed = new Set<string>();
  for (const { entry: { kind, sizeBytes, modifiedMs, message }, path } of named) {
    const clash = clashes.get(path);
    const above = ancestorsOf(path).find((folder) => closed.has(folder));
    if (above !== undefined) left.push({ path, result: 'refused', message: `its folder ${JSON.stringify(above)} is refused` });
    else if (clash !== undefined) {
      left.push({ path, result: 'refused', message: `its name differs from ${JSON.stringify(clash)} by case alone, which Windows takes for one` });
      if (kind === 'folder') closed.add(path);
    } else if (kind === 'folder') folders.push(path);
    else if (kind === 'file' && path.endsWith(PART_SUFFIX)) left.push({ path, result: 'skipped', message: 'it is what an unfinished copy has left' });
    else if (kind === 'file') files.push({ path, sizeBytes, modifiedMs });
    else if (kind === 'link') left.push({ path, result: 'skipped', message: message === null || message === '' ? 'links are not copied' : `links are not copied: it leads to ${message}` });
    else if (kind === 'other') left.push({ path, result: 'skipped', message: 'it is no regular file' });
    else left.push({ path, result: 'failed', message: message ?? 'it cannot be read' });
  }
  return { folders, files, left };
}

function ancestorsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** What the receiving side has of a file. */
export interface Arrived {
  /** A folder or a link stands in its place. */
  readonly obstacle: 'folder' | 'link' | null;
  /** SHA-256 in hexadecimal digits of what has its size; null where nothing has. */
  readonly whole: string | null;
  /** The beginning that an unfinished copy has left. */
  readonly part: { readonly sizeBytes: number; readonly sha256: string } | null;
}

/** Where a copy begins: `same` for a file that is there already. `prefix` gives the SHA-256 of so many bytes of the source, null where it has fewer. */
export async function whereToBegin({ sizeBytes }: Pick<PlannedFile, 'sizeBytes'>, arrived: Arrived, prefix: (length: number) => Promise<string | null>): Promise<'same' | number> {
  if (arrived.whole !== null && await prefix(sizeBytes) === arrived.whole) return 'same';
  const { part } = arrived;
  if (part === null || part.sizeBytes === 0 || part.sizeBytes > sizeBytes) return 0;
  return await prefix(part.sizeBytes) === part.sha256 ? part.sizeBytes : 0;
}
