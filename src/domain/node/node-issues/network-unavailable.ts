import type { NodeIssueKind } from './node-issue-kind.ts';

/** The network plugin has not set the node up. */
export const networkUnavailable = {
  id: 'network-unavailable',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/reference/node/node-status/#condition',
  check({ node }) {
    const condition = node.conditions.findLast((entry) => entry.type === 'NetworkUnavailable');
    if (condition?.status !== 'True') return null;
    return { message: `the node's network is not available${condition.reason === null ? '' : ` (${condition.reason})`}`, remedy: 'look at the Windows pods of the network plugin on this node' };
  },
} as const satisfies NodeIssueKind;
