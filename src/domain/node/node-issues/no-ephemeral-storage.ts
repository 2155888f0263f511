import { parseQuantity } from '../../kubernetes/quantity.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** Pods that request ephemeral storage never fit. */
export const noEphemeralStorage = {
  id: 'no-ephemeral-storage',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#local-ephemeral-storage',
  check({ node }) {
    if (parseQuantity(node.allocatable['ephemeral-storage'] ?? '') !== 0) return null;
    return { message: 'allocatable ephemeral-storage is 0: pods that request ephemeral-storage never fit on this node', remedy: 'find out why the kubelet reads no size of its disk; leave the request out until then' };
  },
} as const satisfies NodeIssueKind;
