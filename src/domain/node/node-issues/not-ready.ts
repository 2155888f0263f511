import type { NodeIssueKind } from './node-issue-kind.ts';

/** The node is not Ready, or nobody knows. */
export const notReady = {
  id: 'not-ready',
  facts: [],
  severity: 'error',
  reference: 'https://kubernetes.io/docs/reference/node/node-status/#condition',
  check({ node, readyMessage }) {
    if (node.ready === true) return null;
    const condition = node.conditions.findLast((entry) => entry.type === 'Ready');
    if (condition === undefined) return { message: 'the node reports no Ready condition', remedy: 'look whether its kubelet ever ran (kubectl describe node)' };
    const reason = condition.reason === null ? '' : ` (${condition.reason}${readyMessage === null ? '' : `: ${readyMessage}`})`;
    return node.ready === false
      ? { message: `the node is not Ready${reason}`, remedy: 'look at the kubelet and the network plugin (kubectl describe node)' }
      : { message: `whether the node is Ready is ${condition.status}${reason}: its kubelet sends no heartbeats`, remedy: 'look whether the machine runs and reaches the API server' };
  },
} as const satisfies NodeIssueKind;
