import assert from 'node:assert/strict';
import { formatFieldPath } from '../../../../../src/domain/kubernetes/field-path.ts';
import { OS_RULES } from '../../../../../src/domain/check/rules/os/index.ts';
import { judgeSample } from '../../../../support/check-sample.ts';

/** `rule severity path` of each finding of this topic. */
async function judge(yaml: string, kubernetesVersion?: string): Promise<readonly string[]> {
  const { findings } = await judgeSample({ yaml, ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }) }, OS_RULES);
  return findings.map(({ rule, severity, path }) => `${rule} ${severity} ${formatFieldPath(path)}`);
}

const pod = (spec: string, metadata = ''): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n${metadata}spec:\n${spec}  containers:\n  - name: a\n    image: x\n`;

describe('the rules on spec.os', () => {
  const cases: readonly { readonly name: string; readonly yaml: string; readonly version?: string; readonly expected: readonly string[] }[] = [
    { name: 'null as os counts as unset', yaml: pod('  os: null\n  nodeSelector:\n    kubernetes.io/os: windows\n'), expected: ['os-name-missing warning spec.os.name'] },
    { name: 'before 1.25 nobody is told to set os.name', yaml: pod('  nodeSelector:\n    kubernetes.io/os: windows\n'), version: '1.24', expected: [] },
    { name: 'a Linux pod needs no os.name', yaml: pod('  nodeSelector:\n    kubernetes.io/os: linux\n'), expected: [] },
    { name: 'a pod that nothing says an OS of needs no os.name', yaml: pod(''), expected: [] },
    { name: 'an empty os is refused at its name', yaml: pod('  os: {}\n'), expected: ['os-name-unsupported error spec.os.name'] },
    { name: 'an os of another type is no finding of ours', yaml: pod('  os: windows\n'), expected: [] },
    { name: 'another OS is refused at spec.os', yaml: pod('  os:\n    name: darwin\n'), expected: ['os-name-unsupported error spec.os'] },
    { name: 'a number as name is refused', yaml: pod('  os:\n    name: 7\n'), expected: ['os-name-unsupported error spec.os'] },
    { name: 'linux pinned to Windows nodes cannot run', yaml: pod('  os:\n    name: linux\n  nodeSelector:\n    kubernetes.io/os: windows\n'), expected: ['os-name-contradicts-placement error spec.nodeSelector[kubernetes.io/os]'] },
    { name: 'windowsOptions null is no option', yaml: pod('  os:\n    name: linux\n  securityContext:\n    windowsOptions: null\n'), expected: [] },
    { name: 'empty windowsOptions are options', yaml: pod('  os:\n    name: linux\n  securityContext:\n    windowsOptions: {}\n'), expected: ['windows-options-on-linux error spec.securityContext.windowsOptions'] },
    { name: 'a label that names the nodes\' own OS is fine', yaml: pod('  os:\n    name: linux\n  nodeSelector:\n    kubernetes.io/os: linux\n', '  labels:\n    kubernetes.io/os: linux\n'), expected: [] },
    { name: 'a label of Windows keeps a Linux pod from running', yaml: pod('  os:\n    name: linux\n  nodeSelector:\n    kubernetes.io/os: linux\n', '  labels:\n    kubernetes.io/os: windows\n'), expected: ['pod-os-label-mismatch error metadata.labels[kubernetes.io/os]'] },
    { name: 'a label alone says nothing of nodes', yaml: pod('', '  labels:\n    kubernetes.io/os: windows\n'), expected: [] },
    { name: 'labels of another type are no labels', yaml: pod('  os:\n    name: linux\n', '  labels: [kubernetes.io/os]\n'), expected: [] },
  ];
  for (const { name, yaml, version, expected } of cases) {
    it(name, async () => {
      assert.deepEqual(await judge(yaml, version), expected);
    });
  }

  it('finds options of init and ephemeral containers, and removes all of them', async () => {
    const { findings } = await judgeSample({ yaml: pod('  os:\n    name: linux\n  initContainers:\n  - name: i\n    image: x\n    securityContext:\n      windowsOptions: {}\n  ephemeralContainers:\n  - name: e\n    image: x\n    securityContext:\n      windowsOptions:\n        runAsUserName: x\n') }, OS_RULES);
    assert.deepEqual(findings.map(({ fix }) => fix?.edits.map(({ path }) => formatFieldPath(path))), [['spec.initContainers[0].securityContext.windowsOptions', 'spec.ephemeralContainers[0].securityContext.windowsOptions']]);
  });

  it('looks for the label in the pod template of a CronJob, not in the object', async () => {
    const yaml = `apiVersion: batch/v1
kind: CronJob
metadata: {name: x, labels: {kubernetes.io/os: linux}}
spec:
  schedule: '* * * * *'
  jobTemplate: {spec: {template: {metadata: {labels: {kubernetes.io/os: linux}}, spec: {os: {name: windows}, nodeSelector: {kubernetes.io/os: windows}, containers: [{name: a, image: x}]}}}}
`;
    assert.deepEqual(await judge(yaml), ['pod-os-label-mismatch error spec.jobTemplate.spec.template.metadata.labels[kubernetes.io/os]']);
  });

  it('sets os.name together with the removal of what the API server refuses beside it', async () => {
    const { findings } = await judgeSample({ yaml: pod('  nodeSelector:\n    kubernetes.io/os: windows\n  hostPID: false\n  securityContext:\n    fsGroup: 2000\n') }, OS_RULES);
    assert.deepEqual(findings.map(({ fix }) => fix?.edits.map(({ op, path }) => `${op} ${formatFieldPath(path)}`)), [['set spec.os.name', 'remove spec.securityContext.fsGroup']]);
  });

  it('does not call a pod that is pinned to Linux a Windows pod', async () => {
    assert.deepEqual(await judge(pod('  nodeSelector:\n    kubernetes.io/os: linux\n  securityContext:\n    windowsOptions:\n      runAsUserName: ContainerUser\n')), []);
  });
});
