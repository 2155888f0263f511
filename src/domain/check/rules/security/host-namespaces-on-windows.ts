import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** Namespaces of the host in a pod for Windows. */
export const hostNamespacesOnWindows = defineLinuxOnlyRule({
  id: 'host-namespaces-on-windows',
  facts: ['SEC-016', 'C18', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.hostPID, ['SEC-016', 'C18', 'C23']], [LINUX_ONLY_FIELDS.hostIPC, ['SEC-016', 'C18', 'C23']]],
  summary: 'Host namespaces (hostPID, hostIPC) in a Windows pod',
  rationale: 'Windows containers cannot share the host\'s process or IPC namespace. The API server refuses both where spec.os.name is windows; without it they are ignored. HostProcess containers see the processes of the host anyway.',
  remediation: 'Remove hostPID and hostIPC; a container that has to see the host\'s processes must be a HostProcess container.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod',
  asOf: '2026-11-30',
  sample: { spec: ['hostPID: true'] },
  mended: {},
  samplePath: 'spec.hostPID',
});
