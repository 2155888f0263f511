import type { PlanItem } from '../../src/domain/prepull/prepull-plan.ts';

/** An item that is to be pulled, of an image that nothing is known of. */
export function planItem(parts: Partial<PlanItem> = {}): PlanItem {
  return { node: 'win', image: 'a:1', variant: null, variants: [], action: 'pull', reason: 'NotListed', message: '', sizeBytes: null, layers: null, isolation: 'process', confidence: 'unknown', evidence: [], registryDigest: null, ...parts };
}
