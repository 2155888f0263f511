import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A policy of SELinux relabelling in a pod for Windows. */
export const seLinuxChangePolicyOnWindows = defineLinuxOnlyRule({
  id: 'se-linux-change-policy-on-windows',
  facts: ['SEC-010', 'C21'],
  fields: [[LINUX_ONLY_FIELDS.seLinuxChangePolicy, ['SEC-010', 'C21']]],
  summary: 'Policy of SELinux relabelling in a Windows pod',
  rationale: 'SELinux labels exist on Linux alone. The API server refuses seLinuxChangePolicy where spec.os.name is windows; without it nothing is relabelled on Windows anyway.',
  remediation: 'Remove securityContext.seLinuxChangePolicy.',
  asOf: '2026-11-30',
  since: '1.32',
  sample: { podSecurity: ['seLinuxChangePolicy: MountOption'] },
  mended: {},
  samplePath: 'spec.securityContext.seLinuxChangePolicy',
});
