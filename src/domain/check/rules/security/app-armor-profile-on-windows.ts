import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** An AppArmor profile in a pod for Windows. */
export const appArmorProfileOnWindows = defineLinuxOnlyRule({
  id: 'app-armor-profile-on-windows',
  facts: ['SEC-003', 'C21', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.appArmorProfile, ['SEC-003', 'C21', 'C23']]],
  summary: 'AppArmor profile in a Windows pod',
  rationale: 'AppArmor is a module of the Linux kernel. The API server refuses appArmorProfile where spec.os.name is windows; without it nothing on a Windows node enforces the profile.',
  remediation: 'Remove securityContext.appArmorProfile from the pod and its containers.',
  asOf: '2026-11-30',
  since: '1.30',
  sample: { containerSecurity: ['appArmorProfile:', '  type: RuntimeDefault'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.appArmorProfile',
});
