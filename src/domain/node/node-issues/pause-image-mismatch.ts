import { buildMatches, matcherEra } from '../../windows/containerd.ts';
import { pauseImageBuilds } from '../../windows/pause-images.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** No sandbox image on the node fits its build: every pod then fails with FailedCreatePodSandBox. */
export const pauseImageMismatch = {
  id: 'pause-image-mismatch',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#pause-container',
  check({ node, containerd, pauseImages }) {
    const build = node.build;
    if (build === null || node.imagesTruncated || pauseImages.length === 0) return null;
    const tagged = pauseImages.filter((name) => !name.includes('@'));
    const builds = tagged.map((name) => pauseImageBuilds(name));
    const rule = matcherEra(containerd)?.builds ?? 'first-ltsc';
    // An image that is not in the table, or is known by digest only, may fit: nothing is said then.
    if (tagged.length === 0 || builds.some((known) => known === null || known.some((image) => buildMatches(rule, build, image)))) return null;
    return {
      message: `none of the cached sandbox images fits build ${build}: ${tagged.join(', ')}`,
      remedy: 'set sandbox_image of containerd (or --pod-infra-container-image of an old kubelet) to a pause image with this build',
    };
  },
} as const satisfies NodeIssueKind;
