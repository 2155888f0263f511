import { WINDOWS_BUILD_LABEL } from './build-label-missing.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** The label was edited, or is left over from before an upgrade. */
export const buildLabelDiffers = {
  id: 'build-label-differs',
  facts: ['NOD-008'],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesiowindows-build',
  check({ node, buildLabel }) {
    if (buildLabel === null) return null;
    const remedy = 'restart the kubelet, which overwrites the label; do not remove it, pods may select by it';
    if (!/^10\.0\.\d{5}$/.test(buildLabel)) return { message: `the label ${WINDOWS_BUILD_LABEL} is "${buildLabel}", not of the kubelet's form 10.0.20348`, remedy };
    if (node.buildEvidence !== 'kernelVersion' || buildLabel === `10.0.${node.build}`) return null;
    return { message: `the label ${WINDOWS_BUILD_LABEL} says ${buildLabel}, the kernel is ${node.kernelVersion}`, remedy };
  },
} as const satisfies NodeIssueKind;
