import type { NodeIssueKind } from './node-issue-kind.ts';

/** The cloud's node manager never took the node over. */
export const cloudUninitialized = {
  id: 'cloud-uninitialized',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#node-cloudprovider-kubernetes-io-uninitialized',
  check({ node }) {
    if (!node.taints.some((taint) => taint.key === 'node.cloudprovider.kubernetes.io/uninitialized')) return null;
    return {
      message: 'the taint node.cloudprovider.kubernetes.io/uninitialized is still on the node, so next to no pod may run there',
      remedy: 'look whether the Windows DaemonSet of the cloud node manager is running on it (selector, toleration, image)',
    };
  },
} as const satisfies NodeIssueKind;
