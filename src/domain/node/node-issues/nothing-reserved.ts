import { parseQuantity } from '../../kubernetes/quantity.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** All memory of the machine is promised to pods; Windows has no OOM killer and starts paging instead. */
export const nothingReserved = {
  id: 'nothing-reserved',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/concepts/configuration/windows-resource-management/#resource-reservation',
  check({ node }) {
    const capacity = parseQuantity(node.capacity['memory'] ?? '');
    const allocatable = parseQuantity(node.allocatable['memory'] ?? '');
    if (capacity === null || capacity <= 0 || allocatable !== capacity) return null;
    return {
      message: `all memory is allocatable (${node.allocatable['memory']}): nothing is reserved for Windows and the kubelet`,
      remedy: 'reserve at least 2 GiB with --kube-reserved or --system-reserved',
    };
  },
} as const satisfies NodeIssueKind;
