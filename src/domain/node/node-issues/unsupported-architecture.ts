import type { NodeIssueKind } from './node-issue-kind.ts';

/** Kubernetes publishes its Windows binaries for amd64 only. */
export const unsupportedArchitecture = {
  id: 'unsupported-architecture',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/releases/download/#binaries',
  check({ node }) {
    if (node.architecture === null || node.architecture === 'amd64') return null;
    return { message: `the architecture is ${node.architecture}; Kubernetes and the Windows base images are published for amd64 only`, remedy: 'use amd64 machines' };
  },
} as const satisfies NodeIssueKind;
