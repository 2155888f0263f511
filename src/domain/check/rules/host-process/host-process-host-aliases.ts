import { arrayAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

/** hostAliases in a HostProcess pod. */
export const hostProcessHostAliases = defineWorkloadRule({
  id: 'host-process-host-aliases',
  facts: ['HPC-007'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'host-process',
  summary: '`hostAliases` in a HostProcess pod',
  rationale: 'The kubelet mounts a hosts file into ordinary pods alone; a HostProcess container resolves names with the node\'s own hosts file, which hostAliases does not change.',
  remediation: 'Remove hostAliases, and put the names into DNS or into the node\'s hosts file.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kubelet_pods.go',
  asOf: '2026-11-30',
  messages: { ignored: 'hostAliases has no effect in a HostProcess pod' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ spec: ['hostAliases:', '- ip: 10.0.0.1', '  hostnames: [registry.example.com]'] }), path: 'spec.hostAliases' }],
    good: [{ yaml: sampleHostProcessPod({ spec: ['hostAliases: []'] }) }],
  },
  * check({ workload }) {
    if (arrayAt(workload.spec, 'hostAliases').length === 0) return;
    const path = [...workload.specPath, 'hostAliases'];
    yield { messageId: 'ignored', path, fix: { title: 'remove hostAliases', edits: [{ op: 'remove', path }], isSafe: true } };
  },
});
