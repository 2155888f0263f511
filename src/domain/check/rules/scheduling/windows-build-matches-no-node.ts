import { defineWorkloadRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, TOLERATING, samplePod } from '../../samples.ts';
import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';
import type { NodeRequirement } from '../../../scheduling/node-affinity.ts';
import { BUILD_LABEL, unmetTerms } from './shared-unmet-selectors.ts';

/** The kubelet writes major, minor and build: https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/winstats/version.go, read 2026-11-30. */
const BUILD_VALUE = /^10\.0\.\d+$/;

/** A selector on the build of Windows that no node has, or that no node can have. */
export const windowsBuildMatchesNoNode = defineWorkloadRule({
  id: 'windows-build-matches-no-node',
  facts: ['SCH-006'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Build selector that no node matches',
  rationale: 'The kubelet sets node.kubernetes.io/windows-build to major, minor and build of the host, such as 10.0.20348: without the revision, and never the build alone. With any other value the pod stays Pending with "node(s) didn\'t match Pod\'s node affinity/selector".',
  remediation: 'Select a build that the nodes have, as 10.0.<build>.',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesiowindows-build',
  asOf: '2026-11-30',
  messages: {
    form: '{wanted}: no node can have this value, which has to be major, minor and build ({suggestion})',
    unmet: 'no {among} has {wanted} ({here})',
  },
  samples: {
    bad: [
      { path: 'spec.nodeSelector[node.kubernetes.io/windows-build]', yaml: samplePod({ nodeSelector: 'kubernetes.io/os: windows\nnode.kubernetes.io/windows-build: 10.0.20348.825' }) },
      { yaml: samplePod({ nodeSelector: 'kubernetes.io/os: windows\nnode.kubernetes.io/windows-build: 10.0.26100', image: 'mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2025', spec: TOLERATING }), cluster: SAMPLE_CLUSTER },
    ],
    good: [{ yaml: samplePod({ spec: TOLERATING }), cluster: SAMPLE_CLUSTER }],
  },
  * check(subject, facts) {
    const { placement } = subject;
    const requirements = buildRequirements(subject.workload, facts.runtimeClasses);
    if (requirements.length === 0) return;
    const malformed = requirements.filter(({ values }) => values.length > 0 && values.every((value) => !BUILD_VALUE.test(value)));
    for (const { values, path } of malformed) {
      const inSelector = path.at(-1) === BUILD_LABEL;
      const fixed = buildOf(values[0] ?? '');
      yield {
        messageId: 'form', data: { wanted: `${BUILD_LABEL}=${values.join(', ')}`, suggestion: fixed ?? '10.0.<build>' }, path,
        ...(inSelector && fixed !== null ? { fix: { title: `set ${BUILD_LABEL} to ${fixed}`, edits: [{ op: 'set', path, value: fixed }], isSafe: false } } : {}),
      };
    }
    if (malformed.length > 0) return;
    if (placement === null) {
      yield { notEvaluated: 'nodes', about: `whether a node of build ${requirements.flatMap(({ values }) => values).join(' or ')} exists` };
      return;
    }
    for (const { key, wanted, path, among, here } of unmetTerms(subject, facts)) {
      if (key === BUILD_LABEL) yield { messageId: 'unmet', data: { wanted, among, here }, path };
    }
  },
});

function buildRequirements(...[workload, runtimeClasses]: Parameters<typeof podConstraintsOf>): readonly Pick<NodeRequirement, 'values' | 'path'>[] {
  const { nodeSelector, affinity, specPath } = podConstraintsOf(workload, runtimeClasses);
  return [
    ...nodeSelector.filter(([key]) => key === BUILD_LABEL).map(([key, value]) => ({ values: [value], path: [...specPath, 'nodeSelector', key] })),
    ...(affinity?.terms ?? []).flatMap(({ requirements }) => requirements).filter(({ key, operator }) => key === BUILD_LABEL && operator === 'In').map(({ values, path }) => ({ values, path: [...path, 'values'] })),
  ];
}

/** What was probably meant: `10.0.20348` of `10.0.20348.825` and of `20348`. */
function buildOf(value: string): string | null {
  const build = /^(?:10\.0\.)?(\d{5})(?:\.\d+)?$/.exec(value)?.[1];
  return build === undefined ? null : `10.0.${build}`;
}
