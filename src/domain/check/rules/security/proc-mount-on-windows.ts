import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A way of mounting /proc in a pod for Windows. */
export const procMountOnWindows = defineLinuxOnlyRule({
  id: 'proc-mount-on-windows',
  facts: ['SEC-015', 'C21', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.procMount, ['SEC-015', 'C21', 'C23']]],
  summary: 'Field procMount in a Windows pod',
  rationale: 'Windows has no /proc. The API server refuses procMount where spec.os.name is windows; without it the field is ignored.',
  remediation: 'Remove securityContext.procMount.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['procMount: Default'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.procMount',
});
