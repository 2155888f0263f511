/**
 * Layers on a node. A runtime fetches and unpacks each once, whatever images have it: it keeps them by their digests
 * (https://github.com/containerd/containerd/blob/main/docs/content-flow.md, read 2026-11-30), and images of Windows have base layers of gigabytes in common.
 */
import type { ImageLayer } from '../image/image-platforms.ts';

export interface Layered {
  /** null when not known. */
  readonly layers: readonly ImageLayer[] | null;
  /** Compressed; null when not known. */
  readonly sizeBytes: number | null;
}

export class NodeLayers {
  readonly #there = new Set<string>();

  /** Compressed bytes that the node has to fetch for it; null where nothing is known. */
  missingBytes({ layers, sizeBytes }: Layered): number | null {
    return layers === null ? sizeBytes : layers.reduce((sum, layer) => sum + (this.#there.has(layer.digest) ? 0 : layer.sizeBytes), 0);
  }

  add({ layers }: Layered): void {
    for (const { digest } of layers ?? []) this.#there.add(digest);
  }
}

/**
 * An image of Windows takes about three times its compressed size on disk: windows/servercore of February 2020 is 4,841,309,825
 * bytes unpacked and about 1.7 GB compressed (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/update-containers, read 2026-11-30).
 */
const UNPACKED = 3;

/** On disk; 0 of what is not known. */
export function unpackedBytes(compressedBytes: number | null): number {
  return (compressedBytes ?? 0) * UNPACKED;
}
