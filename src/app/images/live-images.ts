import type { CheckFacts } from '../../domain/check/facts.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { PODS } from '../../domain/kubernetes/resource.ts';
import type { LiveImageEvidence } from '../../domain/image/live-evidence.ts';
import type { Reading } from '../workloads/reading.ts';

/** Takes what pods prove of their images, on nodes that are known as facts. */
export function seePods(live: LiveImageEvidence, pods: readonly KubeObject[], nodes: CheckFacts['nodes']): void {
  if (nodes !== null) live.addPods(pods, (name) => nodes.get(name));
}

/** Reads the pods of all namespaces for what they prove; what may not be read is noted by the reading. */
export async function seeRunningPods(live: LiveImageEvidence, reading: Reading, nodes: CheckFacts['nodes']): Promise<void> {
  if (nodes === null || ![...nodes.values()].some(({ os }) => os === 'windows')) return;
  for await (const { items } of reading.pages(PODS, { podDigest: () => true })) seePods(live, items, nodes);
}
