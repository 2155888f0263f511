import { stringAt } from '../../../kubernetes/object.ts';
import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A policy of supplemental groups in a pod for Windows. */
export const supplementalGroupsPolicyOnWindows = defineLinuxOnlyRule({
  id: 'supplemental-groups-policy-on-windows',
  facts: ['SEC-008', 'C20'],
  fields: [[LINUX_ONLY_FIELDS.supplementalGroupsPolicy, ['SEC-008', 'C20']]],
  summary: 'Policy of supplemental groups in a Windows pod',
  rationale: 'The API server refuses supplementalGroupsPolicy where spec.os.name is windows. Without it a kubelet whose runtime does not report the feature, as on Windows, refuses pods with the policy Strict: `SupplementalGroupsPolicyNotSupported`.',
  remediation: 'Remove securityContext.supplementalGroupsPolicy.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#supplementalgroupspolicy',
  asOf: '2026-11-30',
  since: '1.31',
  sample: { podSecurity: ['supplementalGroupsPolicy: Merge'] },
  mended: {},
  samplePath: 'spec.securityContext.supplementalGroupsPolicy',
  whenIgnored: ({ workload }) => (stringAt(workload.spec, 'securityContext', 'supplementalGroupsPolicy') === 'Strict'
    ? { messageId: 'may-fail', evidence: ['With the policy Strict the kubelet of a node without the feature refuses the pod: SupplementalGroupsPolicyNotSupported.'] }
    : null),
});
