/** What several rules of this topic read from a placement. */
import type { CheckFacts } from '../../facts.ts';
import type { WorkloadSubject } from '../../rule.ts';
import { someOf } from '../../../some-of.ts';
import { isIsolating } from '../../../node/node-issues/no-isolating-taint.ts';
import type { NodeTaint, WindowsNode } from '../../../node/windows-node.ts';
import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';
import type { Obstacle } from '../../../scheduling/placement.ts';
import { untoleratedTaints } from '../../../scheduling/taint-toleration.ts';

/** Obstacles that come and go, or that rules on resources tell of. */
const PASSING: ReadonlySet<Obstacle['kind']> = new Set(['unschedulable', 'resources', 'pod-count', 'host-ports', 'scheduling-gate']);
const EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

export interface TaintedNode {
  readonly node: WindowsNode;
  readonly taints: readonly NodeTaint[];
}

/** Whether the pod waits for ever: all nodes are known, none takes it, and of those that it asks for each carries a taint of the operator's that it does not tolerate. */
export function isKeptOffForEver({ placement }: WorkloadSubject, behind: readonly TaintedNode[], facts: CheckFacts): boolean {
  if (placement === null || facts.nodes?.isComplete !== true || placement.candidates.length > 0) return false;
  // a node that is full, cordoned or not ready takes it some day
  const askedFor = placement.nodes.filter(({ node, obstacles }) => node.os === 'windows' && obstacles.every(({ kind }) => kind === 'taint' || PASSING.has(kind)));
  return askedFor.length === behind.length;
}

/** Windows nodes that nothing but the operator's taints keeps the pod off. */
export function nodesBehindTaints({ workload, placement }: WorkloadSubject, facts: CheckFacts): readonly TaintedNode[] {
  if (placement === null) return [];
  const { tolerations } = podConstraintsOf(workload, facts.runtimeClasses);
  return placement.nodes.flatMap(({ node, obstacles }) => {
    if (node.os !== 'windows' || !obstacles.some(({ kind }) => kind === 'taint')) return [];
    if (!obstacles.every(({ kind }) => kind === 'taint' || PASSING.has(kind))) return [];
    const taints = untoleratedTaints(node.taints, tolerations, EFFECTS).filter(isIsolating);
    return taints.length === 0 ? [] : [{ node, taints }];
  });
}

/** `win-1, win-2 and 3 more`. */
export function namesText(all: readonly string[], limit = 3): string {
  return someOf(all, limit);
}
