import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** Linux capabilities in a pod for Windows. */
export const capabilitiesOnWindows = defineLinuxOnlyRule({
  id: 'capabilities-on-windows',
  facts: ['SEC-011', 'C21', 'C23', 'C25', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.capabilities, ['SEC-011', 'C21', 'C23', 'C25', 'C61']]],
  summary: 'Linux capabilities in a Windows pod',
  rationale: 'Capabilities divide the rights of root on Linux. The API server refuses the field where spec.os.name is windows, even an empty one; without it nothing is added or dropped. The restricted Pod Security level asks to drop them on Linux alone: Windows pods with spec.os.name are exempt.',
  remediation: 'Remove securityContext.capabilities; on Windows, rights follow from the user in windowsOptions.runAsUserName.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['capabilities:', '  drop: [ALL]'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.capabilities',
});
