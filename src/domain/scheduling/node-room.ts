/**
 * Whether an empty node has room for a pod: NodeResourcesFit without running pods.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/scheduler/framework/plugins/noderesources/fit.go, read 2026-11-30
 */
import type { WindowsNode } from '../node/windows-node.ts';
import { ownValue } from '../kubernetes/object.ts';
import type { Obstacle } from './placement.ts';
import { amountOf, roundUp, type PodRequests, type ResourceRequest } from './pod-requests.ts';

/**
 * What a node has allocatable of a resource, in the unit of requests; 0 for one that it does not report. Infinity where it
 * reports nothing at all: its room is not known, and nothing follows from that.
 */
export function allocatableOf(node: WindowsNode, resource: string): number {
  const quantity = ownValue(node.allocatable, resource);
  if (quantity === undefined) return hasKnownRoom(node) ? 0 : Infinity;
  return roundUp(amountOf(resource, quantity) ?? 0);
}

/** Whether the node says what it has room for. */
export function hasKnownRoom(node: WindowsNode): boolean {
  for (const _name in node.allocatable) return true;
  return false;
}

export function roomObstacles(node: WindowsNode, requests: PodRequests): readonly Obstacle[] {
  const obstacles: Obstacle[] = [];
  if (allocatableOf(node, 'pods') < 1) obstacles.push({ kind: 'pod-count', path: null, text: `the node takes no pods: allocatable pods is ${ownValue(node.allocatable, 'pods') ?? 'missing'}` });
  for (const [resource, request] of requests) {
    if (allocatableOf(node, resource) < request.amount) obstacles.push({ kind: 'resources', path: request.path, text: shortageText(node, resource, request) });
  }
  return obstacles;
}

function shortageText(node: WindowsNode, resource: string, { amount }: ResourceRequest): string {
  const has = ownValue(node.allocatable, resource);
  return `the pod requests ${amountText(resource, amount)} of ${resource}, ${has === undefined ? 'which the node does not have' : `the node has ${has}`}`;
}

const UNITS = [['', 1], ['Ki', 2 ** 10], ['k', 1e3], ['Mi', 2 ** 20], ['M', 1e6], ['Gi', 2 ** 30], ['G', 1e9], ['Ti', 2 ** 40], ['T', 1e12]] as const;

/** A quantity as people write it: 1500m, 2, 3Gi, 50G; in the unit that makes its number smallest. */
function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  if (resource !== 'memory' && resource !== 'ephemeral-storage' && !resource.startsWith('hugepages-')) return String(amount);
  const [unit, factor] = UNITS.findLast(([, size]) => amount % size === 0) ?? UNITS[0];
  return `${amount / factor}${unit}`;
}
