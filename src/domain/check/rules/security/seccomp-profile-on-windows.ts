import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A seccomp profile in a pod for Windows. */
export const seccompProfileOnWindows = defineLinuxOnlyRule({
  id: 'seccomp-profile-on-windows',
  facts: ['SEC-002', 'C21', 'C23', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.seccompProfile, ['SEC-002', 'C21', 'C23', 'C61']]],
  summary: 'Seccomp profile in a Windows pod',
  rationale: 'Seccomp filters system calls of Linux. The API server refuses seccompProfile where spec.os.name is windows; without it the field is dropped, and no call of the container is filtered. The restricted Pod Security level asks for it on Linux alone: Windows pods with spec.os.name are exempt.',
  remediation: 'Remove securityContext.seccompProfile from the pod and its containers.',
  asOf: '2026-11-30',
  sample: { podSecurity: ['seccompProfile:', '  type: RuntimeDefault'] },
  mended: {},
  samplePath: 'spec.securityContext.seccompProfile',
});
