import type { WindowsNode } from './windows-node.ts';

/** What became of a node between two readings of a cluster. */
export interface NodeComparison {
  readonly name: string;
  /** `replaced`: same name, but another object (its UID differs), as after a reimage that deletes and re-adds the node. */
  readonly change: 'added' | 'removed' | 'changed' | 'replaced' | 'unchanged';
  readonly before: NodeState | null;
  readonly after: NodeState | null;
}

/** What an upgrade is meant to change. */
export interface NodeState {
  readonly uid: string | null;
  readonly pool: string | null;
  readonly release: string | null;
  readonly build: number | null;
  readonly revision: number | null;
  readonly kubeletVersion: string | null;
  readonly containerRuntime: string | null;
}

export function nodeState(node: WindowsNode): NodeState {
  return {
    uid: node.uid, pool: node.pool, release: node.release, build: node.build, revision: node.revision, kubeletVersion: node.kubeletVersion,
    containerRuntime: node.containerRuntime === null ? null : `${node.containerRuntime.name}://${node.containerRuntime.version}`,
  };
}

/** Compares by node name; order: as after, then the removed ones as before. */
export function compareNodes(before: readonly WindowsNode[], after: readonly WindowsNode[]): readonly NodeComparison[] {
  const old = new Map(before.map((node) => [node.name, nodeState(node)]));
  const present = after.map((node): NodeComparison => {
    const state = nodeState(node);
    const previous = old.get(node.name) ?? null;
    return { name: node.name, change: previous === null ? 'added' : changeOf(previous, state), before: previous, after: state };
  });
  const names = new Set(after.map((node) => node.name));
  const removed = before.filter((node) => !names.has(node.name)).map((node): NodeComparison => ({ name: node.name, change: 'removed', before: nodeState(node), after: null }));
  return [...present, ...removed];
}

function changeOf(before: NodeState, after: NodeState): NodeComparison['change'] {
  if (before.uid !== null && after.uid !== null && before.uid !== after.uid) return 'replaced';
  const fields = ['release', 'build', 'revision', 'kubeletVersion', 'containerRuntime'] as const;
  return fields.some((field) => before[field] !== after[field]) ? 'changed' : 'unchanged';
}
