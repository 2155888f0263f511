import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';

/** A protocol that nobody has shown to work on Windows. */
export const sctpPort = defineWorkloadRule({
  id: 'sctp-port',
  facts: ['NET-010', 'C54'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod with an SCTP port',
  rationale: 'Windows has no SCTP of its own, and the documentation of Kubernetes names TCP and UDP for Windows. kube-proxy knows the number of the protocol; no test shows that HNS balances it.',
  remediation: 'Use TCP or UDP.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/',
  asOf: '2026-11-30',
  messages: { unproven: 'SCTP is not known to work on Windows (port {ports})' },
  samples: {
    bad: [{ path: 'spec.containers[0].ports[0].protocol', yaml: samplePod({ container: 'ports:\n- containerPort: 3868\n  protocol: SCTP' }) }],
    good: [{ yaml: samplePod({ container: 'ports:\n- containerPort: 80\n  protocol: TCP' }) }],
  },
  * check({ workload, os }) {
    if (os.os !== 'windows') return;
    const found = workload.containers.flatMap(({ path, name, fields }) => arrayAt(fields, 'ports').flatMap((port, index) => (
      stringAt(port, 'protocol') === 'SCTP' ? [{ name, text: portText(port), path: [...path, 'ports', index, 'protocol'] }] : [])));
    const [first] = found;
    if (first !== undefined) yield { messageId: 'unproven', data: { ports: found.map(({ text }) => text).join(', ') }, path: first.path, container: first.name, confidence: 'unknown' };
  },
});

function portText(port: unknown): string {
  const number = typeof port === 'object' && port !== null && 'containerPort' in port ? port.containerPort : undefined;
  return typeof number === 'number' ? String(number) : stringAt(port, 'name') ?? 'without a number';
}
