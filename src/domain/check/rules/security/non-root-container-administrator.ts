import { containersText } from '../../../workload/container-names.ts';
import { formatFieldPath } from '../../../kubernetes/field-path.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** runAsNonRoot together with the one Windows user that counts as root. */
export const nonRootContainerAdministrator = defineWorkloadRule({
  id: 'non-root-container-administrator',
  facts: ['SEC-019', 'C25', 'C31'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: '`runAsNonRoot` with the user ContainerAdministrator',
  rationale: 'With runAsNonRoot the kubelet on Windows refuses ContainerAdministrator, in any case: "container\'s runAsUserName (ContainerAdministrator) which will be regarded as root identity and will break non-root policy". The container stays in CreateContainerConfigError.',
  remediation: 'Set windowsOptions.runAsUserName to ContainerUser, or remove runAsNonRoot.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kuberuntime/security_context_windows.go',
  asOf: '2026-11-30',
  messages: { refused: 'the kubelet refuses to start {containers}: runAsNonRoot is true and the user is {user}' },
  samples: {
    bad: [
      { yaml: samplePod({ podSecurity: ['runAsNonRoot: true', 'windowsOptions:', '  runAsUserName: ContainerAdministrator'] }), path: 'spec.securityContext.windowsOptions.runAsUserName' },
      { yaml: samplePod({ podSecurity: ['runAsNonRoot: true'], containerSecurity: ['windowsOptions:', '  runAsUserName: containeradministrator'] }), path: 'spec.containers[0].securityContext.windowsOptions.runAsUserName' },
    ],
    good: [
      { yaml: samplePod({ podSecurity: ['runAsNonRoot: true', 'windowsOptions:', '  runAsUserName: ContainerUser'] }) },
      { yaml: samplePod({ podSecurity: ['runAsNonRoot: true', 'windowsOptions:', '  runAsUserName: ContainerAdministrator'], containerSecurity: ['windowsOptions:', '  runAsUserName: ContainerUser'] }) },
    ],
  },
  * check({ workload }) {
    const refused = workload.containers.filter(({ runAsNonRoot, runAsUserName }) => runAsNonRoot === true && runAsUserName?.toLowerCase() === 'containeradministrator');
    const [first] = refused;
    if (first === undefined) return;
    const own = ['securityContext', 'windowsOptions', 'runAsUserName'];
    const places = new Map(refused.map((container) => {
      const isOwn = userOf(container.fields) !== undefined;
      const path = [...(isOwn ? container.path : workload.specPath), ...own];
      return [formatFieldPath(path), path] as const;
    }));
    const paths = [...places.values()];
    const [path = workload.specPath] = paths;
    yield {
      messageId: 'refused',
      data: { containers: containersText(refused), user: first.runAsUserName ?? '' },
      path,
      ...(refused.length === 1 ? { container: first.name } : {}),
      fix: { title: 'run as ContainerUser', edits: paths.map((place) => ({ op: 'set', path: place, value: 'ContainerUser' })), isSafe: false },
    };
  },
});

function userOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  return stringAt(fields, 'securityContext', 'windowsOptions', 'runAsUserName');
}
