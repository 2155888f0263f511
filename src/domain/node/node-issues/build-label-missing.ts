import type { NodeIssueKind } from './node-issue-kind.ts';

export const WINDOWS_BUILD_LABEL = 'node.kubernetes.io/windows-build';

/** Selectors on the build find nothing. */
export const buildLabelMissing = {
  id: 'build-label-missing',
  facts: ['NOD-008'],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesiowindows-build',
  check({ node, buildLabel }) {
    if (buildLabel !== null) return null;
    const wanted = node.build === null ? '' : `; the kubelet would set it to 10.0.${node.build}`;
    return { message: `the label ${WINDOWS_BUILD_LABEL} is missing, so no selector on the build finds this node${wanted}`, remedy: 'restart the kubelet, or upgrade it where it is too old to set the label' };
  },
} as const satisfies NodeIssueKind;
