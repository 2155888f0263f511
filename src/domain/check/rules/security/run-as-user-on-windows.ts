import { minorText, parseKubernetesVersion } from '../../../kubernetes/version.ts';
import type { CheckFacts } from '../../facts.ts';
import type { WorkloadSubject } from '../../rule.ts';
import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS, agreedRunAsUser, mountsServiceAccountToken } from './shared-linux-only-fields.ts';

/** A numeric user in a pod for Windows. */
export const runAsUserOnWindows = defineLinuxOnlyRule({
  id: 'run-as-user-on-windows',
  facts: ['SEC-004', 'C20', 'C23', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.runAsUser, ['SEC-004', 'C20', 'C23', 'C61']]],
  summary: 'Numeric user (runAsUser) in a Windows pod',
  rationale: 'Windows has user names, no numbers. The API server refuses runAsUser where spec.os.name is windows. Without it the user is ignored. Kubelets before 1.31 (and before 1.30.9 and 1.29.13) try to give the token of the service account to a user on which all containers agree, which fails: `chown c:\\var\\lib\\kubelet\\pods\\…\\token: not supported by windows`, and the pod stays in ContainerCreating.',
  remediation: 'Remove runAsUser; name a Windows user in securityContext.windowsOptions.runAsUserName, for example ContainerUser.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['runAsUser: 1000'] },
  mended: { containerSecurity: ['windowsOptions:', '  runAsUserName: ContainerUser'] },
  samplePath: 'spec.containers[0].securityContext.runAsUser',
  whenIgnored: (subject, facts) => {
    const user = agreedRunAsUser(subject.workload);
    const kubelet = user === null || !mountsServiceAccountToken(subject.workload) ? null : oldKubelet(subject, facts);
    if (kubelet === null) return null;
    return {
      messageId: 'may-fail',
      evidence: [`All containers run as user ${user} and a token of the service account is mounted: kubelet ${kubelet} on Windows cannot give the token to that user (kubernetes/kubernetes#102849, mended in 1.31, 1.30.9 and 1.29.13).`],
      reference: 'https://github.com/kubernetes/kubernetes/issues/102849',
    };
  },
});

/** Minors that were mended by a patch; before them none was, after them all are. https://github.com/kubernetes/kubernetes/pull/125040 and its picks, read 2026-11-30 */
const MENDED_BY: Readonly<Record<number, number>> = { 29: 13, 30: 9 };

/** Version of a kubelet that changes owners on Windows too, among the nodes that the pod can land on, or else by the server's; null where none is known to. */
function oldKubelet({ placement }: WorkloadSubject, { kubernetesVersion }: CheckFacts): string | null {
  const kubelets = (placement?.windowsCandidates ?? []).flatMap(({ kubeletVersion }) => kubeletVersion ?? []);
  const versions = kubelets.length > 0 ? kubelets.map(parseKubernetesVersion) : [kubernetesVersion];
  const old = versions.find((version) => version !== null && version.major === 1 && version.minor < 31 && (version.patch ?? 0) < (MENDED_BY[version.minor] ?? Infinity));
  return old === undefined || old === null ? null : `${minorText(old)}${old.patch === null ? '' : `.${old.patch}`}`;
}
