import type { ImageOnNodes } from '../../domain/node/node-images.ts';
import type { View } from '../view.ts';

/** `nodes --show-images`: what the nodes report to have, largest first. The document stays the WindowsNodeList, with `images` added. */
export function nodeImagesView(images: readonly ImageOnNodes[], nodeCount: number, document: () => Record<string, unknown>): View<ImageOnNodes> {
  return {
    columns: [
      { header: 'IMAGE', value: ({ image }) => image },
      { header: 'SIZE', value: ({ sizeBytes }) => (sizeBytes === null ? '<unknown>' : `${(sizeBytes / 2 ** 20).toFixed(1)}Mi`) },
      { header: 'NODES', value: ({ nodes }) => `${nodes.length}/${nodeCount}` },
      { header: 'NAMES', wide: true, value: ({ names }) => names.join(',') },
      { header: 'ON-NODES', wide: true, value: ({ nodes }) => nodes.join(',') },
    ],
    items: images,
    document: () => ({ ...document(), images }),
    nameOf: ({ image }) => `image/${image}`,
    emptyMessage: 'No images reported',
  };
}
