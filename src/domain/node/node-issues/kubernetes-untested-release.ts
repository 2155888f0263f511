import { minorText } from '../../kubernetes/version.ts';
import { UNLISTED_RELEASES } from '../../windows/kubernetes-support.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** The Kubernetes project does not list this release for nodes of this version, and tests it no more. */
export const kubernetesUntestedRelease = {
  id: 'kubernetes-untested-release',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support',
  check({ release, serverVersion, kubeletVersion }) {
    // A kubelet is never newer than its API server, so it bounds the server's version from below where that is not known.
    const version = serverVersion ?? kubeletVersion;
    const row = UNLISTED_RELEASES.find((entry) => entry.release === release?.release);
    if (release === null || row === undefined || version === null || version.major !== 1 || version.minor < row.fromMinor) return null;
    return {
      message: `${release.product} is not among the Windows versions that Kubernetes lists for nodes of ${minorText(version)} (missing since 1.${row.fromMinor} at the latest)`,
      remedy: 'move to a release that is listed and tested',
      ...(row.source === null ? {} : { reference: row.source }),
    };
  },
} as const satisfies NodeIssueKind;
