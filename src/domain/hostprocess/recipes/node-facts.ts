/** What recipe node-facts says of a node. */
import { arrayAt, booleanAt, numberAt, stringAt } from '../../kubernetes/object.ts';
import type { RecipeDocument } from './read-output.ts';

export interface InstalledHotfix {
  /** `KB5094128`. */
  readonly id: string;
  /** YYYY-MM-DD; null where Windows does not say. */
  readonly installedOn: string | null;
}

export interface NodeDisk {
  readonly drive: string;
  readonly sizeBytes: number;
  readonly freeBytes: number;
}

/** Each part is null where it could not be read; `problems` says why. */
export interface NodeFacts {
  /** By the clock of the node. */
  readonly takenAt: string | null;
  /** Newest first. */
  readonly hotfixes: readonly InstalledHotfix[] | null;
  readonly lastBootAt: string | null;
  readonly pendingReboot: { readonly isPending: boolean; readonly reasons: readonly string[] } | null;
  readonly disks: readonly NodeDisk[] | null;
  readonly imageCache: { readonly images: number | null; readonly usedBytes: number | null; readonly compressedBytes: number | null } | null;
  readonly problems: RecipeDocument['problems'];
}

/** Whatever has another type than the schema says is not known. */
export function readNodeFacts(document: RecipeDocument): NodeFacts {
  const { problems } = document;
  const reboot = document['pendingReboot'];
  const isPending = booleanAt(reboot, 'isPending');
  const cache = document['imageCache'];
  return {
    takenAt: stringAt(document, 'takenAt') ?? null,
    hotfixes: listAt(document, 'hotfixes', (fix) => {
      const id = stringAt(fix, 'id');
      return id === undefined ? null : { id, installedOn: stringAt(fix, 'installedOn') ?? null };
    })?.toSorted(newestFirst) ?? null,
    lastBootAt: stringAt(document, 'lastBootAt') ?? null,
    pendingReboot: isPending === undefined ? null : { isPending, reasons: arrayAt(reboot, 'reasons').filter((reason) => typeof reason === 'string') },
    disks: listAt(document, 'disks', (disk) => {
      const [drive, sizeBytes, freeBytes] = [stringAt(disk, 'drive'), numberAt(disk, 'sizeBytes'), numberAt(disk, 'freeBytes')];
      return drive === undefined || sizeBytes === undefined || freeBytes === undefined ? null : { drive, sizeBytes, freeBytes };
    }),
    imageCache: typeof cache !== 'object' || cache === null ? null : { images: numberAt(cache, 'images') ?? null, usedBytes: numberAt(cache, 'usedBytes') ?? null, compressedBytes: numberAt(cache, 'compressedBytes') ?? null },
    problems,
  };
}

/** The disk with the least room for its size, which is what pulls and the kubelet's thresholds meet first. */
export function fullestDisk({ disks }: NodeFacts): NodeDisk | null {
  const room = ({ sizeBytes, freeBytes }: NodeDisk): number => (sizeBytes === 0 ? 1 : freeBytes / sizeBytes);
  return disks === null ? null : disks.reduce<NodeDisk | null>((least, disk) => (least === null || room(disk) < room(least) ? disk : least), null);
}

function listAt<Item>(document: RecipeDocument, part: string, read: (item: unknown) => Item | null): readonly Item[] | null {
  const found = document[part];
  return Array.isArray(found) ? found.map(read).filter((item) => item !== null) : null;
}

function newestFirst(a: InstalledHotfix, b: InstalledHotfix): number {
  return (b.installedOn ?? '').localeCompare(a.installedOn ?? '') || b.id.localeCompare(a.id, 'en', { numeric: true });
}
