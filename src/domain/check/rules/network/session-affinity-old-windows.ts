import { defineObjectRule } from '../../rule.ts';
import { sampleList, sampleNode, sampleService, sampleWorkload, TAINTED, TOLERATING } from '../../samples.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { namesText } from '../scheduling/shared-placement.ts';
import { backendsOf, hasSelector, onlyWindows } from './shared-selected-workloads.ts';
import { clusterOf, WEB } from './shared-samples.ts';

/** Windows Server 2022, the first whose HNS keeps a client with its endpoint. */
const FIRST_BUILD = 20348;

/** Sticky sessions on hosts that cannot keep them. */
export const sessionAffinityOldWindows = defineObjectRule({
  id: 'session-affinity-old-windows',
  facts: ['NET-004', 'C52'],
  severity: 'warning',
  effect: 'may-fail',
  kinds: ['/Service'],
  summary: 'Session affinity on Windows nodes older than Windows Server 2022',
  rationale: 'kube-proxy hands sessionAffinity ClientIP to HNS, which can keep a client with its endpoint from Windows Server 2022 on. On older nodes each connection may go to another pod.',
  remediation: 'Run the pods on Windows Server 2022 or later, or keep the session elsewhere (a cookie of the ingress, a shared store).',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#load-balancing-and-services',
  asOf: '2026-11-30',
  messages: { old: 'sessionAffinity ClientIP does not hold on the Windows nodes {nodes}, which are older than Windows Server 2022' },
  samples: {
    bad: [{
      path: 'spec.sessionAffinity',
      yaml: sampleList(sampleWorkload('Deployment', { spec: TOLERATING, nodeSelector: 'kubernetes.io/os: windows\nnode.kubernetes.io/windows-build: 10.0.17763', image: 'registry.example.com/shop/iis:4.2.0' }), sampleService('sessionAffinity: ClientIP')),
      cluster: sampleList(sampleNode({ os: 'linux' }), sampleNode({ taints: TAINTED, build: '10.0.17763' })),
    }],
    good: [{ yaml: sampleList(WEB, sampleService('sessionAffinity: ClientIP')), cluster: clusterOf('example.com/pool: a') }],
  },
  * check(service, facts) {
    if (stringAt(service, 'spec', 'sessionAffinity') !== 'ClientIP' || !hasSelector(service)) return;
    if (facts.workloads === null) {
      yield { notEvaluated: 'workloads', about: 'whether sessionAffinity meets pods on old Windows nodes' };
      return;
    }
    const backends = onlyWindows(backendsOf(service, facts));
    if (backends.length === 0) return;
    if (facts.nodes === null) {
      yield { notEvaluated: 'nodes', about: 'whether the pods of the Service land on nodes older than Windows Server 2022' };
      return;
    }
    // most backends share their list of nodes, which may be long
    const lists = new Set(backends.map(({ windowsNodes }) => windowsNodes));
    const old = [...new Set([...lists].flatMap((names) => names ?? []))].filter((name) => {
      const build = facts.nodes?.get(name)?.build ?? null;
      return build !== null && build < FIRST_BUILD;
    });
    if (old.length > 0) yield { messageId: 'old', data: { nodes: namesText(old) }, path: ['spec', 'sessionAffinity'], nodes: old };
  },
});
