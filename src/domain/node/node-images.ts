import { arrayAt, numberAt } from '../kubernetes/object.ts';

/** An image that a node reports, with what the kubelet says of it. */
export interface NodeImage {
  /** All names under which the node has it: tags and digests. */
  readonly names: readonly string[];
  /** What containerd reports is the compressed size of one platform, not disk use (https://github.com/containerd/containerd/blob/main/internal/cri/store/image/image.go, read 2026-11-30). null = not reported. */
  readonly sizeBytes: number | null;
}

/** `status.images` of a raw node; the kubelet reports the 50 largest at most by default. */
export function imagesOf(raw: unknown): readonly NodeImage[] {
  return arrayAt(raw, 'status', 'images').map((image) => ({
    names: arrayAt(image, 'names').filter((name) => typeof name === 'string'),
    sizeBytes: numberAt(image, 'sizeBytes') ?? null,
  })).filter(({ names }) => names.length > 0);
}

/** One image over the nodes that report it. */
export interface ImageOnNodes {
  /** The first tag, or the first digest of an untagged image. */
  readonly image: string;
  readonly names: readonly string[];
  /** Largest size that a node reports: variants for other Windows builds differ under the same name. */
  readonly sizeBytes: number | null;
  readonly nodes: readonly string[];
}

/** Images by their first name, largest first. */
export function gatherImages(byNode: ReadonlyMap<string, readonly NodeImage[]>): readonly ImageOnNodes[] {
  const gathered = new Map<string, { names: Set<string>; sizeBytes: number | null; nodes: string[] }>();
  for (const [node, images] of byNode) {
    for (const { names, sizeBytes } of images) {
      const image = names.find((name) => !name.includes('@')) ?? names[0] ?? '';
      const entry = gathered.get(image) ?? { names: new Set<string>(), sizeBytes: null, nodes: [] };
      gathered.set(image, entry);
      for (const name of names) entry.names.add(name);
      if (sizeBytes !== null) entry.sizeBytes = Math.max(entry.sizeBytes ?? 0, sizeBytes);
      if (!entry.nodes.includes(node)) entry.nodes.push(node);
    }
  }
  return [...gathered]
    .map(([image, { names, sizeBytes, nodes }]): ImageOnNodes => ({ image, names: [...names], sizeBytes, nodes }))
    .toSorted((a, b) => (b.sizeBytes ?? -1) - (a.sizeBytes ?? -1) || (a.image < b.image ? -1 : Number(a.image > b.image)));
}
