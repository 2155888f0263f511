import { skewOf } from './kubelet-skew.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** Allowed today, and no longer after the next upgrade of the control plane. */
export const kubeletAtSkewLimit = {
  id: 'kubelet-at-skew-limit',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/releases/version-skew-policy/#kubelet',
  check(subject) {
    const skew = skewOf(subject);
    if (skew === null || skew.behind !== skew.allowed) return null;
    return {
      message: `kubelet ${skew.kubelet} is ${skew.behind} minor versions behind the API server ${skew.server}: allowed, but one more minor of the server breaks it`,
      remedy: 'upgrade the node before the control plane',
    };
  },
} as const satisfies NodeIssueKind;
