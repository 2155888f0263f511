import { stringAt, nameOf, type KubeObject } from '../../domain/kubernetes/object.ts';
import { imagesOf } from '../../domain/node/node-images.ts';
import { isPauseImage } from '../../domain/windows/pause-images.ts';

/** Sandbox (pause) images that Windows nodes report to have: each pod is held by one, which has to fit the node as well. */
export class SandboxImages {
  readonly #nodesByImage = new Map<string, Set<string>>();

  /** Takes raw nodes. Under which of several a node's containerd starts pods, it does not report. */
  addNodes(nodes: readonly KubeObject[]): void {
    for (const node of nodes) {
      if (stringAt(node, 'status', 'nodeInfo', 'operatingSystem') !== 'windows') continue;
      for (const { names } of imagesOf(node)) {
        // an image has its digest as a name too
        const image = names.find((name) => isPauseImage(name) && !name.includes('@')) ?? names.find(isPauseImage);
        if (image !== undefined) this.#nodesByImage.set(image, (this.#nodesByImage.get(image) ?? new Set()).add(nameOf(node)));
      }
    }
  }

  /** By name, with the names of the nodes that have it. */
  images(): readonly { readonly image: string; readonly nodes: ReadonlySet<string> }[] {
    return [...this.#nodesByImage].map(([image, nodes]) => ({ image, nodes })).toSorted((a, b) => (a.image < b.image ? -1 : 1));
  }
}
