import { parseKubernetesVersion } from '../../../kubernetes/version.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod, sampleNode } from '../../samples.ts';
import { isContainerdBefore } from '../../../node/host-process-runtime.ts';
import { windowsNodesOf } from './shared-host-process-nodes.ts';

/** Nodes that cannot run HostProcess containers. */
export const hostProcessUnsupportedNode = defineWorkloadRule({
  id: 'host-process-unsupported-node',
  facts: ['HPC-013'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'host-process',
  summary: 'HostProcess pod that can land on nodes without HostProcess containers',
  rationale: 'HostProcess containers need containerd 1.6 or later and a kubelet of Kubernetes 1.22 or later; Docker cannot run them.',
  remediation: 'Update these nodes, or keep the pod off them by node selector.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#limitations',
  asOf: '2026-11-30',
  messages: { unsupported: '{nodes} cannot run HostProcess containers: {reason}' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod(), cluster: sampleNode({ build: '10.0.20348', containerd: '1.5.18' }), path: 'spec.securityContext.windowsOptions.hostProcess' }],
    good: [{ yaml: sampleHostProcessPod(), cluster: sampleNode({ build: '10.0.20348', containerd: '1.7.27' }) }],
  },
  * check(subject, facts) {
    const nodes = facts.areNodesAssumed === true ? null : windowsNodesOf(subject);
    if (nodes === null) {
      yield { notEvaluated: 'nodes', about: 'whether all nodes that the pod can land on run HostProcess containers (containerd 1.6, kubelet 1.22)' };
      return;
    }
    const unsupported = nodes.flatMap((node) => {
      const reason = reasonAgainst(node);
      return reason === null ? [] : [{ node, reason }];
    });
    const [first] = unsupported;
    if (first === undefined) return;
    const isAll = unsupported.length === nodes.length;
    yield {
      messageId: 'unsupported',
      data: { nodes: unsupported.length === 1 ? `node ${first.node.name}` : `${unsupported.length} nodes`, reason: first.reason },
      path: [...subject.workload.specPath, 'securityContext', 'windowsOptions', 'hostProcess'],
      nodes: unsupported.map(({ node }) => node.name),
      ...(isAll ? {} : { severity: 'warning', effect: 'may-fail' } as const),
    };
  },
});

function reasonAgainst(node: WindowsNode): string | null {
  if (node.containerRuntime?.name === 'docker') return 'its runtime is Docker';
  if (isContainerdBefore(node, 1, 6) === true) return `containerd ${node.containerRuntime?.version ?? ''} is older than 1.6`;
  const kubelet = node.kubeletVersion === null ? null : parseKubernetesVersion(node.kubeletVersion);
  return kubelet !== null && kubelet.major === 1 && kubelet.minor < 22 ? `kubelet ${node.kubeletVersion ?? ''} is older than 1.22` : null;
}
