import { buildMatches, matcherEra } from '../../windows/containerd.ts';
import { containerdVersionOf } from './cluster-facts.ts';
import type { ClusterIssueKind } from './node-issue-kind.ts';

/** Images that fit other Windows nodes of the cluster do not run on this one, and nothing but a build pin keeps their pods away. */
export const mixedBuilds = {
  id: 'mixed-builds',
  facts: ['NOD-007'],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#handling-multiple-windows-versions-in-the-same-cluster',
  check(node, cluster) {
    const { build } = node;
    if (build === null) return null;
    // What the node's own runtime takes; with another runtime, what the host itself can run.
    const rule = matcherEra(containerdVersionOf(node))?.builds ?? 'previous-ltsc';
    const foreign = cluster.builds.filter((other) => other !== build && !buildMatches(rule, build, other));
    if (foreign.length === 0) return null;
    return {
      message: `the cluster has Windows nodes of ${foreign.length === 1 ? 'build' : 'builds'} ${foreign.join(', ')} too, whose images do not run on build ${build}: pods without a build pin can land on either`,
      remedy: 'pin workloads with node.kubernetes.io/windows-build or a RuntimeClass per build',
    };
  },
} as const satisfies ClusterIssueKind;
