import { type NodeGroup, distinctValues } from '../../domain/node/group-nodes.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import type { Column, View } from '../view.ts';

/** `nodes --group-by`: a row per group. The document stays the WindowsNodeList, with `groups` added. */
export function nodeGroupsView(groups: readonly NodeGroup[], document: () => Record<string, unknown>): View<NodeGroup> {
  return {
    columns: groupColumns(groups),
    items: groups,
    document: () => ({ ...document(), groups: groups.map((group) => ({ by: group.grouping, key: group.key, nodes: group.nodes.map((node) => node.name) })) }),
    nameOf: (group) => group.nodes.map((node) => `node/${node.name}`).join('\n'),
    emptyMessage: 'No resources found',
  };
}

function groupColumns(groups: readonly NodeGroup[]): readonly Column<NodeGroup>[] {
  const grouping = groups[0]?.grouping ?? 'pool';
  const texts = (pick: (node: WindowsNode) => string | null) => (group: NodeGroup): string => distinctValues(group.nodes, pick, (a, b) => (a < b ? -1 : Number(a > b))).join(',');
  return [
    { header: grouping.toUpperCase(), value: (group) => group.key ?? '<unknown>' },
    { header: 'NODES', value: (group) => String(group.nodes.length) },
    { header: 'READY', value: (group) => String(group.nodes.filter((node) => node.ready === true).length), tone: (group) => (group.nodes.every((node) => node.ready === true) ? 'plain' : 'bad') },
    ...(grouping === 'release' ? [] : [{ header: 'RELEASE', value: texts((node) => node.release) }]),
    ...(grouping === 'pool' ? [] : [{ header: 'POOLS', value: texts((node) => node.pool) }]),
    { header: 'BUILD', value: (group) => revisionsOf(group).join(','), tone: (group) => (revisionsOf(group).length > 1 ? 'warning' : 'plain') },
    { header: 'KUBELET', value: texts((node) => node.kubeletVersion) },
    { header: 'RUNTIME', value: texts((node) => (node.containerRuntime === null ? null : `${node.containerRuntime.name}://${node.containerRuntime.version}`)) },
    { header: 'ISSUES', value: (group) => [...new Set(group.nodes.flatMap((node) => node.issues.map((issue) => issue.id)))].join(',') },
  ];
}

/** `26100.33158` newest first; compared as numbers, since 4061 is older than 33158. */
function revisionsOf(group: NodeGroup): readonly string[] {
  const known = group.nodes.filter((node) => node.build !== null).toSorted((a, b) => (b.build ?? 0) - (a.build ?? 0) || (b.revision ?? -1) - (a.revision ?? -1));
  return [...new Set(known.map((node) => (node.revision === null ? String(node.build) : `${node.build}.${node.revision}`)))];
}
