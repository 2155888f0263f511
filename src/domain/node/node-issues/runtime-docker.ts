import type { NodeIssueKind } from './node-issue-kind.ts';

const DOCKERSHIM_REMOVED_IN = 24;

/** Docker as the container runtime. */
export const runtimeDocker = {
  id: 'runtime-docker',
  facts: ['NOD-003'],
  severity: 'warning',
  reference: 'https://kubernetes.io/blog/2022/02/17/dockershim-faq/',
  check({ node, kubeletVersion }) {
    if (node.containerRuntime?.name !== 'docker') return null;
    const shim = kubeletVersion !== null && kubeletVersion.major === 1 && kubeletVersion.minor >= DOCKERSHIM_REMOVED_IN ? 'it works through cri-dockerd' : 'dockershim is gone from Kubernetes 1.24 on';
    return { message: `the runtime is Docker ${node.containerRuntime.version}: ${shim}`, remedy: 'move the node to containerd' };
  },
} as const satisfies NodeIssueKind;
