/**
 * Nodes without what comes and goes with their state. Where pods land in the long run hangs on labels, on taints of the operator's and
 * on room; that a node is not Ready, cordoned, under pressure or not taken over by its cloud keeps them off for now.
 */
import { factTable, type FactTable } from '../kubernetes/fact-table.ts';
import { isLifecycleTaint } from '../node/node-issues/no-isolating-taint.ts';
import type { NodeTaint, WindowsNode } from '../node/windows-node.ts';

/**
 * Of nodes that will be gone: https://github.com/kubernetes/autoscaler/blob/e80ab518340f88f364fe3ef063f8303755125971/cluster-autoscaler/utils/deletetaint/delete.go,
 * https://karpenter.sh/v1.15/concepts/disruption/ and, before Karpenter 1, https://karpenter.sh/v0.36/concepts/disruption/. Read 2026-11-30.
 */
const LEAVING_TAINTS: ReadonlySet<string> = new Set(['ToBeDeletedByClusterAutoscaler', 'karpenter.sh/disrupted', 'karpenter.sh/disruption']);
const CORDON_TAINT = 'node.kubernetes.io/unschedulable';

/** Taints by which a node is being removed for good. */
export function leavingTaints({ taints }: WindowsNode): readonly NodeTaint[] {
  return taints.filter(({ key }) => LEAVING_TAINTS.has(key));
}

/** Taints that keep pods off for now; a cordon is told by `unschedulable`. */
export function passingTaints({ taints }: WindowsNode): readonly NodeTaint[] {
  return taints.filter((taint) => isLifecycleTaint(taint) && taint.effect !== 'PreferNoSchedule' && taint.key !== CORDON_TAINT && !LEAVING_TAINTS.has(taint.key));
}

/** The same object where nothing passes. */
export function settledNode(node: WindowsNode): WindowsNode {
  const takesNoPods = node.allocatable['pods'] === '0';
  if (!node.unschedulable && !takesNoPods && !node.taints.some(isLifecycleTaint)) return node;
  return { ...node, unschedulable: false, taints: node.taints.filter((taint) => !isLifecycleTaint(taint)), allocatable: takesNoPods ? { ...node.allocatable, pods: '1' } : node.allocatable };
}

/** Nodes, each that is not settled followed by what it will be, under the same name. `settled`: the latter ones. */
export function withSettledNodes(nodes: FactTable<WindowsNode>): { readonly nodes: FactTable<WindowsNode>; readonly settled: ReadonlySet<WindowsNode> } {
  const settled = new Set<WindowsNode>();
  const entries = [...nodes.values()].flatMap((node): readonly (readonly [string, WindowsNode])[] => {
    const later = settledNode(node);
    if (later === node) return [[node.name, node]];
    settled.add(later);
    // a name of a node has no space
    return [[node.name, node], [`${node.name} settled`, later]];
  });
  return { nodes: factTable(new Map(entries), nodes.isComplete), settled };
}
