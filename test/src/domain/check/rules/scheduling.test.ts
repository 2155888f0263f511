import assert from 'node:assert/strict';
import { itJudges, judgeCase, windowsNode, windowsPod, type RuleCase } from '../../../../support/rule-case.ts';

type Fields = Readonly<Record<string, unknown>>;

const linuxNode: Fields = { ...windowsNode('linux-0'), metadata: { name: 'linux-0', labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', pool: 'system' } }, status: { nodeInfo: { operatingSystem: 'linux' } } };
const node = (name: string, labels: Fields = {}, spec: Fields = {}): Fields => ({ ...windowsNode(name), metadata: { name, labels: { 'kubernetes.io/os': 'windows', 'kubernetes.io/arch': 'amd64', 'node.kubernetes.io/windows-build': '10.0.20348', ...labels } }, spec });
const taint = (key: string, value: string | undefined, effect = 'NoSchedule'): Fields => ({ taints: [{ key, ...(value === undefined ? {} : { value }), effect }] });
const open = [linuxNode, node('win-0')];
const tainted = [linuxNode, node('win-0', {}, taint('os', 'windows'))];

const select = (labels: Fields, spec: Fields = {}): Fields => windowsPod({ nodeSelector: { 'kubernetes.io/os': 'windows', ...labels }, ...spec });
const affinity = (...terms: readonly (readonly Fields[])[]): Fields => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })) } } } });
const onWindows = { key: 'kubernetes.io/os', operator: 'In', values: ['windows'] };
const plainPod = (spec: Fields = {}): Fields => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart' }, spec: { containers: [{ name: 'cart', image: 'registry.example.com/cart:1' }], ...spec } });
const daemonSet = (spec: Fields = {}): Fields => ({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec: { template: { metadata: {}, spec: { containers: [{ name: 'agent', image: 'registry.example.com/agent:1' }], ...spec } } } });
const everything = { tolerations: [{ operator: 'Exists' }] };
const pinPath = 'spec.nodeSelector[kubernetes.io/os]';

const cases: readonly RuleCase[] = [
  { name: 'windowsOptions alone keep no pod on Windows nodes', rule: 'os-selector-missing', object: plainPod({ securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } }), paths: [pinPath] },
  { name: 'a null selector is none', rule: 'os-selector-missing', object: windowsPod({ nodeSelector: null }), paths: [pinPath] },
  { name: 'the build label pins', rule: 'os-selector-missing', object: windowsPod({ nodeSelector: { 'node.kubernetes.io/windows-build': '10.0.20348' } }), paths: [] },
  { name: 'the os-sku of AKS pins', rule: 'os-selector-missing', object: windowsPod({ nodeSelector: { 'kubernetes.azure.com/os-sku': 'Windows2022' } }), paths: [] },
  { name: 'required affinity pins', rule: 'os-selector-missing', object: windowsPod({ nodeSelector: {}, ...affinity([onWindows]) }), paths: [] },
  { name: 'a hostname that is known to be of Windows pins', rule: 'os-selector-missing', object: windowsPod({ nodeSelector: { 'kubernetes.io/hostname': 'win-0' } }), cluster: [linuxNode, node('win-0', { 'kubernetes.io/hostname': 'win-0' })], paths: [] },
  { name: 'a CronJob is told of the path of its template', rule: 'os-selector-missing', object: { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'x' }, spec: { jobTemplate: { spec: { template: { spec: { os: { name: 'windows' }, containers: [{ name: 'x', image: 'x' }] } } } } } }, paths: ['spec.jobTemplate.spec.template.spec.nodeSelector[kubernetes.io/os]'] },
  { name: 'nothing that tells an OS is no Windows pod', rule: 'os-selector-missing', object: plainPod(), paths: [] },
  { name: 'a preference is another rule\'s', rule: 'os-selector-missing', object: windowsPod({ nodeSelector: null, affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [onWindows] } }] } } }), paths: [] },

  { name: 'taints that nodes do not carry are no matter', rule: 'windows-taint-not-tolerated', object: select({}), cluster: open, paths: [] },
  { name: 'one node without the taint is enough', rule: 'windows-taint-not-tolerated', object: select({}), cluster: [...tainted, node('win-1')], paths: [] },
  { name: 'a node that the selector rules out does not count', rule: 'windows-taint-not-tolerated', object: select({ pool: 'a' }), cluster: tainted, paths: [] },
  { name: 'a taint that comes and goes is none of the operator\'s', rule: 'windows-taint-not-tolerated', object: select({}), cluster: [linuxNode, node('win-0', {}, taint('node.kubernetes.io/disk-pressure', undefined))], paths: [] },
  { name: 'PreferNoSchedule keeps nothing off', rule: 'windows-taint-not-tolerated', object: select({}), cluster: [linuxNode, node('win-0', {}, taint('os', 'windows', 'PreferNoSchedule'))], paths: [] },
  { name: 'keys and values are compared letter by letter', rule: 'windows-taint-not-tolerated', object: select({}, { tolerations: [{ key: 'OS', operator: 'Equal', value: 'Windows', effect: 'NoSchedule' }] }), cluster: tainted, paths: ['spec.tolerations'] },
  { name: 'Exists with the key tolerates any value', rule: 'windows-taint-not-tolerated', object: select({}, { tolerations: [{ key: 'os', operator: 'Exists' }] }), cluster: tainted, paths: [] },
  { name: 'without nodes it is not evaluated', rule: 'windows-taint-not-tolerated', object: select({}), paths: [], notEvaluated: ['nodes not known: whether the pod tolerates the taints of the Windows nodes'] },
  { name: 'a DaemonSet that reaches some nodes is told of the others', rule: 'windows-taint-not-tolerated', object: daemonSet({ nodeSelector: { 'kubernetes.io/os': 'windows' } }), cluster: [...tainted, node('win-1')], paths: ['spec.template.spec.tolerations'] },

  { name: 'the revision is no part of the build label', rule: 'windows-build-matches-no-node', object: select({ 'node.kubernetes.io/windows-build': '10.0.20348.825' }), paths: ['spec.nodeSelector[node.kubernetes.io/windows-build]'] },
  { name: 'the build alone is no value of the label', rule: 'windows-build-matches-no-node', object: select({ 'node.kubernetes.io/windows-build': '20348' }), paths: ['spec.nodeSelector[node.kubernetes.io/windows-build]'] },
  { name: 'one value of affinity that can be is enough', rule: 'windows-build-matches-no-node', object: select({}, affinity([{ key: 'node.kubernetes.io/windows-build', operator: 'In', values: ['20348', '10.0.20348'] }])), cluster: open, paths: [] },
  { name: 'a build that is well formed needs nodes', rule: 'windows-build-matches-no-node', object: select({ 'node.kubernetes.io/windows-build': '10.0.26100' }), paths: [], notEvaluated: ['nodes not known: whether a node of build 10.0.26100 exists'] },
  { name: 'no selector on the build asks nothing', rule: 'windows-build-matches-no-node', object: select({}), paths: [] },
  { name: 'a node with the build exists', rule: 'windows-build-matches-no-node', object: select({ 'node.kubernetes.io/windows-build': '10.0.20348' }), cluster: tainted, paths: [] },

  { name: 'a label of a Linux pool does not count', rule: 'selector-matches-no-node', object: select({ pool: 'system' }), cluster: open, paths: ['spec.nodeSelector.pool'] },
  { name: 'NotIn holds for a label that no node has', rule: 'selector-matches-no-node', object: select({}, affinity([{ key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] }])), cluster: open, paths: [] },
  { name: 'one term of affinity that holds is enough', rule: 'selector-matches-no-node', object: select({}, affinity([{ key: 'pool', operator: 'In', values: ['x'] }], [onWindows])), cluster: open, paths: [] },
  { name: 'terms that all fail are each told of', rule: 'selector-matches-no-node', object: select({}, affinity([{ key: 'pool', operator: 'In', values: ['x'] }], [{ key: 'zone', operator: 'Exists' }])), cluster: open, paths: ['spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]', 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchExpressions[0]'] },
  { name: 'entries that no one node has together', rule: 'selector-matches-no-node', object: select({ pool: 'a', zone: '1' }), cluster: [node('win-0', { pool: 'a', zone: '2' }), node('win-1', { pool: 'b', zone: '1' })], paths: ['spec.nodeSelector'] },
  { name: 'a cluster without Windows nodes is said once', rule: 'selector-matches-no-node', object: select({ pool: 'a', zone: '1' }), cluster: [linuxNode], paths: [pinPath] },
  { name: 'provider labels are another rule\'s', rule: 'selector-matches-no-node', object: select({ agentpool: 'win' }), cluster: open, paths: [] },
  { name: 'and found by it', rule: 'provider-label-matches-no-node', object: select({ agentpool: 'win' }), cluster: open, paths: ['spec.nodeSelector.agentpool'] },
  { name: 'the OS of a node is asked of no cluster', rule: 'selector-matches-no-node', object: select({}), paths: [] },
  { name: 'other labels are', rule: 'selector-matches-no-node', object: select({ pool: 'a' }), paths: [], notEvaluated: ['nodes not known: whether a node has pool'] },

  { name: 'each node fails on something else', rule: 'no-node-fits', object: select({ zone: '1' }), cluster: [node('win-0', { zone: '1' }, { unschedulable: true }), node('win-1', { zone: '2' })], paths: ['spec'] },
  { name: 'a taint alone is another rule\'s', rule: 'no-node-fits', object: select({}), cluster: tainted, paths: [] },
  { name: 'a scheduling gate is meant', rule: 'no-node-fits', object: select({}, { schedulingGates: [{ name: 'quota' }] }), cluster: open, paths: [] },

  { name: 'a class that may exist is not evaluated', rule: 'runtime-class-unusable', object: select({}, { runtimeClassName: 'x' }), paths: [], notEvaluated: ['RuntimeClasses not known: whether the RuntimeClass x exists and fits the pod'] },
  { name: 'a class for Linux nodes, where os.name is told of', rule: 'runtime-class-unusable', object: windowsPod({ nodeSelector: null, runtimeClassName: 'x' }), cluster: [{ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'x' }, handler: 'own', scheduling: { nodeSelector: { 'kubernetes.io/os': 'linux' } } }], paths: [] },

  { name: 'a class for Linux nodes', rule: 'runtime-class-unusable', object: plainPod({ runtimeClassName: 'x', securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } }), cluster: [{ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'x' }, handler: 'own', scheduling: { nodeSelector: { 'kubernetes.io/os': 'linux' } } }], paths: ['spec.runtimeClassName'] },
  { name: 'a term of affinity that leads to amd64 is enough', rule: 'windows-on-arm64', object: select({}, affinity([{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }], [onWindows])), paths: [] },
  { name: 'In with amd64 among others', rule: 'windows-on-arm64', object: select({}, affinity([{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64', 'amd64'] }])), paths: [] },
  { name: 'all terms lead elsewhere', rule: 'windows-on-arm64', object: select({}, affinity([{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }])), paths: ['spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]'] },

  { name: 'the scheduler wrote the name of a pod that runs', rule: 'node-name-set', object: { ...select({}, { nodeName: 'win-0' }), status: { phase: 'Running' } }, paths: [] },
  { name: 'an empty name is none', rule: 'node-name-set', object: select({}, { nodeName: '' }), paths: [] },
  { name: 'a beta label without a value', rule: 'beta-node-labels', object: select({ 'beta.kubernetes.io/os': null }), paths: [] },
  { name: 'beta labels in affinity', rule: 'beta-node-labels', object: select({}, affinity([{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['windows'] }])), paths: ['spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key'] },
  { name: 'beta labels of Linux pods are no concern', rule: 'beta-node-labels', object: plainPod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }), paths: [] },
  { name: 'the annotation of one container', rule: 'retired-windows-annotation', object: { ...select({}), metadata: { name: 'x', annotations: { 'web.container.alpha.windows.kubernetes.io/gmsa-credential-spec-name': 'a' } } }, paths: ['metadata.annotations[web.container.alpha.windows.kubernetes.io/gmsa-credential-spec-name]'] },
  { name: 'annotations of another type', rule: 'retired-windows-annotation', object: { ...select({}), metadata: { name: 'x', annotations: ['a'] } }, paths: [] },

  { name: 'it can land on an open Windows node', rule: 'linux-pod-on-windows-nodes', object: plainPod(), cluster: open, paths: [pinPath] },
  { name: 'os.name is nothing to the scheduler', rule: 'linux-pod-on-windows-nodes', object: plainPod({ os: { name: 'linux' } }), cluster: open, paths: [pinPath] },
  { name: 'a taint keeps it off', rule: 'linux-pod-on-windows-nodes', object: plainPod(), cluster: tainted, paths: [] },
  { name: 'no Windows node, no danger', rule: 'linux-pod-on-windows-nodes', object: plainPod(), cluster: [linuxNode], paths: [] },
  { name: 'control-plane nodes are of Linux', rule: 'linux-pod-on-windows-nodes', object: plainPod({ nodeSelector: { 'node-role.kubernetes.io/control-plane': '' } }), cluster: open, paths: [] },
  { name: 'affinity to Linux pins', rule: 'linux-pod-on-windows-nodes', object: plainPod(affinity([{ key: 'kubernetes.io/os', operator: 'NotIn', values: ['windows'] }])), cluster: open, paths: [] },
  { name: 'a Windows workload is no Linux workload', rule: 'linux-pod-on-windows-nodes', object: windowsPod({ nodeSelector: null }), cluster: open, paths: [] },
  { name: 'a toleration for everything passes the taint', rule: 'linux-pod-on-windows-nodes', object: plainPod(everything), cluster: tainted, paths: [pinPath] },
  { name: 'of a DaemonSet that is another rule\'s', rule: 'linux-pod-on-windows-nodes', object: daemonSet(everything), cluster: tainted, paths: [] },
  { name: 'tolerates everything', rule: 'daemon-set-tolerates-everything', object: daemonSet(everything), cluster: tainted, paths: ['spec.template.spec.tolerations[0]'] },
  { name: 'only what NoExecute drives away', rule: 'daemon-set-tolerates-everything', object: daemonSet({ tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] }), cluster: tainted, paths: [] },
  { name: 'selects nodes that none of Windows are', rule: 'daemon-set-tolerates-everything', object: daemonSet({ ...everything, nodeSelector: { 'nvidia.com/gpu.present': 'true' } }), cluster: tainted, paths: [] },
  { name: 'selects nodes of whatever kind, cluster unknown', rule: 'daemon-set-tolerates-everything', object: daemonSet({ ...everything, nodeSelector: { 'nvidia.com/gpu.present': 'true' } }), paths: [] },
  { name: 'no Windows node', rule: 'daemon-set-tolerates-everything', object: daemonSet(everything), cluster: [linuxNode], paths: [] },
  { name: 'for Windows', rule: 'daemon-set-tolerates-everything', object: daemonSet({ ...everything, os: { name: 'windows' } }), cluster: tainted, paths: [] },

  { name: 'a small image may be looked up', rule: 'image-pull-policy-always', object: windowsPod({}, { imagePullPolicy: 'Always' }), paths: [] },
  { name: 'one finding for all containers', rule: 'image-pull-policy-always', object: windowsPod({ initContainers: [{ name: 'a', image: 'mcr.microsoft.com/windows/servercore:ltsc2022', imagePullPolicy: 'Always' }] }, { image: 'mcr.microsoft.com/windows/server:ltsc2022', imagePullPolicy: 'Always' }), paths: ['spec.initContainers[0].imagePullPolicy'] },
  { name: 'before Kubernetes 1.35 no credentials were checked', rule: 'image-pull-policy-never', object: windowsPod({}, { imagePullPolicy: 'Never' }), kubernetesVersion: '1.34', paths: [] },
  { name: 'the deadline of a Job and that of its pods', rule: 'deadline-below-first-pull', object: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' }, spec: { activeDeadlineSeconds: 100, template: { spec: { nodeSelector: { 'kubernetes.io/os': 'windows' }, activeDeadlineSeconds: 90, containers: [{ name: 'x', image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }] } } } }, paths: ['spec.template.spec.activeDeadlineSeconds', 'spec.activeDeadlineSeconds'] },
  { name: 'a deadline that is no number', rule: 'deadline-below-first-pull', object: windowsPod({ activeDeadlineSeconds: '10' }, { image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }), paths: [] },
];

describe('the rules on scheduling', () => {
  itJudges(cases);

  it('add the tolerations that the nodes ask for, and no others', async () => {
    const cluster = [node('win-0', {}, { taints: [{ key: 'os', value: 'windows', effect: 'NoSchedule' }, { key: 'gpu', effect: 'NoExecute' }, { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }] })];
    const { findings } = await judgeCase({ rule: 'windows-taint-not-tolerated', object: select({}), cluster });
    const path = ['spec', 'tolerations'];
    assert.deepEqual(findings[0]?.fix?.edits, [
      { op: 'append', path, value: { key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' } },
      { op: 'append', path, value: { key: 'gpu', operator: 'Exists', effect: 'NoExecute' } },
    ]);
  });

  it('call a taint that keeps a pod off for ever an error, and only that', async () => {
    const severityOf = async (cluster: Parameters<typeof judgeCase>[0]['cluster'], object = select({})): Promise<string | undefined> => (await judgeCase({ rule: 'windows-taint-not-tolerated', object, ...(cluster === undefined ? {} : { cluster }) })).findings[0]?.severity;
    assert.equal(await severityOf(tainted), 'error');
    assert.equal(await severityOf([...tainted, node('win-9', { pool: 'other' })], select({ pool: 'a' })), undefined);
    // it passes, and then the pod runs there
    assert.equal(await severityOf([...tainted, node('win-9', {}, taint('node.kubernetes.io/not-ready', undefined))]), 'warning');
    // without a selector it goes to Linux nodes
    assert.equal(await severityOf([linuxNode, ...tainted], windowsPod({ nodeSelector: null })), 'warning');
  });

  it('say which values the nodes have under a label that none of them meets', async () => {
    const { findings } = await judgeCase({ rule: 'selector-matches-no-node', object: select({ pool: 'c' }), cluster: [linuxNode, node('win-0', { pool: 'b' }), node('win-1', { pool: 'a' })] });
    assert.equal(findings[0]?.message, 'no Windows node has pool=c (values here: a, b)');
  });

  it('say what else chooses the node where no selector names the OS', async () => {
    const messageOf = async (spec: Readonly<Record<string, unknown>>): Promise<string | undefined> => (await judgeCase({ rule: 'os-selector-missing', object: windowsPod(spec) })).findings[0]?.message;
    assert.match(await messageOf({ nodeSelector: { 'kubernetes.io/hostname': 'win-0' } }) ?? '', /, but only nodeSelector kubernetes\.io\/hostname=win-0 chooses its node, which says nothing of the operating system$/);
    assert.match(await messageOf({ nodeSelector: null, nodeName: 'win-0' }) ?? '', /, but only nodeName win-0 chooses its node/);
    assert.match(await messageOf({ nodeSelector: {} }) ?? '', /, but nothing keeps it on Windows nodes$/);
  });

  it('move a beta label without touching the stable one that is there', async () => {
    const { findings } = await judgeCase({ rule: 'beta-node-labels', object: select({ 'beta.kubernetes.io/os': 'windows' }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'remove', path: ['spec', 'nodeSelector', 'beta.kubernetes.io/os'] }]);
  });

  it('are silent on odd shapes', async () => {
    const odd = { ...windowsPod({ nodeSelector: 'kubernetes.io/os', tolerations: 'all', affinity: [], runtimeClassName: 5, nodeName: {} }), metadata: null };
    for (const rule of ['os-selector-missing', 'preferred-os-affinity', 'windows-taint-not-tolerated', 'selector-matches-no-node', 'no-node-fits', 'runtime-class-unusable', 'windows-on-arm64', 'node-name-set', 'beta-node-labels', 'retired-windows-annotation']) {
      const { findings } = await judgeCase({ rule, object: odd, cluster: open });
      assert.ok(findings.length <= 1, rule);
    }
  });
});
