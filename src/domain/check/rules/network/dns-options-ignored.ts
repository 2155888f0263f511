import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';

/** Options of the resolver of Linux, which Windows does not have. */
export const dnsOptionsIgnored = defineWorkloadRule({
  id: 'dns-options-ignored',
  facts: ['NET-003', 'C53'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod with dnsConfig.options',
  rationale: 'Options such as ndots are lines of /etc/resolv.conf, which Windows does not have: the resolver is set up through HNS with servers and suffixes only. Windows takes every name with a dot as fully qualified and tries no suffix on it.',
  remediation: 'Remove dnsConfig.options and use fully qualified names.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows',
  asOf: '2026-11-30',
  messages: { ignored: 'dnsConfig.options ({names}) have no effect on Windows' },
  samples: {
    bad: [{ path: 'spec.dnsConfig.options', yaml: samplePod({ spec: 'dnsConfig:\n  options:\n  - name: ndots\n    value: "2"' }) }],
    good: [{ yaml: samplePod({ spec: 'dnsConfig:\n  searches: [shop.svc.cluster.local]' }) }],
  },
  * check({ workload, os }) {
    const options = arrayAt(workload.spec, 'dnsConfig', 'options');
    if (os.os !== 'windows' || options.length === 0) return;
    const path = [...workload.specPath, 'dnsConfig', 'options'];
    const names = options.flatMap((option) => stringAt(option, 'name') ?? []).join(', ');
    yield { messageId: 'ignored', data: { names: names === '' ? 'without names' : names }, path, fix: { title: 'remove dnsConfig.options', edits: [{ op: 'remove', path }], isSafe: os.evidence.some(({ strength }) => strength !== 'hint') } };
  },
});
