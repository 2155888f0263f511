import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS, agreedRunAsUser, mountsServiceAccountToken } from './shared-linux-only-fields.ts';

/** A numeric user in a pod for Windows. */
export const runAsUserOnWindows = defineLinuxOnlyRule({
  id: 'run-as-user-on-windows',
  facts: ['SEC-004', 'C20', 'C23', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.runAsUser, ['SEC-004', 'C20', 'C23', 'C61']]],
  summary: 'Numeric user (runAsUser) in a Windows pod',
  rationale: 'Windows has user names, no numbers. The API server refuses runAsUser where spec.os.name is windows. Without it the user is ignored, and where all containers have the same one the kubelet tries to give them the token of the service account, which fails: `chown c:\\var\\lib\\kubelet\\pods\\…\\token: not supported by windows`, and the pod stays in ContainerCreating.',
  remediation: 'Remove runAsUser; name a Windows user in securityContext.windowsOptions.runAsUserName, for example ContainerUser.',
  asOf: '2026-11-30',
  sample: { container: ['runAsUser: 1000'] },
  mended: { container: ['windowsOptions:', '  runAsUserName: ContainerUser'] },
  samplePath: 'spec.containers[0].securityContext.runAsUser',
  whenIgnored: ({ workload }) => {
    const user = agreedRunAsUser(workload);
    if (user === null || !mountsServiceAccountToken(workload)) return null;
    return {
      messageId: 'may-fail',
      evidence: [`All containers run as user ${user} and a token of the service account is mounted: the kubelet on Windows cannot give the token to that user (kubernetes/kubernetes#102849).`],
      reference: 'https://github.com/kubernetes/kubernetes/issues/102849',
    };
  },
});
