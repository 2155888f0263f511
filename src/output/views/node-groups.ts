import { buildText } from '../../domain/node/build-text.ts';
import { type NodeGroup, distinctValues } from '../../domain/node/group-nodes.ts';
import { runtimeText } from '../../domain/node/runtime-text.ts';
import type { NodeIssue, WindowsNode } from '../../domain/node/windows-node.ts';
import type { Column, View } from '../view.ts';
import { issuesText, issuesTone } from './issues-cell.ts';

/** `nodes --group-by`: a row per group. The document stays the WindowsNodeList, with `groups` added. */
export function nodeGroupsView(groups: readonly NodeGroup[], document: () => Record<string, unknown>): View<NodeGroup> {
  return {
    columns: groupColumns(groups),
    items: groups,
    document: () => ({ ...document(), groups: groups.map(({ grouping, key, context, nodes }) => ({ by: grouping, key, context, nodes: nodes.map(({ name }) => name) })) }),
    nameOf: ({ key }) => `group/${key ?? ''}`,
    emptyMessage: 'No resources found',
  };
}

function groupColumns(groups: readonly NodeGroup[]): readonly Column<NodeGroup>[] {
  const grouping = groups[0]?.grouping ?? 'pool';
  const texts = (pick: (node: WindowsNode) => string | null) => ({ nodes }: NodeGroup): string => distinctValues(nodes, pick).join(',');
  return [
    ...(groups.some(({ context }) => context !== null) ? [{ header: 'CONTEXT', value: ({ context }: NodeGroup) => context ?? '' }] : []),
    // a node without a pool has none; a node without a build does not tell it
    { header: grouping.toUpperCase(), value: ({ key }) => key ?? (grouping === 'pool' ? '' : '<unknown>') },
    { header: 'NODES', value: ({ nodes }) => String(nodes.length) },
    { header: 'READY', value: ({ nodes }) => String(nodes.filter(({ ready }) => ready === true).length), tone: ({ nodes }) => (nodes.every(({ ready }) => ready === true) ? 'plain' : 'bad') },
    ...(grouping === 'release' ? [] : [{ header: 'RELEASE', value: texts(({ release }) => release) }]),
    ...(grouping === 'pool' ? [] : [{ header: 'POOLS', value: texts(({ pool }) => pool) }]),
    { header: 'REVISIONS', value: (group) => revisionsOf(group).join(','), tone: (group) => (revisionsOf(group).length > 1 ? 'warning' : 'plain') },
    { header: 'BEHIND', value: monthsBehind },
    { header: 'KUBELET', value: texts(({ kubeletVersion }) => kubeletVersion) },
    { header: 'RUNTIME', value: texts(runtimeText) },
    { header: 'ISSUES', value: (group) => issuesText(issuesOf(group)), tone: (group) => issuesTone(issuesOf(group)) },
    { header: 'PROVIDER', wide: true, value: texts(({ provider }) => provider) },
    { header: 'SUPPORT-ENDS', wide: true, value: texts(({ support }) => support.lastDay) },
  ];
}

/** `26100.33158` newest first; compared as numbers, since 4061 is older than 33158. */
function revisionsOf({ nodes }: NodeGroup): readonly string[] {
  const newestFirst = nodes.toSorted((a, b) => (b.build ?? 0) - (a.build ?? 0) || (b.revision ?? -1) - (a.revision ?? -1));
  return [...new Set(newestFirst.map(buildText))].filter((text) => text !== null);
}

/** Monthly updates that the most outdated node is behind. */
function monthsBehind({ nodes }: NodeGroup): string {
  const known = nodes.flatMap(({ patch }) => (patch.monthsBehind === null ? [] : [patch.monthsBehind]));
  return known.length === 0 ? '<unknown>' : String(Math.max(...known));
}

function issuesOf({ nodes }: NodeGroup): readonly NodeIssue[] {
  return nodes.flatMap(({ issues }) => issues);
}
