/** Tags that are made to be moved. */
import type { ParsedReference } from '../../../image/reference.ts';

export type MovingTag = { readonly kind: 'none' } | { readonly kind: 'latest' | 'moving'; readonly tag: string };

const LATEST = /(?:^|[-_.])latest(?:$|[-_.])/i;
/** With a number or a date behind it, it is fixed: `nightly-20240101`, `1.0-dev.3`. */
const MOVING = /(?:^|[-_.])(?:canary|staging|edge|nightly|dev|main|master|head|snapshot|unstable|rolling)(?:$|[-_.](?!\d))/i;

/** null for a fixed tag, and for whatever has a digest. `none`: no tag is written. */
export function movingTagOf(parsed: ParsedReference): MovingTag | null {
  if (parsed.kind !== 'reference' || parsed.reference.digest !== null) return null;
  const { tag } = parsed.reference;
  if (tag === null) return { kind: 'none' };
  return LATEST.test(tag) ? { kind: 'latest', tag } : MOVING.test(tag) ? { kind: 'moving', tag } : null;
}
