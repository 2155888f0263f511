import { ownValue } from '../../kubernetes/object.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

const OS_LABEL = 'kubernetes.io/os';

/**
 * Kubelets set the label since 1.14 and, from 1.18 on, alone: `beta.kubernetes.io/os` is deprecated
 * (https://kubernetes.io/docs/reference/labels-annotations-taints/#beta-kubernetes-io-os-deprecated, read 2026-11-30).
 */
const SET_SINCE_MINOR = 18;

/** The scheduler goes by a label that is missing or says another operating system. */
export const osLabelDiffers = {
  id: 'os-label-differs',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os',
  check({ node, kubeletVersion }) {
    if (kubeletVersion === null || (kubeletVersion.major === 1 && kubeletVersion.minor < SET_SINCE_MINOR)) return null;
    const label = ownValue(node.labels, OS_LABEL);
    if (label === node.os) return null;
    const remedy = 'restart the kubelet, which sets the label again';
    if (label === undefined) return { message: `the label ${OS_LABEL} is missing, so no pod that selects Windows nodes by it finds this node`, remedy };
    return { message: `the label ${OS_LABEL} says "${label}", the node runs Windows: pods for the other may land here and fail`, remedy };
  },
} as const satisfies NodeIssueKind;
