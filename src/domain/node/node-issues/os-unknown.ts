import type { NodeIssueKind } from './node-issue-kind.ts';

/** Nothing on the object tells the operating system; no other kind is judged then. */
export const osUnknown = {
  id: 'os-unknown',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os',
  check({ node }) {
    if (node.os !== null) return null;
    return { message: 'the operating system of the node is unknown: neither nodeInfo, nor its labels, nor osImage names one', remedy: 'look at the object (kubectl get node -o yaml): its kubelet may never have run' };
  },
} as const satisfies NodeIssueKind;
