import assert from 'node:assert/strict';
import { factTable, type FactTable } from '../../../../src/domain/kubernetes/fact-table.ts';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { nameOf, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { placeWorkload, type Placement } from '../../../../src/domain/scheduling/placement.ts';
import { workloadsOf, type Workload } from '../../../../src/domain/workload/workload.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

interface NodeOptions {
  readonly os?: 'windows' | 'linux';
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
}

function node(name: string, { os = 'windows', labels = {}, taints = [], unschedulable = false, allocatable = { cpu: '2', memory: '4Gi', pods: '30' } }: NodeOptions = {}): WindowsNode {
  const raw = rawNode(name, { os, labels });
  const status = raw['status'] as object;
  return describeNode({ ...raw, spec: { taints, unschedulable }, status: { ...status, allocatable } }, { asOf: new Date('2026-11-30T00:00:00Z'), serverVersion: null });
}

function tableOf(nodes: readonly WindowsNode[], isComplete = true): FactTable<WindowsNode> {
  return factTable(new Map(nodes.map((one) => [one.name, one])), isComplete);
}

function workloadOf(spec: object, kind = 'Deployment'): Workload {
  const full = { containers: [{ name: 'c', image: 'i' }], ...spec };
  const [workload] = workloadsOf(kind === 'Pod' ? { apiVersion: 'v1', kind, metadata: { name: 'w' }, spec: full } : { apiVersion: 'apps/v1', kind, metadata: { name: 'w' }, spec: { template: { spec: full } } });
  assert.ok(workload);
  return workload;
}

function runtimeClasses(...items: readonly KubeObject[]): FactTable<KubeObject> {
  return factTable(new Map(items.map((item) => [nameOf(item), item])), true);
}

function place(spec: object, one: WindowsNode, options: { kind?: string; classes?: FactTable<KubeObject> | null } = {}): Placement {
  return placeWorkload(workloadOf(spec, options.kind), tableOf([one]), options.classes ?? null);
}

/** `kind path: text` of the obstacles on the only node. */
function obstaclesOf(placement: Placement): readonly string[] {
  return (placement.nodes[0]?.obstacles ?? []).map(({ kind, path, text }) => `${kind} ${path === null ? '-' : formatFieldPath(path)}: ${text}`);
}

const required = (...terms: readonly object[]): object => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } });
const expression = (key: string, operator: string, ...values: readonly string[]): object => ({ key, operator, values });
const requests = (resources: object): object => ({ containers: [{ name: 'c', image: 'i', resources: { requests: resources } }] });
const TERMS = 'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
const WINDOWS_TAINT = { key: 'os', value: 'windows', effect: 'NoSchedule' };

interface PlacementCase {
  readonly name: string;
  readonly spec?: object;
  readonly node?: NodeOptions;
  readonly kind?: string;
  readonly classes?: FactTable<KubeObject>;
  /** Empty where the pod fits. */
  readonly obstacles: readonly string[];
}

const FAST = { metadata: { name: 'fast' }, handler: 'h', overhead: { podFixed: { cpu: '1500m' } }, scheduling: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'os', operator: 'Exists' }] } };

const CASES: readonly PlacementCase[] = [
  { name: 'a pod without demands on an empty node', obstacles: [] },
  // nodeSelector
  { name: 'a label with another value', spec: { nodeSelector: { disk: 'ssd' } }, node: { labels: { disk: 'hdd' } }, obstacles: ['node-selector spec.template.spec.nodeSelector.disk: nodeSelector disk=ssd: the node has hdd'] },
  { name: 'a label that is missing', spec: { nodeSelector: { 'example.com/disk': '' } }, obstacles: ['node-selector spec.template.spec.nodeSelector[example.com/disk]: nodeSelector example.com/disk=: the node has no such label'] },
  { name: 'a label that is empty', spec: { nodeSelector: { disk: 'ssd' } }, node: { labels: { disk: '' } }, obstacles: ['node-selector spec.template.spec.nodeSelector.disk: nodeSelector disk=ssd: the node has it empty'] },
  { name: 'a selector entry that is null', spec: { nodeSelector: { disk: null } }, obstacles: [] },
  { name: 'a label called as a field of every object', spec: { nodeSelector: { constructor: 'x' } }, obstacles: ['node-selector spec.template.spec.nodeSelector.constructor: nodeSelector constructor=x: the node has no such label'] },
  // affinity
  { name: 'the one requirement that fails', spec: required({ matchExpressions: [expression('kubernetes.io/os', 'In', 'windows'), expression('disk', 'In', 'ssd', 'nvme')] }), node: { labels: { disk: 'hdd' } }, obstacles: [`node-affinity ${TERMS}[0].matchExpressions[1]: nodeAffinity disk In [ssd, nvme]: the node has hdd`] },
  { name: 'several requirements that fail', spec: required({ matchExpressions: [expression('a', 'Exists'), expression('kubernetes.io/os', 'NotIn', 'windows')] }), obstacles: [`node-affinity ${TERMS}[0]: nodeAffinity a Exists: the node has no such label; nodeAffinity kubernetes.io/os NotIn [windows]: the node has windows`] },
  { name: 'no term that fits', spec: required({ matchExpressions: [expression('a', 'Exists')] }, {}), obstacles: [`node-affinity ${TERMS}: the node meets no term of nodeAffinity: a Exists; an empty term`] },
  { name: 'one term of two that fits', spec: required({ matchExpressions: [expression('a', 'Exists')] }, { matchExpressions: [expression('a', 'DoesNotExist')] }), obstacles: [] },
  { name: 'an empty term', spec: required({}), obstacles: [`node-affinity ${TERMS}[0]: an empty term of nodeAffinity matches no node`] },
  { name: 'no term at all', spec: required(), obstacles: [`node-affinity ${TERMS}: required nodeAffinity has no term, so it matches no node`] },
  { name: 'a term that the scheduler cannot read', spec: required({ matchExpressions: [expression('tier', 'Gt', 'many')] }), node: { labels: { tier: '5' } }, obstacles: [`node-affinity ${TERMS}[0]: nodeAffinity tier Gt [many] is not valid, so it matches no node`] },
  { name: 'Gt', spec: required({ matchExpressions: [expression('tier', 'Gt', '4')] }), node: { labels: { tier: '5' } }, obstacles: [] },
  { name: 'Gt with the same number', spec: required({ matchExpressions: [expression('tier', 'Gt', '5')] }), node: { labels: { tier: '5' } }, obstacles: [`node-affinity ${TERMS}[0].matchExpressions[0]: nodeAffinity tier Gt [5]: the node has 5`] },
  { name: 'Lt with a label that is no number', spec: required({ matchExpressions: [expression('tier', 'Lt', '5')] }), node: { labels: { tier: 'low' } }, obstacles: [`node-affinity ${TERMS}[0].matchExpressions[0]: nodeAffinity tier Lt [5]: the node has low`] },
  { name: 'the name of the node', spec: required({ matchFields: [expression('metadata.name', 'In', 'n')] }), obstacles: [] },
  { name: 'the name of another node', spec: required({ matchFields: [expression('metadata.name', 'In', 'other')] }), obstacles: [`node-affinity ${TERMS}[0].matchFields[0]: nodeAffinity metadata.name In [other]: the node is n`] },
  { name: 'preferred affinity, which never blocks', spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [expression('a', 'Exists')] } }] } } }, obstacles: [] },
  // taints
  { name: 'a taint without tolerations', node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint -: taint os=windows:NoSchedule is not tolerated'] },
  { name: 'a taint whose value differs by case', spec: { tolerations: [{ key: 'os', operator: 'Equal', value: 'Windows', effect: 'NoSchedule' }] }, node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint spec.template.spec.tolerations: taint os=windows:NoSchedule is not tolerated'] },
  { name: 'a toleration without operator and effect', spec: { tolerations: [{ key: 'os', value: 'windows' }] }, node: { taints: [WINDOWS_TAINT] }, obstacles: [] },
  { name: 'a toleration of another effect', spec: { tolerations: [{ key: 'os', operator: 'Exists', effect: 'NoExecute' }] }, node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint spec.template.spec.tolerations: taint os=windows:NoSchedule is not tolerated'] },
  { name: 'a toleration of everything', spec: { tolerations: [{ operator: 'Exists' }] }, node: { taints: [WINDOWS_TAINT, { key: 'a', effect: 'NoExecute' }] }, obstacles: [] },
  { name: 'a toleration with Gt, where the server has it', spec: { tolerations: [{ key: 'sla', operator: 'Gt', value: '900', effect: 'NoSchedule' }] }, node: { taints: [{ key: 'sla', value: '950', effect: 'NoSchedule' }] }, obstacles: [] },
  { name: 'a toleration with Lt that does not reach', spec: { tolerations: [{ key: 'sla', operator: 'Lt', value: '900' }] }, node: { taints: [{ key: 'sla', value: '950', effect: 'NoSchedule' }] }, obstacles: ['taint spec.template.spec.tolerations: taint sla=950:NoSchedule is not tolerated'] },
  { name: 'a toleration with an operator that is none', spec: { tolerations: [{ key: 'os', operator: 'exists' }] }, node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint spec.template.spec.tolerations: taint os=windows:NoSchedule is not tolerated'] },
  { name: 'PreferNoSchedule, which never blocks', node: { taints: [{ key: 'os', value: 'windows', effect: 'PreferNoSchedule' }] }, obstacles: [] },
  { name: 'a node that is not ready for less than 300 s', node: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] }, obstacles: [] },
  { name: 'a node that is not ready', node: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] }, obstacles: ['taint -: taint node.kubernetes.io/not-ready:NoSchedule is not tolerated'] },
  { name: 'a cordoned node, said once', node: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }, obstacles: ['unschedulable -: the node is cordoned'] },
  { name: 'a cordoned node that is tolerated', spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }, node: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }, obstacles: [] },
  // DaemonSets
  { name: 'a DaemonSet on a node in every trouble', kind: 'DaemonSet', node: { unschedulable: true, taints: ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule' })) }, obstacles: [] },
  { name: 'a DaemonSet on a node without network', kind: 'DaemonSet', node: { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }, obstacles: ['taint -: taint node.kubernetes.io/network-unavailable:NoSchedule is not tolerated'] },
  { name: 'the same with hostNetwork', kind: 'DaemonSet', spec: { hostNetwork: true }, node: { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] }, obstacles: [] },
  { name: 'a DaemonSet on a tainted node', kind: 'DaemonSet', node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint -: taint os=windows:NoSchedule is not tolerated'] },
  { name: 'a DaemonSet that names its node', kind: 'DaemonSet', spec: { nodeName: 'n' }, node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint -: taint os=windows:NoSchedule is not tolerated'] },
  // nodeName
  { name: 'nodeName past taints and cordon', spec: { nodeName: 'n' }, node: { unschedulable: true, taints: [WINDOWS_TAINT] }, obstacles: [] },
  { name: 'nodeName against NoExecute', spec: { nodeName: 'n' }, node: { taints: [{ key: 'os', value: 'windows', effect: 'NoExecute' }] }, obstacles: ['taint -: taint os=windows:NoExecute is not tolerated'] },
  { name: 'nodeName against the selector, which the kubelet refuses', spec: { nodeName: 'n', nodeSelector: { a: 'b' } }, obstacles: ['node-selector spec.template.spec.nodeSelector.a: nodeSelector a=b: the node has no such label'] },
  { name: 'nodeName against room', spec: { nodeName: 'n', ...requests({ cpu: '3' }) }, obstacles: ['resources spec.template.spec.containers[0].resources.requests.cpu: the pod requests 3 of cpu, the node has 2'] },
  { name: 'nodeName of another node, and nothing else', spec: { nodeName: 'other', nodeSelector: { a: 'b' }, ...requests({ cpu: '3' }) }, node: { taints: [WINDOWS_TAINT] }, obstacles: ['node-name spec.template.spec.nodeName: nodeName is other'] },
  { name: 'an empty nodeName', spec: { nodeName: '' }, obstacles: [] },
  // RuntimeClass
  { name: 'what a RuntimeClass selects', spec: { runtimeClassName: 'fast' }, classes: runtimeClasses(FAST), node: { labels: { disk: 'hdd' } }, obstacles: ['runtime-class spec.template.spec.runtimeClassName: RuntimeClass fast selects disk=ssd: the node has hdd'] },
  { name: 'what a RuntimeClass tolerates', spec: { runtimeClassName: 'fast' }, classes: runtimeClasses(FAST), node: { labels: { disk: 'ssd' }, taints: [WINDOWS_TAINT] }, obstacles: [] },
  { name: 'what a RuntimeClass adds to the requests', spec: { runtimeClassName: 'fast', ...requests({ cpu: '501m' }) }, classes: runtimeClasses(FAST), node: { labels: { disk: 'ssd' } }, obstacles: ['resources spec.template.spec.runtimeClassName: the pod requests 2001m of cpu, the node has 2'] },
  { name: 'a RuntimeClass against the selector', spec: { runtimeClassName: 'fast', nodeSelector: { disk: 'hdd' } }, classes: runtimeClasses(FAST), node: { labels: { disk: 'hdd' } }, obstacles: ['runtime-class spec.template.spec.nodeSelector.disk: nodeSelector disk=hdd, but RuntimeClass fast sets disk=ssd: the API server refuses the pod'] },
  { name: 'a RuntimeClass that does not exist', spec: { runtimeClassName: 'slow' }, classes: runtimeClasses(FAST), obstacles: ['runtime-class spec.template.spec.runtimeClassName: RuntimeClass slow does not exist: the API server refuses the pod'] },
  { name: 'a RuntimeClass that may exist', spec: { runtimeClassName: 'slow' }, obstacles: [] },
  // gates
  { name: 'scheduling gates', spec: { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }] }, obstacles: ['scheduling-gate spec.template.spec.schedulingGates: the scheduler waits until the gates example.com/a, example.com/b are removed'] },
  // room
  { name: 'exactly what the node has', spec: requests({ cpu: '2000m', memory: '4096Mi' }), obstacles: [] },
  { name: 'a byte more', spec: requests({ memory: '4294967297' }), obstacles: ['resources spec.template.spec.containers[0].resources.requests.memory: the pod requests 4294967297 of memory, the node has 4Gi'] },
  { name: 'limits in place of requests', spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '50000M' } } }] }, obstacles: ['resources spec.template.spec.containers[0].resources.limits.memory: the pod requests 50G of memory, the node has 4Gi'] },
  { name: 'requests that are smaller than limits', spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { memory: '1Gi' }, limits: { memory: '50Gi' } } }] }, obstacles: [] },
  { name: 'quantities that are numbers', spec: requests({ cpu: 2.5 }), obstacles: ['resources spec.template.spec.containers[0].resources.requests.cpu: the pod requests 2500m of cpu, the node has 2'] },
  { name: 'quantities that are none', spec: requests({ cpu: 'lots', memory: null }), obstacles: [] },
  { name: 'containers together, at the largest', spec: { containers: [{ name: 'a', resources: { requests: { cpu: '0.9' } } }, { name: 'b', resources: { requests: { cpu: '1.2' } } }] }, obstacles: ['resources spec.template.spec.containers[1].resources.requests.cpu: the pod requests 2100m of cpu, the node has 2'] },
  { name: 'a sum that floating point would make too large', spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1.1' } } }, { name: 'b', resources: { requests: { cpu: '0.9' } } }] }, obstacles: [] },
  { name: 'an init container alone', spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '3' } } }] }, obstacles: ['resources spec.template.spec.initContainers[0].resources.requests.cpu: the pod requests 3 of cpu, the node has 2'] },
  { name: 'init containers one after the other', spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '2' } } }, { name: 'j', resources: { requests: { cpu: '2' } } }], ...requests({ cpu: '2' }) }, obstacles: [] },
  { name: 'a sidecar before an init container', spec: { initContainers: [{ name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }, { name: 'i', resources: { requests: { cpu: '1500m' } } }] }, obstacles: ['resources spec.template.spec.initContainers[1].resources.requests.cpu: the pod requests 2500m of cpu, the node has 2'] },
  { name: 'a sidecar after an init container', spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '1500m' } } }, { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }] }, obstacles: [] },
  { name: 'a sidecar beside the containers', spec: { initContainers: [{ name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }], ...requests({ cpu: '1500m' }) }, obstacles: ['resources spec.template.spec.containers[0].resources.requests.cpu: the pod requests 2500m of cpu, the node has 2'] },
  { name: 'an ephemeral container, which has no requests', spec: { ephemeralContainers: [{ name: 'd', resources: { requests: { cpu: '9' } } }] }, obstacles: [] },
  { name: 'pod-level requests in place of the containers\'', spec: { resources: { requests: { cpu: '3' } }, ...requests({ cpu: '1' }) }, obstacles: ['resources spec.template.spec.resources.requests.cpu: the pod requests 3 of cpu, the node has 2'] },
  { name: 'pod-level limits where nothing is requested', spec: { resources: { limits: { memory: '8Gi' } } }, obstacles: ['resources spec.template.spec.resources.limits.memory: the pod requests 8Gi of memory, the node has 4Gi'] },
  { name: 'pod-level limits above requests', spec: { resources: { limits: { cpu: '8' } }, ...requests({ cpu: '1' }) }, obstacles: [] },
  { name: 'a device that the node does not have', spec: { containers: [{ name: 'c', resources: { limits: { 'directx.microsoft.com/display': '1' } } }] }, obstacles: ['resources spec.template.spec.containers[0].resources.limits[directx.microsoft.com/display]: the pod requests 1 of directx.microsoft.com/display, which the node does not have'] },
  { name: 'huge pages', spec: requests({ 'hugepages-2Mi': '64Mi' }), obstacles: ['resources spec.template.spec.containers[0].resources.requests.hugepages-2Mi: the pod requests 64Mi of hugepages-2Mi, which the node does not have'] },
  { name: 'nothing of a device', spec: requests({ 'example.com/gpu': '0' }), obstacles: [] },
  { name: 'a name that the scheduler does not count', spec: requests({ storage: '1Ti' }), obstacles: [] },
  { name: 'ephemeral storage on a node with none', spec: requests({ 'ephemeral-storage': '1Gi' }), node: { allocatable: { cpu: '2', memory: '4Gi', pods: '30', 'ephemeral-storage': '0' } }, obstacles: ['resources spec.template.spec.containers[0].resources.requests.ephemeral-storage: the pod requests 1Gi of ephemeral-storage, the node has 0'] },
  { name: 'a node that takes no pods', node: { allocatable: { cpu: '2', pods: '0' } }, obstacles: ['pod-count -: the node takes no pods: allocatable pods is 0'] },
  { name: 'a node that reports no resources', spec: requests({ cpu: '64' }), node: { allocatable: {} }, obstacles: [] },
  // several at once
  { name: 'all that stands in the way', spec: { nodeSelector: { a: 'b' }, ...requests({ cpu: '3' }) }, node: { taints: [WINDOWS_TAINT] }, obstacles: ['taint -: taint os=windows:NoSchedule is not tolerated', 'node-selector spec.template.spec.nodeSelector.a: nodeSelector a=b: the node has no such label', 'resources spec.template.spec.containers[0].resources.requests.cpu: the pod requests 3 of cpu, the node has 2'] },
  { name: 'os.name, which the scheduler ignores', spec: { os: { name: 'linux' } }, obstacles: [] },
  { name: 'fields of other types', spec: { nodeSelector: 'x', affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: 'x' } }, tolerations: ['x', null, { key: 7 }], nodeName: 5, runtimeClassName: [], schedulingGates: 'x', resources: [], containers: [{ resources: { requests: 'x', limits: [1] } }], initContainers: 7 }, obstacles: [] },
];

describe('placeWorkload', () => {
  for (const { name, spec = {}, node: options = {}, kind, classes, obstacles } of CASES) {
    it(`${name}: ${obstacles.length === 0 ? 'fits' : obstacles.map((text) => text.slice(0, text.indexOf(' '))).join(', ')}`, () => {
      const placement = place(spec, node('n', options), { ...(kind === undefined ? {} : { kind }), ...(classes === undefined ? {} : { classes }) });
      assert.deepEqual(obstaclesOf(placement), obstacles);
      assert.equal(placement.candidates.length, obstacles.length === 0 ? 1 : 0);
    });
  }

  it('gives the paths of a Pod', () => {
    assert.deepEqual(obstaclesOf(place({ nodeSelector: { a: 'b' } }, node('n'), { kind: 'Pod' })), ['node-selector spec.nodeSelector.a: nodeSelector a=b: the node has no such label']);
  });

  it('lists every node in the order of the inventory, and Windows candidates among all', () => {
    const nodes = [node('w1'), node('l1', { os: 'linux' }), node('w2', { taints: [WINDOWS_TAINT] }), node('w3')];
    const placement = placeWorkload(workloadOf({}), tableOf(nodes), null);
    assert.deepEqual(placement.nodes.map((one) => one.node.name), ['w1', 'l1', 'w2', 'w3']);
    assert.deepEqual(placement.candidates.map(({ name }) => name), ['w1', 'l1', 'w3']);
    assert.deepEqual(placement.windowsCandidates.map(({ name }) => name), ['w1', 'w3']);
  });

  it('answers for an inventory without nodes', () => {
    assert.deepEqual(placeWorkload(workloadOf({}), tableOf([]), null).nodes, []);
  });

  it('keeps pods apart that differ in requests, paths or RuntimeClass alone', () => {
    const table = tableOf([node('small', { allocatable: { cpu: '1', memory: '1Gi', pods: '9' } }), node('big', { allocatable: { cpu: '8', memory: '32Gi', pods: '9' } })]);
    const names = (spec: object, kind = 'Deployment', classes: FactTable<KubeObject> | null = null): readonly string[] => placeWorkload(workloadOf(spec, kind), table, classes).candidates.map(({ name }) => name);
    assert.deepEqual(names({}), ['small', 'big']);
    assert.deepEqual(names(requests({ cpu: '2' })), ['big']);
    assert.deepEqual(names(requests({ cpu: '2', memory: '64Gi' })), []);
    assert.deepEqual(names(requests({ memory: '1Gi' })), ['small', 'big']);
    const pathOf = (kind: string): string => obstaclesOf(placeWorkload(workloadOf({ nodeSelector: { a: 'b' } }, kind), table, null))[0] ?? '';
    assert.match(pathOf('Deployment'), /spec\.template\.spec\.nodeSelector\.a/);
    assert.match(pathOf('Pod'), /^node-selector spec\.nodeSelector\.a/);
    assert.deepEqual(names({ runtimeClassName: 'fast' }, 'Deployment', runtimeClasses(FAST)), []);
    assert.deepEqual(names({ runtimeClassName: 'fast' }), ['small', 'big']);
  });

  it('shares its answer between pods with the same constraints', () => {
    const table = tableOf(Array.from({ length: 50 }, (_, index) => node(`n${index}`)));
    const first = placeWorkload(workloadOf(requests({ cpu: '1' })), table, null);
    const second = placeWorkload(workloadOf(requests({ cpu: '2' })), table, null);
    assert.equal(first.candidates, second.candidates);
    assert.equal(first.nodes, second.nodes);
  });

  it('tells nodes apart by names among many that are otherwise alike', () => {
    const nodes = Array.from({ length: 150 }, (_, index) => node(`n${index}`, { labels: { 'kubernetes.io/hostname': `n${index}`, pool: `p${index % 2}` }, taints: index === 7 ? [WINDOWS_TAINT] : [] }));
    const names = (spec: object): readonly string[] => placeWorkload(workloadOf(spec), tableOf(nodes), null).candidates.map(({ name }) => name);
    assert.equal(names({}).length, 149);
    assert.equal(names({ nodeSelector: { pool: 'p1' } }).length, 74);
    assert.deepEqual(names({ nodeSelector: { 'kubernetes.io/hostname': 'n8' } }), ['n8']);
    assert.deepEqual(names({ nodeSelector: { 'kubernetes.io/hostname': 'n7' } }), []);
    assert.deepEqual(names(required({ matchFields: [expression('metadata.name', 'In', 'n9')] })), ['n9']);
    assert.equal(names(required({ matchExpressions: [expression('kubernetes.io/hostname', 'NotIn', 'n0', 'n1')] })).length, 147);
    assert.deepEqual(obstaclesOf(placeWorkload(workloadOf({ nodeSelector: { 'kubernetes.io/hostname': 'n8' } }), tableOf(nodes), null)), ['node-selector spec.template.spec.nodeSelector[kubernetes.io/hostname]: nodeSelector kubernetes.io/hostname=n8: the node has n0']);
  });

  const UNEVALUATED: readonly { readonly name: string; readonly spec: object; readonly parts: readonly string[] }[] = [
    { name: 'a plain pod', spec: { volumes: [{ name: 'v', emptyDir: {} }, { name: 'h', hostPath: { path: 'C:\\x' } }, { name: 'c', csi: { driver: 'x' } }], topologySpreadConstraints: [{ whenUnsatisfiable: 'ScheduleAnyway' }], affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } }, schedulerName: 'default-scheduler' }, parts: [] },
    { name: 'pod affinity', spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] }, podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } } }, parts: ['pod affinity, which looks for running pods', 'pod anti-affinity, which looks for running pods'] },
    { name: 'topology spread', spec: { topologySpreadConstraints: [{ whenUnsatisfiable: 'DoNotSchedule' }] }, parts: ['topology spread, which counts running pods'] },
    { name: 'a claimed volume', spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }] }, parts: ['node affinity and limits of volumes'] },
    { name: 'a claimed device', spec: { resourceClaims: [{ name: 'x' }] }, parts: ['resource claims'] },
    { name: 'host ports', spec: { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }, { containerPort: 82, hostPort: 9182 }] }] }, parts: ['whether host ports 8080, 9182 are free'] },
    { name: 'ports on the host network', spec: { hostNetwork: true, containers: [{ name: 'c', ports: [{ containerPort: 9182 }] }] }, parts: ['whether host port 9182 is free'] },
    { name: 'another scheduler', spec: { schedulerName: 'volcano' }, parts: ['rules of the scheduler volcano'] },
    { name: 'an unknown RuntimeClass', spec: { runtimeClassName: 'w' }, parts: ['scheduling of the RuntimeClass w, which is not known'] },
  ];
  for (const { name, spec, parts } of UNEVALUATED) {
    it(`says what was not looked at: ${name}`, () => assert.deepEqual(place(spec, node('n')).notEvaluated, parts));
  }

  it('says what was not looked at: volumes of a StatefulSet', () => {
    const [workload] = workloadsOf({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 's' }, spec: { volumeClaimTemplates: [{}], template: { spec: { containers: [{ name: 'c' }] } } } });
    assert.ok(workload);
    assert.deepEqual(placeWorkload(workload, tableOf([node('n')]), null).notEvaluated, ['node affinity and limits of volumes']);
  });

  it('says what was not looked at: nodes that report no resources, a node that may exist', () => {
    assert.deepEqual(place({}, node('n', { allocatable: {} })).notEvaluated, ['room on 1 node that reports no allocatable resources']);
    assert.deepEqual(placeWorkload(workloadOf({ nodeName: 'x' }), tableOf([node('n')], false), null).notEvaluated, ['node x, which is not known']);
    assert.deepEqual(placeWorkload(workloadOf({ nodeName: 'x' }), tableOf([node('n')]), null).notEvaluated, []);
  });
});
