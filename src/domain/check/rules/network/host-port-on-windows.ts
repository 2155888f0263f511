import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { arrayAt, numberAt } from '../../../kubernetes/object.ts';

/** A port of the node that cannot be reached from the node itself. */
export const hostPortOnWindows = defineWorkloadRule({
  id: 'host-port-on-windows',
  facts: ['NET-009', 'C52'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod with a hostPort, which its own node cannot reach',
  rationale: 'On Windows the ports that map to pods (hostPort, NodePort) answer to other machines; connections from the node itself, from its HostProcess pods and from probes of agents there are not supported.',
  remediation: 'Reach the pod by its own address or by a Service, or from another machine.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations',
  asOf: '2026-11-30',
  messages: { unreachable: 'hostPort {ports} cannot be reached from the node itself' },
  samples: {
    bad: [{ path: 'spec.containers[0].ports[0].hostPort', yaml: samplePod({ container: 'ports:\n- containerPort: 80\n  hostPort: 8080' }) }],
    good: [{ yaml: samplePod({ container: 'ports:\n- containerPort: 80' }) }],
  },
  * check({ workload, os }) {
    if (os.os !== 'windows') return;
    const found = workload.containers.flatMap(({ path, name, fields }) => arrayAt(fields, 'ports').flatMap((port, index) => {
      const hostPort = numberAt(port, 'hostPort') ?? 0;
      return hostPort > 0 ? [{ hostPort, name, path: [...path, 'ports', index, 'hostPort'] }] : [];
    }));
    const [first] = found;
    if (first !== undefined) yield { messageId: 'unreachable', data: { ports: [...new Set(found.map(({ hostPort }) => hostPort))].join(', ') }, path: first.path, container: first.name };
  },
});
