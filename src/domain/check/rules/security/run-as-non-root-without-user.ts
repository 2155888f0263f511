import { containersText } from '../../../workload/container-names.ts';
import { booleanAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isNanoServer } from '../resource/shared-image-bases.ts';

/** runAsNonRoot does not keep an image without USER from running as ContainerAdministrator. */
export const runAsNonRootWithoutUser = defineWorkloadRule({
  id: 'run-as-non-root-without-user',
  facts: ['SEC-020', 'C61'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  isolation: 'process',
  summary: '`runAsNonRoot` without a Windows user name',
  rationale: 'On Windows the kubelet compares the user name alone: where neither the pod nor the image names a user, runAsNonRoot is not enforced, and the container runs as ContainerAdministrator, the default of Server Core. Images on Nano Server name ContainerUser, unless their makers changed it.',
  remediation: 'Set securityContext.windowsOptions.runAsUserName to ContainerUser.',
  reference: 'https://github.com/kubernetes/kubernetes/issues/112469',
  asOf: '2026-11-30',
  messages: {
    unenforced: 'runAsNonRoot is not enforced for {containers}: no runAsUserName is set, so an image without USER runs as its default, ContainerAdministrator for Server Core',
    nano: 'runAsNonRoot holds for {containers} only as long as the USER of the image is ContainerUser, as in Nano Server: no runAsUserName is set',
  },
  samples: {
    bad: [{ yaml: samplePod({ podSecurity: ['runAsNonRoot: true'] }), path: 'spec.securityContext.runAsNonRoot' }],
    good: [{ yaml: samplePod({ podSecurity: ['runAsNonRoot: true', 'windowsOptions:', '  runAsUserName: ContainerUser'] }) }, { yaml: samplePod({ podSecurity: ['runAsNonRoot: false'] }) }],
  },
  * check({ workload }) {
    const unenforced = workload.containers.filter(({ runAsNonRoot, runAsUserName }) => runAsNonRoot === true && runAsUserName === null);
    const [first] = unenforced;
    if (first === undefined) return;
    const isOwn = booleanAt(first.fields, 'securityContext', 'runAsNonRoot') !== undefined;
    const isAll = unenforced.length === workload.containers.length;
    yield {
      // https://github.com/kubernetes/kubernetes/issues/112469 shows the USER of both base images.
      ...(unenforced.every(({ image }) => isNanoServer(image)) ? { messageId: 'nano', severity: 'info', effect: 'advice', confidence: 'tag' } : { messageId: 'unenforced' }),
      data: { containers: isAll && unenforced.length > 1 ? 'all containers' : containersText(unenforced) },
      path: [...(isOwn ? first.path : workload.specPath), 'securityContext', 'runAsNonRoot'],
      ...(unenforced.length === 1 ? { container: first.name } : {}),
      evidence: ['Linters that do not know Windows ask for runAsNonRoot alone (kube-linter run-as-non-root, Polaris runAsRootAllowed, Kubescape C-0013, Kyverno require-run-as-nonroot, Checkov CKV_K8S_23): on Windows the user name is what counts.'],
      fix: {
        title: 'run as ContainerUser',
        edits: isAll
          ? [{ op: 'set', path: [...workload.specPath, 'securityContext', 'windowsOptions', 'runAsUserName'], value: 'ContainerUser' }]
          : unenforced.map(({ path }) => ({ op: 'set', path: [...path, 'securityContext', 'windowsOptions', 'runAsUserName'], value: 'ContainerUser' })),
        isSafe: false,
      },
    };
  },
});
