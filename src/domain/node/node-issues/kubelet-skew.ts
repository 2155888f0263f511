import { minorText, minorsBehind } from '../../kubernetes/version.ts';
import { type NodeIssueKind, type NodeSubject } from './node-issue-kind.ts';

const POLICY = 'https://kubernetes.io/releases/version-skew-policy/#kubelet';

/** The kubelet is older or newer than the version skew policy allows. */
export const kubeletSkew = {
  id: 'kubelet-skew',
  facts: ['NOD-004'],
  severity: 'warning',
  reference: POLICY,
  check(subject) {
    const skew = skewOf(subject);
    if (skew === null) return null;
    const { behind, allowed, kubelet, server } = skew;
    if (behind < 0) {
      return { message: `kubelet ${kubelet} is newer than the API server ${server}, which is never supported`, remedy: 'upgrade the control plane, or go back to an older node image' };
    }
    if (behind <= allowed) return null;
    return { message: `kubelet ${kubelet} is ${behind} minor versions behind the API server ${server}; ${allowed} are supported`, remedy: `upgrade the node to ${server}` };
  },
} as const satisfies NodeIssueKind;

interface KubeletSkewFacts {
  readonly behind: number;
  readonly allowed: number;
  readonly kubelet: string;
  readonly server: string;
}

/** Null when either version is not known, or when they are of different majors. */
export function skewOf({ kubeletVersion, serverVersion }: Pick<NodeSubject, 'kubeletVersion' | 'serverVersion'>): KubeletSkewFacts | null {
  if (kubeletVersion === null || serverVersion === null) return null;
  const behind = minorsBehind(kubeletVersion, serverVersion);
  // "kubelet < 1.25 may only be up to two minor versions older" (the policy, read 2026-11-30)
  return behind === null ? null : { behind, allowed: kubeletVersion.minor < 25 ? 2 : 3, kubelet: minorText(kubeletVersion), server: minorText(serverVersion) };
}
