import type { WindowsNode } from './windows-node.ts';

/** What became of a node between two readings of a cluster. */
export interface NodeComparison {
  readonly name: string;
  /** Of release, build, revision, kubelet and container runtime. */
  readonly change: 'added' | 'removed' | 'changed' | 'unchanged';
  /** Same name, but another object (its UID differs), as after a reimage that deletes and re-adds the node. */
  readonly replaced: boolean;
  /** Whether build or revision differ, which an upgrade of Windows must achieve; null where one of them is not known or one side is missing. */
  readonly buildChanged: boolean | null;
  readonly before: NodeState | null;
  readonly after: NodeState | null;
}

/** What an upgrade is meant to change. */
export type NodeState = Pick<WindowsNode, 'uid' | 'pool' | 'release' | 'build' | 'revision' | 'kubeletVersion' | 'containerRuntime'>;

function nodeState({ uid, pool, release, build, revision, kubeletVersion, containerRuntime }: WindowsNode): NodeState {
  return { uid, pool, release, build, revision, kubeletVersion, containerRuntime };
}

/** Compares by node name; order: as after, then the removed ones as before. */
export function compareNodes(before: readonly WindowsNode[], after: readonly WindowsNode[]): readonly NodeComparison[] {
  const old = new Map(before.map((node) => [node.name, nodeState(node)]));
  const names = new Set(after.map((node) => node.name));
  return [
    ...after.map((node) => compare(node.name, old.get(node.name) ?? null, nodeState(node))),
    ...before.filter((node) => !names.has(node.name)).map((node) => compare(node.name, nodeState(node), null)),
  ];
}

function compare(name: string, before: NodeState | null, after: NodeState | null): NodeComparison {
  if (before === null || after === null) return { name, change: before === null ? 'added' : 'removed', replaced: false, buildChanged: null, before, after };
  const differs = (['release', 'build', 'revision', 'kubeletVersion'] as const).some((field) => before[field] !== after[field]);
  const runtimeDiffers = before.containerRuntime?.name !== after.containerRuntime?.name || before.containerRuntime?.version !== after.containerRuntime?.version;
  return {
    name,
    change: differs || runtimeDiffers ? 'changed' : 'unchanged',
    replaced: before.uid !== null && after.uid !== null && before.uid !== after.uid,
    buildChanged: before.build === null || after.build === null ? null : before.build !== after.build || before.revision !== after.revision,
    before, after,
  };
}
