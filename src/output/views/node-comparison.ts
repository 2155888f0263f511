import { buildText } from '../../domain/node/build-text.ts';
import type { NodeComparison, NodeState } from '../../domain/node/compare-nodes.ts';
import { runtimeText } from '../../domain/node/runtime-text.ts';
import type { View } from '../view.ts';

/** `nodes --compare`: before and after per node. The document stays the WindowsNodeList, with `comparison` added. */
export function nodeComparisonView(comparisons: readonly NodeComparison[], document: () => Record<string, unknown>): View<NodeComparison> {
  const text = (side: NodeState | null, pick: (state: NodeState) => string | null): string => (side === null ? '' : pick(side) ?? '<unknown>');
  const kubelet = ({ kubeletVersion }: NodeState): string | null => kubeletVersion;
  return {
    columns: [
      { header: 'NAME', value: ({ name }) => name },
      { header: 'CHANGE', value: ({ change, replaced }) => `${change}${replaced ? '(replaced)' : ''}`, tone: ({ change }) => (change === 'unchanged' ? 'warning' : 'good') },
      { header: 'BUILD-BEFORE', value: ({ before }) => text(before, buildText) },
      { header: 'BUILD', value: ({ after }) => text(after, buildText), tone: ({ buildChanged }) => (buildChanged === false ? 'warning' : 'plain') },
      { header: 'KUBELET-BEFORE', value: ({ before }) => text(before, kubelet) },
      { header: 'KUBELET', value: ({ after }) => text(after, kubelet) },
      { header: 'RUNTIME-BEFORE', value: ({ before }) => text(before, runtimeText), wide: true },
      { header: 'RUNTIME', value: ({ after }) => text(after, runtimeText), wide: true },
      { header: 'POOL', value: ({ before, after }) => (after ?? before)?.pool ?? '', wide: true },
    ],
    items: comparisons,
    document: () => ({ ...document(), comparison: comparisons }),
    nameOf: ({ name }) => `node/${name}`,
    emptyMessage: 'No resources found',
  };
}
