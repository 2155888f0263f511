import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A user namespace in a pod for Windows. */
export const hostUsersOnWindows = defineLinuxOnlyRule({
  id: 'host-users-on-windows',
  facts: ['SEC-018', 'C18'],
  fields: [[LINUX_ONLY_FIELDS.hostUsers, ['SEC-018', 'C18']]],
  summary: 'User namespace (hostUsers) in a Windows pod',
  rationale: 'User namespaces are a feature of the Linux kernel. The API server refuses hostUsers where spec.os.name is windows, even true; without it no namespace is made.',
  remediation: 'Remove hostUsers.',
  reference: 'https://kubernetes.io/docs/concepts/workloads/pods/user-namespaces/',
  asOf: '2026-11-30',
  since: '1.25',
  sample: { spec: ['hostUsers: false'] },
  mended: {},
  samplePath: 'spec.hostUsers',
});
