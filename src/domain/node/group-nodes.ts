import type { WindowsNode } from './windows-node.ts';

export const NODE_GROUPINGS = ['pool', 'release', 'build'] as const;
export type NodeGrouping = (typeof NODE_GROUPINGS)[number];

/** A node, and the kubeconfig context that it was read from where several were. */
export interface NodeOfContext {
  readonly node: WindowsNode;
  readonly context: string | null;
}

/** Nodes that share a pool, a release or a build. */
export interface NodeGroup {
  readonly grouping: NodeGrouping;
  /** Pool name, release or build; null for the nodes of which it is not known. */
  readonly key: string | null;
  /** Pools of one name in two clusters are two pools; null where a group is of all clusters. */
  readonly context: string | null;
  readonly nodes: readonly WindowsNode[];
}

/** Groups in the order of their keys (builds and releases newest first), those without a key last. */
export function groupNodes(nodes: readonly NodeOfContext[], grouping: NodeGrouping): readonly NodeGroup[] {
  const groups = new Map<string, { key: string | null; context: string | null; nodes: WindowsNode[] }>();
  for (const { node, context: ownContext } of nodes) {
    const key = keyOf(node, grouping);
    const context = grouping === 'pool' ? ownContext : null;
    const identity = JSON.stringify([context, key]);
    const group = groups.get(identity) ?? { key, context, nodes: [] };
    groups.set(identity, group);
    group.nodes.push(node);
  }
  return [...groups.values()].map((group): NodeGroup => ({ grouping, ...group })).toSorted(compareGroups);
}

function keyOf(node: WindowsNode, grouping: NodeGrouping): string | null {
  if (grouping === 'pool') return node.pool;
  if (grouping === 'release') return node.release;
  return node.build === null ? null : String(node.build);
}

function compareGroups(a: NodeGroup, b: NodeGroup): number {
  if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null) || ascending(a.context ?? '', b.context ?? '');
  if (a.grouping !== 'pool') {
    const difference = (b.nodes[0]?.build ?? -1) - (a.nodes[0]?.build ?? -1);
    if (difference !== 0) return difference;
  }
  return ascending(a.context ?? '', b.context ?? '') || ascending(a.key, b.key);
}

function ascending<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : Number(a > b);
}

/** Different values over a group, in the order of `compare` (default: smaller first), null left out. */
export function distinctValues<Value extends string | number>(nodes: readonly WindowsNode[], pick: (node: WindowsNode) => Value | null, compare: (a: Value, b: Value) => number = ascending): readonly Value[] {
  return [...new Set(nodes.map(pick))].filter((value) => value !== null).toSorted(compare);
}
