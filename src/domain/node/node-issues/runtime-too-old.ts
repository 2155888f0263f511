import type { NodeIssueKind } from './node-issue-kind.ts';

/** A containerd without HostProcess containers, which the agents of today's clusters run as. */
export const runtimeTooOld = {
  id: 'runtime-too-old',
  facts: ['HPC-013'],
  severity: 'warning',
  // "Containerd 1.6 or higher": read 2026-11-30.
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#before-you-begin',
  check({ node, containerd }) {
    if (containerd === null || containerd.major > 1 || containerd.minor >= 6) return null;
    return { message: `containerd ${node.containerRuntime?.version} runs no HostProcess containers; they need 1.6 or newer`, remedy: 'upgrade containerd before agents (CNI, CSI, kube-proxy) that run as HostProcess containers' };
  },
} as const satisfies NodeIssueKind;
