import assert from 'node:assert/strict';
import { formatFieldPath } from '../../../../../src/domain/kubernetes/field-path.ts';
import type { Finding } from '../../../../../src/domain/check/finding.ts';
import { HOST_PROCESS_RULES } from '../../../../../src/domain/check/rules/host-process/index.ts';
import { pathOnSystemDrive } from '../../../../../src/domain/check/rules/host-process/shared-host-process-nodes.ts';
import { sampleNode } from '../../../../../src/domain/check/samples.ts';
import { judgeSample } from '../../../../support/check-sample.ts';

type Json = Readonly<Record<string, unknown>>;

const SYSTEM = { hostProcess: true, runAsUserName: 'NT AUTHORITY\\LocalService' };
const podOf = ({ options = SYSTEM, spec = {}, container = {}, metadata = {} }: { readonly options?: Json | null; readonly spec?: Json; readonly container?: Json; readonly metadata?: Json }): string => JSON.stringify({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: 'agents', ...metadata },
  spec: { nodeSelector: { 'kubernetes.io/os': 'windows' }, hostNetwork: true, securityContext: { windowsOptions: options }, containers: [{ name: 'c', image: 'x', ...container }], ...spec },
});

async function judge(yaml: string, cluster?: string): Promise<readonly Finding[]> {
  return (await judgeSample({ yaml, ...(cluster === undefined ? {} : { cluster }) }, HOST_PROCESS_RULES)).findings;
}

const namespace = (labels: Json): string => JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'agents', labels } });

describe('the rules on HostProcess pods', () => {
  const cases: readonly { readonly name: string; readonly yaml: string; readonly cluster?: string; readonly expected: readonly string[] }[] = [
    { name: 'leave a good pod alone', yaml: podOf({}), expected: [] },
    { name: 'leave a pod under process isolation alone', yaml: podOf({ options: null, spec: { hostNetwork: false, hostAliases: [{ ip: '10.0.0.1' }] }, container: { command: ['pwsh', '-c', 'a|b'] } }), expected: [] },
    { name: 'do not ask for the host network where every container takes hostProcess back', yaml: podOf({ options: { hostProcess: true }, spec: { hostNetwork: null }, container: { securityContext: { windowsOptions: { hostProcess: false } } } }), expected: ['host-process-mixed error'] },
    { name: 'ask for the host network though the pod does not say windows', yaml: podOf({ spec: { nodeSelector: {}, hostNetwork: false } }), expected: ['host-process-without-host-network error'] },
    { name: 'do not read hostNetwork of another type as true', yaml: podOf({ spec: { hostNetwork: 'true' } }), expected: ['host-process-without-host-network error'] },
    { name: 'take a privileged namespace', yaml: podOf({}), cluster: namespace({ 'pod-security.kubernetes.io/enforce': 'privileged' }), expected: [] },
    { name: 'take a namespace that only warns', yaml: podOf({}), cluster: namespace({ 'pod-security.kubernetes.io/warn': 'restricted' }), expected: [] },
    { name: 'find a namespace that enforces restricted, at any version', yaml: podOf({}), cluster: namespace({ 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/enforce-version': 'v1.20' }), expected: ['host-process-in-restricted-namespace error'] },
    { name: 'find a user that exists in isolated containers alone', yaml: podOf({ options: { hostProcess: true, runAsUserName: 'containeradministrator' } }), expected: ['host-process-without-user warning'] },
    { name: 'take a local group as user where nodes are not known', yaml: podOf({ options: { hostProcess: true, runAsUserName: 'agents' } }), expected: [] },
    { name: 'call SYSTEM, in any case, advice', yaml: podOf({ options: { hostProcess: true, runAsUserName: 'nt authority\\system' } }), expected: ['host-process-system-account info'] },
    { name: 'find runAsNonRoot of a container', yaml: podOf({ container: { securityContext: { runAsNonRoot: true } } }), expected: ['host-process-run-as-non-root warning'] },
    { name: 'find a pipe, wherever it is mounted', yaml: podOf({ container: { volumeMounts: [{ name: 'v', mountPath: 'C:\\csi' }] }, spec: { volumes: [{ name: 'v', hostPath: { path: '\\\\.\\pipe\\csi' } }] } }), expected: ['host-process-named-pipe-mount error'] },
    { name: 'call no folder a pipe for its slashes, nor for where it is mounted', yaml: podOf({ container: { volumeMounts: [{ name: 'v', mountPath: '\\\\.\\pipe\\csi' }] }, spec: { volumes: [{ name: 'v', hostPath: { path: '//./pipe/csi' } }] } }), expected: [] },
    { name: 'find mounts that older nodes move', yaml: podOf({ container: { args: ['-c', 'C:\\agent\\agent.conf'], volumeMounts: [{ name: 'v', mountPath: '/agent' }] } }), cluster: sampleNode({ name: 'win-1', build: '10.0.17763', containerd: '2.0.4' }), expected: ['host-process-mount-path-relocated warning'] },
    { name: 'take mounts that the program opens by relative paths', yaml: podOf({ container: { args: ['-c', 'fluent-bit.conf'], volumeMounts: [{ name: 'v', mountPath: '/fluent-bit.conf' }, { name: 'w', mountPath: '/parsers.conf' }] } }), cluster: sampleNode({ name: 'win-1', build: '10.0.17763', containerd: '2.0.4' }), expected: [] },
    { name: 'take no other file of a like name for the mount', yaml: podOf({ container: { args: ['-c', 'my-agent.conf'], volumeMounts: [{ name: 'v', mountPath: '/agent.conf' }] } }), cluster: sampleNode({ name: 'win-1', build: '10.0.17763', containerd: '2.0.4' }), expected: ['host-process-mount-path-relocated warning'] },
    { name: 'take an argument with a space, which is quoted', yaml: podOf({ container: { command: ['powershell.exe', '-c', 'a | b'] } }), expected: [] },
    { name: 'find a quote that ends the quoting', yaml: podOf({ container: { command: ['powershell.exe', '-c', 'echo "a" | b "c|d"'] } }), expected: ['host-process-command-metacharacters warning'] },
    { name: 'take a command of another type', yaml: podOf({ container: { command: 'a|b', args: [1, null] } }), expected: [] },
    { name: 'leave cmd.exe its own characters', yaml: podOf({ container: { command: ['C:\\Windows\\System32\\cmd.exe', '/c', 'a|b'] } }), expected: [] },
    { name: 'do not speak of cmd where every node starts programs itself', yaml: podOf({ container: { command: ['a', 'b|c'] } }), cluster: sampleNode({ name: 'win-1', build: '10.0.17763', containerd: '1.7.27' }), expected: [] },
    { name: 'take a folder of Windows mounted onto itself', yaml: podOf({ container: { volumeMounts: [{ name: 'v', mountPath: 'C:\\ProgramData' }] }, spec: { volumes: [{ name: 'v', hostPath: { path: '/programdata/' } }] } }), expected: [] },
    { name: 'find a folder below C:\\Windows', yaml: podOf({ container: { volumeMounts: [{ name: 'v', mountPath: '/Windows/System32/drivers' }] }, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }), expected: ['host-process-mount-shadows-host warning'] },
    { name: 'find nodes that know no HostProcess', yaml: podOf({}), cluster: sampleNode({ name: 'win-1', build: '10.0.20348', containerd: '2.0.4', kubelet: 'v1.21.14' }), expected: ['host-process-unsupported-node error'] },
    { name: 'warn where other nodes can run it', yaml: podOf({}), cluster: `${sampleNode({ name: 'win-1', build: '10.0.20348', containerd: '1.5.18' })}---\n${sampleNode({ name: 'win-1', build: '10.0.20348', containerd: '2.0.4' }).replaceAll('win-1', 'win-2')}`, expected: ['host-process-unsupported-node warning'] },
  ];
  for (const { name, yaml, cluster, expected } of cases) {
    it(name, async () => {
      assert.deepEqual((await judge(yaml, cluster)).map(({ rule, severity }) => `${rule} ${severity}`), expected);
    });
  }

  it('remove the volume of a pipe with the last of its mounts, and no volume that something else mounts', async () => {
    const removed = async (mounts: Json, spec: Json): Promise<readonly (readonly string[])[]> => (await judge(podOf({ container: mounts, spec }))).map(({ fix }) => (fix?.edits ?? []).map(({ path }) => formatFieldPath(path)));
    const volumes = [{ name: 'other', emptyDir: {} }, { name: 'v', hostPath: { path: '\\\\.\\pipe\\csi' } }];
    assert.deepEqual(await removed({ volumeMounts: [{ name: 'v', mountPath: 'C:\\csi' }] }, { volumes }), [['spec.containers[0].volumeMounts[0]', 'spec.volumes[1]']]);
    const twice = ['spec.containers[0].volumeMounts[0]', 'spec.containers[0].volumeMounts[1]', 'spec.volumes[1]'];
    assert.deepEqual(await removed({ volumeMounts: [{ name: 'v', mountPath: 'C:\\csi' }, { name: 'v', mountPath: 'C:\\more' }] }, { volumes }), [twice, twice]);
    const beside = { name: 'b', image: 'x', securityContext: { windowsOptions: { hostProcess: false } }, volumeMounts: [{ name: 'v', mountPath: 'C:\\csi' }] };
    const both = await judge(podOf({ spec: { volumes, containers: [{ name: 'a', image: 'x', volumeMounts: [{ name: 'v', mountPath: 'C:\\csi' }] }, beside] } }));
    assert.deepEqual(both.filter(({ rule }) => rule === 'host-process-named-pipe-mount').map(({ fix }) => fix?.edits.map(({ path }) => formatFieldPath(path))), [['spec.containers[0].volumeMounts[0]']]);
  });

  it('count init and ephemeral containers among those that must be alike', async () => {
    const own = { securityContext: { windowsOptions: SYSTEM } };
    const findings = await judge(podOf({ options: null, container: own, spec: { initContainers: [{ name: 'i', image: 'x', ...own }], ephemeralContainers: [{ name: 'e', image: 'x' }] } }));
    assert.deepEqual(findings.map(({ rule, path, message }) => `${rule} ${formatFieldPath(path)} ${message}`), ['host-process-mixed spec the API server refuses the pod: all containers of a pod have to be HostProcess containers or none (they are: init container i and container c; they are not: ephemeral container e)']);
  });

  it('say of a template that its pods are refused, and where hostProcess stands', async () => {
    const pod = JSON.parse(podOf({})) as { readonly spec: unknown };
    const yaml = JSON.stringify({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'x', namespace: 'agents' }, spec: { template: { spec: pod.spec } } });
    const [finding] = await judge(yaml, namespace({ 'pod-security.kubernetes.io/enforce': 'baseline' }));
    assert.equal(finding?.effect, 'cannot-run');
    assert.equal(formatFieldPath(finding.path), 'spec.template.spec.securityContext.windowsOptions.hostProcess');
  });

  it('say what they could not know', async () => {
    const { notEvaluated } = await judgeSample({ yaml: podOf({ options: { hostProcess: true, runAsUserName: 'agents' }, container: { volumeMounts: [{ name: 'v', mountPath: '/etc/x' }] } }) }, HOST_PROCESS_RULES);
    assert.deepEqual(notEvaluated.map(({ rule }) => rule), ['host-process-in-restricted-namespace', 'host-process-mount-path-relocated', 'host-process-local-group', 'host-process-unsupported-node']);
  });
});

describe('pathOnSystemDrive', () => {
  for (const [path, expected] of [['C:\\Var\\Log\\', '/var/log'], ['/var/log', '/var/log'], ['\\var\\log', '/var/log'], ['c:/', '/'], ['C:', '/'], ['D:\\data', null], ['.\\etc', null], ['etc', null], ['C:\\\\a', '/a']] as const) {
    it(`reads ${path}`, () => {
      assert.equal(pathOnSystemDrive(path), expected);
    });
  }
});
