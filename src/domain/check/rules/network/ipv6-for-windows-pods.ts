import { defineObjectRule } from '../../rule.ts';
import { sampleList, sampleService } from '../../samples.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import { windowsProviders } from './shared-cni.ts';
import { backendsOf, hasSelector, onlyWindows, workloadsText } from './shared-selected-workloads.ts';
import { clusterOf, WEB } from './shared-samples.ts';

const DUAL = sampleService(['ipFamilyPolicy: RequireDualStack', 'ipFamilies: [IPv4, IPv6]']);

/** A Service that wants IPv6 of Windows pods. */
export const ipv6ForWindowsPods = defineObjectRule({
  id: 'ipv6-for-windows-pods',
  facts: ['NET-008', 'C56'],
  severity: 'warning',
  effect: 'may-fail',
  kinds: ['/Service'],
  summary: 'IPv6 Service for Windows pods',
  rationale: 'Windows has dual-stack networking on l2bridge networks only: not on overlay (VXLAN) networks, and never IPv6 alone. EKS gives Windows pods no IPv6 addresses. Without an address of the family the Service has no endpoints.',
  remediation: 'Use IPv4 for this Service (ipFamilies: [IPv4]).',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/dual-stack/#windows-support',
  asOf: '2026-11-30',
  messages: {
    eks: 'the Service asks for IPv6, which Windows pods on EKS do not have ({backends})',
    overlay: 'the Service asks for IPv6, which Windows pods have on l2bridge networks only, not on overlay networks ({backends})',
  },
  samples: {
    bad: [
      { path: 'spec.ipFamilies', yaml: sampleList(WEB, DUAL), cluster: clusterOf('eks.amazonaws.com/nodegroup: a') },
      { path: 'spec.ipFamilies', yaml: sampleList(WEB, DUAL), severity: 'info' },
    ],
    good: [{ yaml: sampleList(WEB, sampleService('ipFamilyPolicy: PreferDualStack')), cluster: clusterOf('eks.amazonaws.com/nodegroup: a') }],
  },
  * check(service, facts) {
    const asksByFamily = arrayAt(service, 'spec', 'ipFamilies').includes('IPv6');
    if (!(asksByFamily || stringAt(service, 'spec', 'ipFamilyPolicy') === 'RequireDualStack') || !hasSelector(service)) return;
    if (facts.workloads === null) {
      yield { notEvaluated: 'workloads', about: 'whether the Service asks for IPv6 of Windows pods' };
      return;
    }
    const backends = onlyWindows(backendsOf(service, facts));
    if (backends.length === 0) return;
    const path = asksByFamily ? ['spec', 'ipFamilies'] : ['spec', 'ipFamilyPolicy'];
    const data = { backends: workloadsText(backends) };
    if (windowsProviders(facts).has('eks')) yield { messageId: 'eks', data, path, reference: 'https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html' };
    else yield { messageId: 'overlay', severity: 'info', confidence: 'unknown', data, path };
  },
});
