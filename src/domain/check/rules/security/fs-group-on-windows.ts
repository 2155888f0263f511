import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** Group ownership of volumes in a pod for Windows. */
export const fsGroupOnWindows = defineLinuxOnlyRule({
  id: 'fs-group-on-windows',
  facts: ['SEC-006', 'C20', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.fsGroup, ['SEC-006', 'C20', 'C23']], [LINUX_ONLY_FIELDS.fsGroupChangePolicy, ['SEC-006', 'C20', 'C23']]],
  summary: 'Group of volumes (fsGroup, fsGroupChangePolicy) in a Windows pod',
  rationale: 'Windows volumes have access control lists, no owning group. The API server refuses both fields where spec.os.name is windows; without it nothing changes who may read or write a volume.',
  remediation: 'Remove fsGroup and fsGroupChangePolicy; set access control lists in the image or on the share where the user of the container needs rights.',
  asOf: '2026-11-30',
  sample: { podSecurity: ['fsGroup: 2000'] },
  mended: {},
  samplePath: 'spec.securityContext.fsGroup',
});
