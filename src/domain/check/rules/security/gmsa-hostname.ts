import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, sampleWorkload } from '../../samples.ts';
import { usesGmsa } from './shared-windows-options.ts';

/** Longest name of a computer in NetBIOS. https://learn.microsoft.com/en-us/troubleshoot/windows-server/active-directory/naming-conventions-for-computer-domain-site-ou, read 2026-11-30 */
const MAX_COMPUTER_NAME = 15;

/** A fixed host name in pods that run as a group managed service account. */
export const gmsaHostname = defineWorkloadRule({
  id: 'gmsa-hostname',
  facts: ['SEC-026'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Fixed host name in a pod with a gMSA',
  rationale: 'Containers that share a host name and run as the same group managed service account lose their trust with the domain one after the other; the webhook of windows-gmsa can make host names random for that reason, and a fixed spec.hostname defeats it. From Windows Server 2019 on, a container is known to the domain by the name of the account, whatever its host name, so a fixed one wins nothing there; before, it had to be the account\'s.',
  remediation: 'Remove spec.hostname.',
  reference: 'https://github.com/microsoft/Windows-Containers/issues/405',
  asOf: '2026-11-30',
  messages: {
    shared: 'all pods of the workload have the host name {hostname} and the same group managed service account: they can break each other\'s trust with the domain',
    long: 'host name {hostname} is fixed, and its {length} characters are more than the 15 of a computer name in NetBIOS',
    fixed: 'host name {hostname} is fixed: a second pod with the same group managed service account can break the trust of the first with the domain',
  },
  samples: {
    bad: [
      { yaml: sampleWorkload('Deployment', { spec: 'hostname: web', podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }, 'replicas: 2'), path: 'spec.template.spec.hostname' },
      { yaml: samplePod({ spec: ['hostname: web-frontend-production'], podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }), path: 'spec.hostname', severity: 'info' },
      { yaml: samplePod({ spec: ['hostname: web'], podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }), path: 'spec.hostname', severity: 'info' },
    ],
    good: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }) }, { yaml: samplePod({ spec: ['hostname: web-frontend-production'] }) }],
  },
  * check({ workload }) {
    const hostname = stringAt(workload.spec, 'hostname');
    if (hostname === undefined || hostname === '' || !usesGmsa(workload)) return;
    // A StatefulSet's controller names each of its pods anew; see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#stable-network-id
    const isShared = workload.ref.kind !== 'StatefulSet' && ((workload.replicas ?? 1) > 1 || workload.ref.kind === 'DaemonSet');
    const isLong = hostname.length > MAX_COMPUTER_NAME;
    const path = [...workload.specPath, 'hostname'];
    yield {
      messageId: isShared ? 'shared' : isLong ? 'long' : 'fixed',
      data: { hostname, length: hostname.length },
      path,
      ...(isShared ? {} : { severity: 'info', effect: 'advice' } as const),
      fix: { title: 'remove spec.hostname', edits: [{ op: 'remove', path }], isSafe: false },
    };
  },
});
