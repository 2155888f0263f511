/**
 * Why an empty node has no room for a pod: NodeResourcesFit without running pods.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/scheduler/framework/plugins/noderesources/fit.go, read 2026-11-30
 */
import type { Obstacle } from './placement.ts';
import type { ResourceRequest } from './pod-requests.ts';

/** `has` is the node's quantity as written; undefined where it does not report the resource. */
export function roomObstacle(resource: string, { amount, path }: ResourceRequest, has: string | undefined): Obstacle {
  if (resource === 'pods') return { kind: 'pod-count', path: null, text: `the node takes no pods: allocatable pods is ${has ?? 'missing'}` };
  return { kind: 'resources', path, text: `the pod requests ${amountText(resource, amount)} of ${resource}, ${has === undefined ? 'which the node does not have' : `the node has ${has}`}` };
}

const UNITS = [['', 1], ['Ki', 2 ** 10], ['k', 1e3], ['Mi', 2 ** 20], ['M', 1e6], ['Gi', 2 ** 30], ['G', 1e9], ['Ti', 2 ** 40], ['T', 1e12]] as const;

/** A quantity as people write it: 1500m, 2, 3Gi, 50G; in the unit that makes its number smallest. */
function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  if (resource !== 'memory' && resource !== 'ephemeral-storage' && !resource.startsWith('hugepages-')) return String(amount);
  const [unit, factor] = UNITS.findLast(([, size]) => amount % size === 0) ?? UNITS[0];
  return `${amount / factor}${unit}`;
}
