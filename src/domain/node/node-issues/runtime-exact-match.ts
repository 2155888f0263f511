import { STABLE_ABI_BUILDS, matcherEra } from '../../windows/containerd.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** A host that could run older images, held back by a containerd that compares builds for equality. */
export const runtimeExactMatch = {
  id: 'runtime-exact-match',
  facts: ['NOD-003'],
  severity: 'warning',
  reference: 'https://github.com/containerd/containerd/releases/tag/v1.7.6',
  check({ node, containerd }) {
    if (node.build === null || node.build <= STABLE_ABI_BUILDS[0] || matcherEra(containerd)?.builds !== 'exact') return null;
    return {
      message: `containerd ${node.containerRuntime?.version} takes images of build ${node.build} only, although the host could run those of Windows Server 2022 as well (from containerd 1.6.23 and 1.7.6 on)`,
      remedy: 'upgrade containerd to a supported line',
    };
  },
} as const satisfies NodeIssueKind;
