import type { NodeIssueKind } from './node-issue-kind.ts';

/** Skew could not be judged; said so that silence does not read as "fine". */
export const kubeletSkewUnknown = {
  id: 'kubelet-skew-unknown',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/releases/version-skew-policy/#kubelet',
  check({ node, kubeletVersion, serverVersion }) {
    if (kubeletVersion !== null && serverVersion !== null) return null;
    const kubelet = kubeletVersion === null ? [node.kubeletVersion === null ? 'the node names no kubelet version' : `the kubelet version "${node.kubeletVersion}" cannot be read`] : [];
    const server = serverVersion === null ? ['the version of the API server is not known'] : [];
    return {
      message: `kubelet skew was not evaluated: ${[...kubelet, ...server].join(' and ')}`,
      remedy: serverVersion === null ? 'say it with --kubernetes-version' : 'look at the kubelet on the node',
    };
  },
} as const satisfies NodeIssueKind;
