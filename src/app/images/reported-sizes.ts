/** Sizes of images as nodes report them in status.images: at hand without asking a registry. */
import { canonicalImage } from '../../domain/image/reference.ts';
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { imagesOf } from '../../domain/node/node-images.ts';

export class ReportedSizes {
  readonly #windows = new Map<string, number>();
  readonly #others = new Map<string, number>();

  /** Takes raw nodes; of an image that several report, the largest size counts: its variants for other builds have the same name. */
  addNodes(nodes: readonly KubeObject[]): void {
    for (const node of nodes) {
      const sizes = osOf(node) === 'windows' ? this.#windows : this.#others;
      for (const { names, sizeBytes } of imagesOf(node)) {
        if (sizeBytes === null) continue;
        for (const name of names) {
          const key = canonicalImage(name);
          if (key !== null) sizes.set(key, Math.max(sizes.get(key) ?? 0, sizeBytes));
        }
      }
    }
  }

  /** Under whichever spelling; null where no such node reports it. */
  sizeOf(image: string, os: 'windows' | 'any'): number | null {
    const key = canonicalImage(image);
    if (key === null) return null;
    return this.#windows.get(key) ?? (os === 'any' ? this.#others.get(key) ?? null : null);
  }
}

function osOf(node: KubeObject): string | undefined {
  return stringAt(node, 'status', 'nodeInfo', 'operatingSystem') ?? stringAt(node, 'metadata', 'labels', 'kubernetes.io/os');
}
