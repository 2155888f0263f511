import { defineObjectRule } from '../../rule.ts';
import { sampleList, sampleService, sampleWorkload, TOLERATING } from '../../samples.ts';
import { backendsOf, hasSelector, onlyWindows } from './shared-selected-workloads.ts';

/** HNS balances over no more: https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations, read 2026-11-30. */
const ENDPOINTS = 1024;

/** More endpoints than a Service on Windows can have. */
export const tooManyEndpoints = defineObjectRule({
  id: 'too-many-endpoints',
  facts: ['NET-006'],
  severity: 'warning',
  effect: 'may-fail',
  kinds: ['/Service'],
  summary: 'Service with more endpoints than Windows nodes can balance over',
  rationale: 'The load balancer of a Service on a Windows node holds at most 1,024 endpoints. The endpoints beyond get no traffic from there, or the Service is not programmed on the node.',
  remediation: 'Split the workload over several Services, or run fewer and larger pods.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations',
  asOf: '2026-11-30',
  messages: { many: 'the Service has {count} endpoints by the replicas of its workloads; Windows nodes balance over 1,024 at most' },
  samples: {
    bad: [{ path: 'spec.selector', yaml: sampleList(sampleWorkload('Deployment', { spec: TOLERATING }, 'replicas: 1500'), sampleService('type: ClusterIP')) }],
    good: [{ yaml: sampleList(sampleWorkload('Deployment', { spec: TOLERATING }, 'replicas: 1000'), sampleService('type: ClusterIP')) }],
  },
  * check(service, facts) {
    // without the workloads the question does not come up: few Services are that large
    if (facts.workloads === null || !hasSelector(service)) return;
    const backends = backendsOf(service, facts);
    if (onlyWindows(backends).length === 0) return;
    const count = backends.reduce((sum, { kind, replicas, windowsNodes }) => sum + (replicas ?? (kind === 'DaemonSet' ? windowsNodes?.length ?? 1 : 1)), 0);
    if (count > ENDPOINTS) yield { messageId: 'many', data: { count }, path: ['spec', 'selector'] };
  },
});
