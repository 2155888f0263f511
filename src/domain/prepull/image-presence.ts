/** Whether a node has an image already, by what its kubelet reports. */
import { canonicalImage, readReference } from '../image/reference.ts';
import type { NodeImage } from '../node/node-images.ts';

/**
 * present: the list names it, with the content that the reference stands for as far as that is known. stale: the list names it with
 * other content, so that a pull fetches the tag anew. not-listed: nothing follows by itself, for the kubelet lists the 50 largest images by
 * default (nodeStatusMaxImages, https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/, read 2026-11-30), and
 * reports what it had up to five minutes ago.
 */
export type ImagePresence = 'present' | 'stale' | 'not-listed';

/** nodeStatusMaxImages of a kubelet that is not told another. */
const NODE_STATUS_MAX_IMAGES = 50;

/** Names of a node's images under one spelling, each with the digests that stand beside it. */
export class NodeImageList {
  readonly #digestsByName = new Map<string, ReadonlySet<string>>();
  readonly #sizeByName = new Map<string, number>();
  /** Of the smallest image in a list that may be cut off; 0 where a size is missing, null for a whole list. */
  readonly #leastBytes: number | null;

  constructor(images: readonly NodeImage[]) {
    this.#leastBytes = images.length < NODE_STATUS_MAX_IMAGES ? null : Math.min(...images.map(({ sizeBytes }) => sizeBytes ?? 0));
    for (const { names, sizeBytes } of images) {
      const digests = new Set(names.flatMap((name) => /@(sha\d+:[0-9a-f]+)$/.exec(name)?.[1] ?? []));
      for (const name of names) {
        const canonical = canonicalImage(name);
        if (canonical === null) continue;
        this.#digestsByName.set(canonical, new Set([...this.#digestsByName.get(canonical) ?? [], ...digests]));
        if (sizeBytes !== null) this.#sizeByName.set(canonical, sizeBytes);
      }
    }
  }

  /** `digests`: those of what the reference stands for now, index or one of its entries; empty when not known. */
  presenceOf(image: string, digests: readonly string[]): ImagePresence {
    const canonical = canonicalImage(image);
    const held = canonical === null ? undefined : this.#digestsByName.get(canonical);
    if (held === undefined) return 'not-listed';
    // A reference by digest can hold nothing else.
    if (isByDigest(image) || digests.length === 0 || held.size === 0) return 'present';
    return digests.some((digest) => held.has(digest)) ? 'present' : 'stale';
  }

  /** Whether an image of that size may be on the node though its list does not name it. */
  mayOmit(sizeBytes: number | null): boolean {
    return this.#leastBytes !== null && (sizeBytes === null || this.#leastBytes === 0 || sizeBytes <= this.#leastBytes);
  }

  /** Compressed bytes as the node reports them; null when it does not list the image. */
  sizeOf(image: string): number | null {
    const canonical = canonicalImage(image);
    return canonical === null ? null : this.#sizeByName.get(canonical) ?? null;
  }
}

function isByDigest(image: string): boolean {
  const parsed = readReference(image);
  return parsed.kind === 'reference' && parsed.reference.digest !== null;
}
