import { containerdLifecycle, containerdLine } from '../../windows/containerd.ts';
import { ownValue } from '../../windows/providers.ts';
import { daysUntil } from '../../windows/support-dates.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** containerd's own maintainers support the node's line no more. */
export const runtimePastSupport = {
  id: 'runtime-past-support',
  facts: ['NOD-003'],
  severity: 'warning',
  reference: 'https://github.com/containerd/containerd/blob/main/RELEASES.md',
  check({ node, containerd, asOf, overrides }) {
    if (containerd === null) return null;
    const own = ownValue(overrides.containerd, containerdLine(containerd));
    const end = own === undefined ? containerdLifecycle(containerd)?.end ?? null : own;
    if (end === null || daysUntil(end, asOf) >= 0) return null;
    return {
      message: `containerd ${node.containerRuntime?.version}: line ${containerdLine(containerd)} reached its end of life on ${end}`,
      remedy: 'upgrade the node image or containerd to a supported line (2.0 until 2027-03-31, 2.3 until 2028-04-30), or set the date your vendor gives in the configuration',
    };
  },
} as const satisfies NodeIssueKind;
