import assert from 'node:assert/strict';
import { itJudges, judgeCase, windowsNode, windowsPod, type RuleCase } from '../../../../support/rule-case.ts';

type Fields = Readonly<Record<string, unknown>>;

const deployment = (spec: Fields = windowsPod()['spec'] as Fields): Fields => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { template: { metadata: {}, spec } } });
const podOf = (status: Fields, spec: Fields = {}): Fields => ({
  apiVersion: 'v1', kind: 'Pod', status,
  metadata: { name: 'web-5d-x', labels: { 'pod-template-hash': '5d' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', controller: true }] },
  spec: { nodeName: 'win-0', containers: [{ name: 'web', image: 'web:1' }], ...spec },
});
const waiting = (reason: string, message: string): Fields => ({ phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting: { reason, message } } }] });
const noMatch = waiting('ErrImagePull', 'no match for platform in manifest');
const linuxSpec = { containers: [{ name: 'web', image: 'web:1' }] };
const linuxNode: Fields = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'win-0', labels: { 'kubernetes.io/os': 'linux' } }, spec: {}, status: { nodeInfo: { operatingSystem: 'linux' } } };
const labelled = (name: string, labels: Fields, options: Parameters<typeof windowsNode>[1] = {}): Fields => ({ ...windowsNode(name, options), metadata: { name, labels: { 'kubernetes.io/os': 'windows', ...labels } } });
const agent = (name: string, status: Fields | undefined, spec: Fields = { nodeSelector: { 'kubernetes.io/os': 'windows' } }): Fields => ({
  apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name, namespace: 'kube-system' }, ...(status === undefined ? {} : { status }), spec: { template: { spec: { containers: [{ name: 'x', image: 'x' }], ...spec } } },
});
const image = ['spec.template.spec.containers[0].image'];
const taintedNode = (name: string): Fields => ({ ...windowsNode(name), spec: { taints: [{ key: 'os', value: 'windows', effect: 'NoSchedule' }] } });

const cases: readonly RuleCase[] = [
  { name: 'a Windows pod without a fitting image', rule: 'observed-symptom', object: deployment(), cluster: [podOf(noMatch)], paths: image },
  { name: 'a Linux pod with the same words on a Linux node', rule: 'observed-symptom', object: deployment(linuxSpec), cluster: [podOf(noMatch), linuxNode], paths: [] },
  { name: 'a Linux pod with the same words on a Windows node', rule: 'observed-symptom', object: deployment(linuxSpec), cluster: [podOf(noMatch), windowsNode('win-0')], paths: image },
  { name: 'what no kind explains is left to kubectl', rule: 'observed-symptom', object: deployment(), cluster: [podOf(waiting('CreateContainerConfigError', 'secret "x" not found'))], paths: [] },
  { name: 'pods of another workload', rule: 'observed-symptom', object: { ...deployment(), metadata: { name: 'other' } }, cluster: [podOf(noMatch)], paths: [] },
  { name: 'a file knows no pods', rule: 'observed-symptom', object: deployment(), paths: [] },

  { name: 'a container of the template is none', rule: 'injected-linux-container', object: deployment({ ...(windowsPod()['spec'] as Fields), initContainers: [{ name: 'istio-init', image: 'x' }] }), cluster: [podOf(noMatch, { initContainers: [{ name: 'istio-init', image: 'x' }] })], paths: [] },
  { name: 'an unknown container may be for Windows', rule: 'injected-linux-container', object: deployment(), cluster: [podOf(noMatch, { initContainers: [{ name: 'own', image: 'registry.example.com/own:1' }] })], paths: [] },
  { name: 'a sidecar of a mesh', rule: 'injected-linux-container', object: deployment(), cluster: [podOf(noMatch, { containers: [{ name: 'web', image: 'web:1' }, { name: 'istio-proxy', image: 'istio/proxyv2:1' }] })], paths: ['spec.template.spec'] },
  { name: 'into a Linux pod', rule: 'injected-linux-container', object: deployment(linuxSpec), cluster: [podOf(noMatch, { initContainers: [{ name: 'istio-init', image: 'x' }] })], paths: [] },

  { name: 'open nodes and a stray workload', rule: 'open-windows-nodes', object: deployment(linuxSpec), cluster: [windowsNode('win-0')], paths: ['spec.taints'] },
  { name: 'open nodes, but all workloads are pinned', rule: 'open-windows-nodes', object: deployment({ ...linuxSpec, nodeSelector: { 'kubernetes.io/os': 'linux' } }), cluster: [windowsNode('win-0')], paths: [] },
  { name: 'tainted nodes', rule: 'open-windows-nodes', object: deployment({ ...linuxSpec, tolerations: [{ operator: 'Exists' }] }), cluster: [taintedNode('win-0')], paths: [] },
  { name: 'Windows workloads only', rule: 'open-windows-nodes', object: deployment(), cluster: [windowsNode('win-0')], paths: [] },

  { name: 'a node that nothing is wrong with', rule: 'node-not-fit', object: deployment(), cluster: [windowsNode('win-0')], paths: [] },
  { name: 'one finding for all nodes of a kind', rule: 'node-not-fit', object: deployment(), cluster: ['win-0', 'win-1', 'win-2'].map((name) => windowsNode(name, { runtime: 'containerd://1.7.28' })), paths: ['metadata.name'] },
  { name: 'docker, which Kubernetes left in 1.24', rule: 'node-not-fit', object: deployment(), cluster: [windowsNode('win-0', { runtime: 'docker://20.10.9' })], paths: ['metadata.name'] },
  { name: 'Linux nodes are no concern', rule: 'node-not-fit', object: deployment(), cluster: [{ ...linuxNode, status: { nodeInfo: { operatingSystem: 'linux', containerRuntimeVersion: 'docker://20.10.9' } } }], paths: [] },
  { name: 'without nodes it is not evaluated', rule: 'node-not-fit', object: deployment(), paths: [], notEvaluated: ['nodes not known'] },

  { name: 'a kube-proxy of which pods are not ready', rule: 'windows-agent-not-ready', object: deployment(), cluster: [windowsNode('win-0'), agent('kube-proxy-windows', { desiredNumberScheduled: 3, numberReady: 2 })], paths: ['status.numberReady'] },
  { name: 'one of which all are', rule: 'windows-agent-not-ready', object: deployment(), cluster: [windowsNode('win-0'), agent('kube-proxy-windows', { desiredNumberScheduled: 3, numberReady: 3 })], paths: [] },
  { name: 'a driver that reaches no node', rule: 'windows-agent-not-ready', object: deployment(), cluster: [windowsNode('win-0'), agent('csi-secrets-store-windows', { desiredNumberScheduled: 0 })], paths: ['status.desiredNumberScheduled'] },
  { name: 'the part for Linux', rule: 'windows-agent-not-ready', object: deployment(), cluster: [windowsNode('win-0'), agent('kube-proxy', { desiredNumberScheduled: 3, numberReady: 1 }, { nodeSelector: { 'kubernetes.io/os': 'linux' } })], paths: [] },
  { name: 'a DaemonSet of something else', rule: 'windows-agent-not-ready', object: deployment(), cluster: [windowsNode('win-0'), agent('shop-cache', { desiredNumberScheduled: 3, numberReady: 1 })], paths: [] },
  { name: 'one from a file, that never ran', rule: 'windows-agent-not-ready', object: deployment(), cluster: [windowsNode('win-0'), agent('kube-proxy-windows', undefined)], paths: [] },
  { name: 'no Windows node', rule: 'windows-agent-not-ready', object: deployment(), cluster: [linuxNode, agent('kube-proxy-windows', { desiredNumberScheduled: 0 })], paths: [] },
  { name: 'AKS runs both as services', rule: 'windows-agent-not-ready', object: deployment(), cluster: [labelled('win-0', { 'kubernetes.azure.com/agentpool': 'win' }), agent('shop-cache', {})], paths: [] },
  { name: 'EKS runs both as services', rule: 'windows-agent-not-ready', object: deployment(), cluster: [labelled('win-0', { 'eks.amazonaws.com/nodegroup': 'win' }), agent('aws-node', {}, {})], paths: [] },
];

describe('the rules on the cluster', () => {
  itJudges(cases);

  it('tell of a symptom what happened, why, what to do, and where it was seen', async () => {
    const { findings } = await judgeCase({ rule: 'observed-symptom', object: deployment(), cluster: [podOf(noMatch)] });
    assert.deepEqual(findings.map(({ severity, confidence, container, nodes, message }) => ({ severity, confidence, container, nodes, message })), [
      { severity: 'error', confidence: 'observed', container: 'web', nodes: ['win-0'], message: '1 pod on win-0: the image has no variant for the node (ErrImagePull)' },
    ]);
    assert.equal(findings[0]?.evidence.at(-1), 'ErrImagePull: no match for platform in manifest');
  });

  it('pass on in short what is not of Windows', async () => {
    const { findings } = await judgeCase({ rule: 'observed-symptom', object: deployment(), cluster: [podOf(waiting('ErrImagePull', '401 Unauthorized'))] });
    assert.deepEqual(findings.map(({ severity }) => severity), ['info']);
  });

  it('trust an injected container\'s name less than its failing', async () => {
    const spec = { initContainers: [{ name: 'istio-init', image: 'istio/proxyv2:1' }] };
    const severityOf = async (status: Fields): Promise<readonly string[]> => (await judgeCase({ rule: 'injected-linux-container', object: deployment(), cluster: [podOf(status, spec)] })).findings.map(({ severity, confidence }) => `${severity} ${confidence}`);
    assert.deepEqual(await severityOf({ phase: 'Pending' }), ['warning unknown']);
    assert.deepEqual(await severityOf({ phase: 'Running', initContainerStatuses: [{ name: 'istio-init', ready: true, state: { terminated: { exitCode: 0 } } }] }), []);
    assert.deepEqual(await severityOf({ phase: 'Pending', initContainerStatuses: [{ name: 'istio-init', state: { waiting: { reason: 'ErrImagePull', message: 'no match for platform in manifest' } } }] }), ['error observed']);
  });

  it('name the node and all that have the same fault, with the number of the catalogue', async () => {
    const { findings } = await judgeCase({ rule: 'node-not-fit', object: deployment(), cluster: ['win-0', 'win-1'].map((name) => windowsNode(name, { runtime: 'containerd://1.7.28' })) });
    assert.deepEqual(findings.map(({ object, nodes, facts }) => ({ object: `${object.kind ?? ''}/${object.name}`, nodes, facts })), [{ object: 'Node/win-0', nodes: ['win-0', 'win-1'], facts: ['NOD-003'] }]);
    assert.match(findings[0]?.message ?? '', /on 2 nodes\)$/);
    assert.match(findings[0]?.remedy ?? '', /^[A-Z].*[^.]\.$/);
  });

  it('ask kubeadm clusters, where they are pods, for kube-proxy and the network plugin', async () => {
    const node = { ...windowsNode('win-0'), metadata: { name: 'win-0', labels: { 'kubernetes.io/os': 'windows' }, annotations: { 'kubeadm.alpha.kubernetes.io/cri-socket': 'npipe:////./pipe/containerd-containerd' } } };
    const missing = async (cluster: readonly unknown[]): Promise<readonly string[]> => (await judgeCase({ rule: 'windows-agent-not-ready', object: deployment(), cluster })).findings.map(({ severity, message }) => `${severity} ${/of a ([\w -]+?) for/.exec(message)?.[1] ?? message}`);
    assert.deepEqual(await missing([node, agent('kube-proxy-windows', { desiredNumberScheduled: 1, numberReady: 1 })]), ['info network plugin']);
    assert.deepEqual(await missing([node, agent('kube-proxy-windows', { desiredNumberScheduled: 1, numberReady: 1 }), agent('calico-node-windows', { desiredNumberScheduled: 1, numberReady: 1 })]), []);
  });
});
