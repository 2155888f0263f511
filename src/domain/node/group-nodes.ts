import type { WindowsNode } from './windows-node.ts';

export const NODE_GROUPINGS = ['pool', 'release', 'build'] as const;
export type NodeGrouping = (typeof NODE_GROUPINGS)[number];

/** Nodes that share a pool, a release or a build. */
export interface NodeGroup {
  readonly grouping: NodeGrouping;
  /** Pool name, release or build; null for the nodes of which it is not known. */
  readonly key: string | null;
  readonly nodes: readonly WindowsNode[];
}

/** Groups in the order of their keys (builds and releases newest first), those without a key last. */
export function groupNodes(nodes: readonly WindowsNode[], grouping: NodeGrouping): readonly NodeGroup[] {
  const groups = new Map<string | null, WindowsNode[]>();
  for (const node of nodes) {
    const key = keyOf(node, grouping);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [node]);
    else group.push(node);
  }
  return [...groups].map(([key, members]): NodeGroup => ({ grouping, key, nodes: members })).toSorted(compareGroups);
}

function keyOf(node: WindowsNode, grouping: NodeGrouping): string | null {
  if (grouping === 'pool') return node.pool;
  if (grouping === 'release') return node.release;
  return node.build === null ? null : String(node.build);
}

function compareGroups(a: NodeGroup, b: NodeGroup): number {
  if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
  if (a.grouping !== 'pool') {
    const difference = (b.nodes[0]?.build ?? -1) - (a.nodes[0]?.build ?? -1);
    if (difference !== 0) return difference;
  }
  return a.key < b.key ? -1 : Number(a.key > b.key);
}

/** Different values over a group, in the order of `compare`, null left out. */
export function distinctValues<Value extends string | number>(nodes: readonly WindowsNode[], pick: (node: WindowsNode) => Value | null, compare: (a: Value, b: Value) => number): readonly Value[] {
  return [...new Set(nodes.map(pick))].filter((value) => value !== null).toSorted(compare);
}
