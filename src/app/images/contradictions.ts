import { TAG_PLATFORMS } from '../../domain/image/tag-platforms.ts';
import { someOf } from '../../domain/some-of.ts';
import type { ImageItem } from './image-report.ts';

/** Names of images in one note. */
const MOST_NAMED = 3;

/** One sentence on all images whose registry holds other builds of Windows than their tag names; none where there are none. */
export function contradictionNotes(items: readonly Pick<ImageItem, 'image' | 'evidence' | 'notes'>[]): readonly string[] {
  const found = items.flatMap(({ image, evidence, notes }) => {
    if (evidence !== 'registry' || notes.length === 0) return [];
    const { because } = TAG_PLATFORMS.platformsOf(image);
    // as combineEvidence begins what the tag says against the registry
    const note = notes.find((text) => text.startsWith(`${because}, and the registry holds `));
    return note === undefined ? [] : [`${image} (${note})`];
  });
  if (found.length === 0) return [];
  return [`${found.length === 1 ? '1 image holds other builds of Windows than its tag names' : `${found.length} images hold other builds of Windows than their tags name`}: ${someOf(found, MOST_NAMED)}`];
}
