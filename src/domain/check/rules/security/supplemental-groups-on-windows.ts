import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** Supplemental groups in a pod for Windows. */
export const supplementalGroupsOnWindows = defineLinuxOnlyRule({
  id: 'supplemental-groups-on-windows',
  facts: ['SEC-007', 'C20', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.supplementalGroups, ['SEC-007', 'C20', 'C23']]],
  summary: 'Supplemental groups in a Windows pod',
  rationale: 'Windows has no group numbers. The API server refuses supplementalGroups where spec.os.name is windows, even an empty list; without it the field is ignored.',
  remediation: 'Remove securityContext.supplementalGroups.',
  asOf: '2026-11-30',
  sample: { podSecurity: ['supplementalGroups: [3000]'] },
  mended: {},
  samplePath: 'spec.securityContext.supplementalGroups',
});
