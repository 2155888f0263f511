/**
 * Whether pulls make a kubelet remove images: at imageGCHighThresholdPercent of the disk, 85 by default, it removes those that no container
 * uses until 80% are in use, and first of them those that it never saw in use, as are images that were pulled beforehand
 * (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/image_gc_manager.go, GarbageCollect and byLastUsedAndDetected, and
 * pkg/kubelet/apis/config/v1beta1/defaults.go, read 2026-11-30). A node does not tell its thresholds.
 */
import { unpackedBytes } from './node-layers.ts';
import type { NodeToPrepull, PlanItem } from './prepull-plan.ts';
import { estimateByNode } from './pull-estimate.ts';

/** It counts whole percents that are free, rounded down, so that it begins below 16%. */
const MOST_FREE_PERCENT = 100 - 85;
/** The --min-free that keeps clear of it. */
export const SAFE_MIN_FREE = '16%';

/** Names of the nodes whose pulls end there, by default thresholds, as far as space and sizes are known. */
export function nodesFilledByPulls(items: readonly PlanItem[], nodes: readonly Pick<NodeToPrepull, 'node' | 'space'>[]): readonly string[] {
  const bytes = new Map(estimateByNode(items).map(({ node, plannedBytes }) => [node, unpackedBytes(plannedBytes)]));
  return nodes.flatMap(({ node: { name }, space }) => {
    const pulled = bytes.get(name);
    if (pulled === undefined || space === null) return [];
    return Math.floor(((space.availableBytes - pulled) * 100) / space.capacityBytes) <= MOST_FREE_PERCENT ? [name] : [];
  });
}
