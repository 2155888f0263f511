import { NodeLayers } from './node-layers.ts';
import { isThere, isToPull, type PlanItem } from './prepull-plan.ts';

/** What the pulls of a plan fetch onto a node, compressed. Field names are a contract: PrepullReport.nodes. */
export interface NodeEstimate {
  readonly node: string;
  /** Each layer once, as far as sizes are known. */
  readonly plannedBytes: number;
  /** Of the sizes of its images, what is fetched once for several of them or is there already. */
  readonly sharedBytes: number;
  /** Pulls of which no size is known. */
  readonly unknownSizes: number;
}

/** Nodes onto which something is pulled, in their order. */
export function estimateByNode(items: readonly PlanItem[]): readonly NodeEstimate[] {
  const byNode = new Map<string, PlanItem[]>();
  for (const item of items) {
    const own = byNode.get(item.node);
    if (own === undefined) byNode.set(item.node, [item]);
    else own.push(item);
  }
  return [...byNode].flatMap(([node, own]) => estimateOf(node, own) ?? []);
}

function estimateOf(node: string, items: readonly PlanItem[]): NodeEstimate | null {
  const toPull = items.filter((item) => isToPull(item) && !isThere(item));
  if (toPull.length === 0) return null;
  const layers = new NodeLayers();
  for (const item of items) if (isThere(item)) layers.add(item);
  let [plannedBytes, sharedBytes, unknownSizes] = [0, 0, 0];
  for (const item of toPull) {
    const bytes = layers.missingBytes(item);
    layers.add(item);
    if (bytes === null) unknownSizes += 1;
    plannedBytes += bytes ?? 0;
    sharedBytes += Math.max(0, (item.sizeBytes ?? 0) - (bytes ?? 0));
  }
  return { node, plannedBytes, sharedBytes, unknownSizes };
}
