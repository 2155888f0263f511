import { defineWorkloadRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, TOLERATING, sampleNode, samplePod } from '../../samples.ts';
import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';
import { BUILD_LABEL, isProviderLabel, unmetTerms } from './shared-unmet-selectors.ts';

/** A selector or required affinity that no node meets. */
export const selectorMatchesNoNode = defineWorkloadRule({
  id: 'selector-matches-no-node',
  facts: ['SCH-012'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Selector or required affinity that no node matches',
  rationale: 'Every entry of nodeSelector and one term of the required node affinity have to hold on the same node. Where they hold on none, the pod stays Pending with "node(s) didn\'t match Pod\'s node affinity/selector"; a DaemonSet has no pods at all.',
  remediation: 'Compare the selector with the labels of the nodes (kubectl get nodes --show-labels).',
  reference: 'https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/',
  asOf: '2026-11-30',
  messages: {
    unmet: 'no {among} has {wanted} ({here})',
    together: 'no {among} meets all of {wanted}, though each of them is met by some',
  },
  samples: {
    bad: [
      { path: 'spec.nodeSelector.disk', yaml: samplePod({ nodeSelector: 'kubernetes.io/os: windows\nnode.kubernetes.io/windows-build: 10.0.20348\ndisk: ssd', spec: TOLERATING }), cluster: SAMPLE_CLUSTER },
      { path: 'spec.nodeSelector[kubernetes.io/os]', yaml: samplePod(), cluster: sampleNode({ os: 'linux' }) },
    ],
    good: [{ yaml: samplePod({ spec: TOLERATING }), cluster: SAMPLE_CLUSTER }],
  },
  * check(subject, facts) {
    if (subject.placement === null || facts.areNodesAssumed === true) {
      const { nodeSelector, affinity } = podConstraintsOf(subject.workload, facts.runtimeClasses);
      const others = [...nodeSelector.map(([key]) => key), ...(affinity?.terms ?? []).flatMap(({ requirements }) => requirements.map(({ key }) => key))].filter((key) => !ALWAYS_THERE.has(key));
      if (others.length > 0) yield { notEvaluated: 'nodes', about: `whether a node has ${[...new Set(others)].join(', ')}` };
      return;
    }
    for (const { key, wanted, path, among, here } of unmetTerms(subject, facts)) {
      if (key === BUILD_LABEL || isProviderLabel(key)) continue;
      yield { messageId: key === '' ? 'together' : 'unmet', data: { wanted, among, here }, path };
    }
  },
});

/** Labels of every node, and the build, which has a rule of its own: no question without nodes. */
const ALWAYS_THERE = new Set(['kubernetes.io/os', 'beta.kubernetes.io/os', 'kubernetes.io/arch', 'beta.kubernetes.io/arch', BUILD_LABEL]);
