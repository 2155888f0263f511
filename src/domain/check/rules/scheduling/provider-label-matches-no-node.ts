import { defineWorkloadRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, TAINTED, TOLERATING, sampleList, sampleNode, samplePod } from '../../samples.ts';
import { isProviderLabel, unmetTerms } from './shared-unmet-selectors.ts';

const POOL_SELECTOR = 'kubernetes.io/os: windows\nnode.kubernetes.io/windows-build: 10.0.20348\nkubernetes.azure.com/os-sku: Windows2022';

/** A selector on a label of the cloud provider that no node has. */
export const providerLabelMatchesNoNode = defineWorkloadRule({
  id: 'provider-label-matches-no-node',
  facts: ['SCH-007'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Selector on a provider label that no node matches',
  rationale: 'Labels such as kubernetes.azure.com/os-sku or cloud.google.com/gke-nodepool are set by the provider per node pool. Where no node has the value the pod stays Pending with "node(s) didn\'t match Pod\'s node affinity/selector".',
  remediation: 'Select a value that the nodes have. A pool that is scaled to zero shows no node: then nothing is wrong.',
  reference: 'https://learn.microsoft.com/azure/aks/use-labels',
  asOf: '2026-11-30',
  messages: { unmet: 'no {among} has {wanted} ({here})' },
  samples: {
    bad: [{ path: 'spec.nodeSelector[kubernetes.azure.com/os-sku]', yaml: samplePod({ nodeSelector: POOL_SELECTOR, spec: TOLERATING }), cluster: SAMPLE_CLUSTER }],
    good: [{ yaml: samplePod({ nodeSelector: POOL_SELECTOR, spec: TOLERATING }), cluster: sampleList(sampleNode({ os: 'linux' }), sampleNode({ taints: TAINTED, labels: 'kubernetes.azure.com/os-sku: Windows2022' })) }],
  },
  * check(subject, facts) {
    for (const { key, wanted, path, among, here } of unmetTerms(subject, facts)) {
      if (isProviderLabel(key)) yield { messageId: 'unmet', data: { wanted, among, here }, path };
    }
  },
});
