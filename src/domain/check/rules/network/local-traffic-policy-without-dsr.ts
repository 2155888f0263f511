import type { CheckFacts } from '../../facts.ts';
import { defineObjectRule } from '../../rule.ts';
import { sampleAgent, sampleList, sampleService } from '../../samples.ts';
import { arrayAt, nameOf, stringAt } from '../../../kubernetes/object.ts';
import { backendsOf, hasSelector, onlyWindows, workloadsText } from './shared-selected-workloads.ts';
import { windowsProviders } from './shared-cni.ts';
import { clusterOf, WEB } from './shared-samples.ts';

const LOCAL = sampleService(['type: LoadBalancer', 'externalTrafficPolicy: Local']);

/** externalTrafficPolicy Local where Windows nodes do not keep the address of the client. */
export const localTrafficPolicyWithoutDsr = defineObjectRule({
  id: 'local-traffic-policy-without-dsr',
  facts: ['NET-005', 'C52'],
  severity: 'warning',
  effect: 'may-fail',
  kinds: ['/Service'],
  summary: 'Local external traffic policy for Windows pods without Direct Server Return',
  rationale: 'On Windows nodes kube-proxy keeps the address of the client, and traffic on the node, only in DSR mode (--enable-dsr=true); local traffic policy without DSR is not supported. AKS does not support preserving the client address on Windows nodes at all.',
  remediation: 'Start kube-proxy on the Windows nodes with --enable-dsr=true, or take the address of the client from a header that the ingress sets.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#load-balancing-and-services',
  asOf: '2026-11-30',
  messages: {
    aks: 'externalTrafficPolicy is Local, but AKS does not preserve the address of the client on Windows nodes ({backends})',
    off: 'externalTrafficPolicy is Local, but {proxy} runs without DSR on the Windows nodes ({backends})',
  },
  samples: {
    bad: [
      { path: 'spec.externalTrafficPolicy', yaml: sampleList(WEB, LOCAL), cluster: clusterOf('kubernetes.azure.com/agentpool: win') },
      { path: 'spec.externalTrafficPolicy', yaml: sampleList(WEB, LOCAL), cluster: sampleList(clusterOf('example.com/pool: a'), sampleAgent('kube-proxy-windows', 'windows', { args: '[--enable-dsr=false]' })) },
    ],
    good: [{ yaml: sampleList(WEB, LOCAL), cluster: sampleList(clusterOf('example.com/pool: a'), sampleAgent('kube-proxy-windows', 'windows', { args: '[--enable-dsr=true]' })) }],
  },
  * check(service, facts) {
    if (stringAt(service, 'spec', 'externalTrafficPolicy') !== 'Local' || !hasSelector(service)) return;
    if (facts.workloads === null) {
      yield { notEvaluated: 'workloads', about: 'whether externalTrafficPolicy Local meets Windows pods' };
      return;
    }
    const backends = onlyWindows(backendsOf(service, facts));
    if (backends.length === 0) return;
    const path = ['spec', 'externalTrafficPolicy'];
    if (windowsProviders(facts).has('aks')) {
      yield { messageId: 'aks', data: { backends: workloadsText(backends) }, path, reference: 'https://learn.microsoft.com/azure/aks/windows-faq', remediation: 'Take the address of the client from a header that a layer 7 proxy sets, such as X-Forwarded-For.' };
      return;
    }
    const proxy = dsrOf(facts);
    if (proxy === null) yield { notEvaluated: 'daemonSets', about: 'whether kube-proxy on the Windows nodes runs with DSR' };
    else if (!proxy.isOn) yield { messageId: 'off', data: { proxy: proxy.name, backends: workloadsText(backends) }, path };
  },
});

/** Whether a kube-proxy DaemonSet for Windows has DSR on, as far as its command line tells; null when nothing does. */
function dsrOf({ daemonSets }: CheckFacts): { readonly name: string; readonly isOn: boolean } | null {
  for (const daemonSet of daemonSets?.values() ?? []) {
    if (!/kube-?proxy.*win/.test(nameOf(daemonSet))) continue;
    const words = arrayAt(daemonSet, 'spec', 'template', 'spec', 'containers').flatMap((container) => [...arrayAt(container, 'command'), ...arrayAt(container, 'args')]).join(' ');
    const value = /--enable-dsr(?:[= ](\w+))?/i.exec(words);
    if (value !== null) return { name: `daemonset/${nameOf(daemonSet)}`, isOn: value[1] !== 'false' };
  }
  return null;
}
