/** On which nodes can a pod land? The scheduler's own predicates (product.md question 2). */
import type { FieldPath } from '../kubernetes/field-path.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import type { FactTable } from '../check/facts.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { Workload } from '../workload/workload.ts';

/** Why a node cannot take a pod. */
export interface Obstacle {
  readonly kind: 'node-name' | 'node-selector' | 'node-affinity' | 'runtime-class' | 'taint' | 'unschedulable' | 'resources' | 'pod-count' | 'host-ports' | 'scheduling-gate';
  /** Field of the object that stands in the way; null where none does (a taint without any toleration). */
  readonly path: FieldPath | null;
  /** A few words with the values: `taint os=windows:NoSchedule is not tolerated`. */
  readonly text: string;
}

export interface NodePlacement {
  readonly node: WindowsNode;
  /** Empty when the pod can land there. */
  readonly obstacles: readonly Obstacle[];
}

export interface Placement {
  /** Every node of the inventory, in its order. */
  readonly nodes: readonly NodePlacement[];
  /** Nodes without an obstacle. */
  readonly candidates: readonly WindowsNode[];
  /** Candidates that run Windows. */
  readonly windowsCandidates: readonly WindowsNode[];
  /** Parts of the pod that were not evaluated (volumes' node affinity, topology spread, …), a few words each. */
  readonly notEvaluated: readonly string[];
}

/** First version, to be replaced: everything fits. */
export function placeWorkload(_workload: Workload, nodes: FactTable<WindowsNode>, _runtimeClasses: FactTable<KubeObject> | null): Placement {
  const all = [...nodes.values()];
  return { nodes: all.map((node) => ({ node, obstacles: [] })), candidates: all, windowsCandidates: all.filter(({ os }) => os === 'windows'), notEvaluated: [] };
}
