import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** Kernel parameters in a pod for Windows. */
export const sysctlsOnWindows = defineLinuxOnlyRule({
  id: 'sysctls-on-windows',
  facts: ['SEC-009', 'C21', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.sysctls, ['SEC-009', 'C21', 'C23']]],
  summary: 'Kernel parameters (sysctls) in a Windows pod',
  rationale: 'Sysctls are parameters of the Linux kernel. The API server refuses them where spec.os.name is windows; without it they are not set.',
  remediation: 'Remove securityContext.sysctls.',
  asOf: '2026-11-30',
  sample: { podSecurity: ['sysctls:', '- name: net.ipv4.ip_local_port_range', '  value: 1024 65535'] },
  mended: {},
  samplePath: 'spec.securityContext.sysctls',
});
