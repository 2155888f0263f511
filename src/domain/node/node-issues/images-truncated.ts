import type { NodeIssueKind } from './node-issue-kind.ts';

/** status.images does not tell what is absent. */
export const imagesTruncated = {
  id: 'images-truncated',
  facts: ['NOD-009'],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/',
  check({ node }) {
    if (!node.imagesTruncated) return null;
    return {
      message: `the list of cached images has ${node.imageCount} entries, the kubelet's limit: what is not listed may be there all the same`,
      remedy: 'raise nodeStatusMaxImages in the kubelet configuration, or read absence as unknown',
    };
  },
} as const satisfies NodeIssueKind;
