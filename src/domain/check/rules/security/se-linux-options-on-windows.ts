import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** SELinux options in a pod for Windows. */
export const seLinuxOptionsOnWindows = defineLinuxOnlyRule({
  id: 'se-linux-options-on-windows',
  facts: ['SEC-001', 'C21', 'C23', 'C25'],
  fields: [[LINUX_ONLY_FIELDS.seLinuxOptions, ['SEC-001', 'C21', 'C23']]],
  summary: 'SELinux options in a Windows pod',
  rationale: 'SELinux is a module of the Linux kernel. The API server refuses seLinuxOptions where spec.os.name is windows, the pod\'s own and those of init, regular and ephemeral containers; without spec.os.name the kubelet on Windows logs that it does not support them and goes on.',
  remediation: 'Remove securityContext.seLinuxOptions from the pod and its containers.',
  asOf: '2026-11-30',
  sample: { podSecurity: ['seLinuxOptions:', '  level: s0:c123,c456'] },
  mended: {},
  samplePath: 'spec.securityContext.seLinuxOptions',
});
