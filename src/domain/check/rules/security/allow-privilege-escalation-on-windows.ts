import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** allowPrivilegeEscalation in a pod for Windows. */
export const allowPrivilegeEscalationOnWindows = defineLinuxOnlyRule({
  id: 'allow-privilege-escalation-on-windows',
  facts: ['SEC-013', 'C22', 'C23', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.allowPrivilegeEscalation, ['SEC-013', 'C22', 'C23', 'C61']]],
  summary: 'Field allowPrivilegeEscalation in a Windows pod',
  rationale: 'The field sets no_new_privs on Linux processes. The API server refuses it where spec.os.name is windows, even false; without it nothing changes. The restricted Pod Security level asks for it on Linux alone: Windows pods with spec.os.name are exempt.',
  remediation: 'Remove securityContext.allowPrivilegeEscalation.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['allowPrivilegeEscalation: false'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.allowPrivilegeEscalation',
});
