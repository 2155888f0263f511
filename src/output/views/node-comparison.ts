import type { NodeComparison, NodeState } from '../../domain/node/compare-nodes.ts';
import type { View } from '../view.ts';

/** `nodes --compare`: before and after per node. The document stays the WindowsNodeList, with `comparison` added. */
export function nodeComparisonView(comparisons: readonly NodeComparison[], document: () => Record<string, unknown>): View<NodeComparison> {
  const state = (pick: (state: NodeState) => string | null) => (side: NodeState | null): string => (side === null ? '' : pick(side) ?? '<unknown>');
  const build = state(({ build: number, revision }) => (number === null ? null : `${number}${revision === null ? '' : `.${revision}`}`));
  const kubelet = state(({ kubeletVersion }) => kubeletVersion);
  const runtime = state(({ containerRuntime }) => containerRuntime);
  return {
    columns: [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'CHANGE', value: ({ change }) => change, tone: ({ change }) => (change === 'unchanged' ? 'warning' : 'good') },
      { header: 'BUILD-BEFORE', value: ({ before }) => build(before) },
      { header: 'BUILD', value: ({ after }) => build(after) },
      { header: 'KUBELET-BEFORE', value: ({ before }) => kubelet(before) },
      { header: 'KUBELET', value: ({ after }) => kubelet(after) },
      { header: 'RUNTIME-BEFORE', value: ({ before }) => runtime(before), wide: true },
      { header: 'RUNTIME', value: ({ after }) => runtime(after), wide: true },
      { header: 'POOL', value: ({ before, after }) => (after ?? before)?.pool ?? '', wide: true },
    ],
    items: comparisons,
    document: () => ({ ...document(), comparison: comparisons }),
    nameOf: ({ name }) => `node/${name}`,
    emptyMessage: 'No resources found',
  };
}
