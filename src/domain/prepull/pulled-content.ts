/**
 * Whether what came onto a node is what the registry named. A node names an image by the digest of the reference, which for an index is
 * that of the index, whichever variant it took of it (imageID, https://github.com/containerd/containerd/pull/12787, read 2026-11-30): it tells the
 * content, and the variant where the image is a single one.
 */
import type { PlanItem } from './prepull-plan.ts';
import { someOf } from '../some-of.ts';

/** other: the tag has moved since, or a mirror of the node's has something else under it. */
export type PulledContent = 'expected' | 'other';

export interface PulledItem extends Pick<PlanItem, 'node' | 'image' | 'variants' | 'registryDigest'> {
  readonly outcome: { readonly digest: string | null } | null;
}

/** null where the registry or the node did not tell. */
export function pulledContent({ registryDigest, variants, outcome }: PulledItem): PulledContent | null {
  const digest = outcome?.digest ?? null;
  if (registryDigest === null || digest === null) return null;
  if (digest === registryDigest || variants.some((variant) => variant.digest === digest)) return 'expected';
  // An index with one version several times, of which a runtime may name the entry.
  return variants.some((variant) => variant.digest === null) ? null : 'other';
}

/** Nodes that a note names. */
const MOST_NAMED = 3;

export function otherContentNotes(items: readonly PulledItem[]): readonly string[] {
  const nodes = new Map<string, string[]>();
  for (const item of items) if (pulledContent(item) === 'other') nodes.set(item.image, [...nodes.get(item.image) ?? [], item.node]);
  return [...nodes].map(([image, names]) => `${image}: ${someOf(names, MOST_NAMED)} ${names.length === 1 ? 'has' : 'have'} other content than the registry named: the tag has moved since, or a mirror of the nodes has something else`);
}
