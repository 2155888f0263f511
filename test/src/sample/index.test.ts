import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { openInventory } from '../../../src/adapters/inventory/open-inventory.ts';
import { arrayAt, isRecord, nameOf, stringAt, stringMapAt, valueAt } from '../../../src/domain/kubernetes/object.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { sampleClusterPath } from '../../../src/sample/index.ts';
import { sampleClusterText } from '../../../src/tooling/sample.ts';
import { Readable } from 'node:stream';

const WORKLOAD_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'];

describe('the sample cluster', () => {
  const text = readFileSync(sampleClusterPath(), 'utf8');
  let items: readonly KubeObject[] = [];
  const ofKind = (kind: string): readonly KubeObject[] => items.filter((object) => object.kind === kind);
  const node = (name: string): KubeObject => ofKind('Node').find((object) => nameOf(object) === name) ?? assert.fail(`no node ${name}`);
  before(() => {
    const parsed: unknown = JSON.parse(text);
    items = arrayAt(parsed, 'items').filter(isRecord);
  });

  it('is what its generator writes', () => {
    assert.ok(text === sampleClusterText(), 'run node src/tooling/sample.ts and commit what it wrote');
  });

  it('stays small', () => {
    assert.ok(Buffer.byteLength(text) < 1_000_000, `${Buffer.byteLength(text)} bytes`);
  });

  it('is found from the sources and from the bundle', () => {
    const root = join(import.meta.dirname, '..', '..', '..');
    assert.equal(sampleClusterPath(pathToFileURL(join(root, 'dist', 'commands', 'chunk.js')).href), join(root, 'src', 'sample', 'sample-cluster.json'));
    assert.equal(sampleClusterPath(), join(root, 'src', 'sample', 'sample-cluster.json'));
  });

  it('opens as an Inventory with version, time and the resources it was read for', async () => {
    const reader = await openInventory([sampleClusterPath()], { stdin: Readable.from([]) });
    assert.deepEqual(await reader.serverVersion(), { gitVersion: 'v1.34.9' });
    assert.equal(reader.recordedAt, '2026-11-30T08:30:00Z');
    assert.deepEqual(reader.notes, []);
    assert.equal(reader.holds({ group: '', kind: 'ReplicationController' }), true);
    assert.equal(reader.holds({ group: '', kind: 'Secret' }), false);
  });

  it('has nodes of every Windows release and provider, and Linux nodes', () => {
    const nodes = ofKind('Node');
    assert.equal(nodes.length, 47);
    const builds = new Map<string, number>();
    for (const object of nodes) {
      const kernel = stringAt(object, 'status', 'nodeInfo', 'kernelVersion') ?? '';
      const build = stringAt(object, 'status', 'nodeInfo', 'operatingSystem') === 'windows' ? kernel.split('.')[2] ?? '' : 'linux';
      builds.set(build, (builds.get(build) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(builds), { 17763: 5, 20348: 15, 25398: 1, 26100: 6, linux: 20 });
    const labelled = (label: string): number => nodes.filter((object) => Object.hasOwn(stringMapAt(object, 'metadata', 'labels'), label)).length;
    assert.deepEqual(
      { aks: labelled('kubernetes.azure.com/agentpool'), eks: labelled('eks.amazonaws.com/nodegroup'), gke: labelled('cloud.google.com/gke-nodepool') },
      { aks: 25, eks: 8, gke: 5 },
    );
  });

  it('has well-formed node facts', () => {
    for (const object of ofKind('Node')) {
      const info = valueAt(object, 'status', 'nodeInfo');
      const windows = stringAt(info, 'operatingSystem') === 'windows';
      assert.equal(stringMapAt(object, 'metadata', 'labels')['kubernetes.io/os'], stringAt(info, 'operatingSystem'), nameOf(object));
      assert.match(stringAt(info, 'kernelVersion') ?? '', windows ? /^10\.0\.(17763|20348|25398|26100)\.\d+$/ : /^\d+\.\d+/, nameOf(object));
      assert.match(stringAt(info, 'kubeletVersion') ?? '', /^v1\.\d+\.\d+/, nameOf(object));
      assert.match(stringAt(info, 'containerRuntimeVersion') ?? '', /^containerd:\/\/\d+\.\d+\.\d+/, nameOf(object));
      assert.ok(arrayAt(object, 'status', 'images').length <= 50);
      assert.equal(arrayAt(object, 'status', 'conditions').some((condition) => stringAt(condition, 'type') === 'Ready'), true);
    }
  });

  it('has the node faults that operators meet', () => {
    const kernel = (name: string): string | undefined => stringAt(node(name), 'status', 'nodeInfo', 'kernelVersion');
    const condition = (name: string, type: string): string | undefined => stringAt(arrayAt(node(name), 'status', 'conditions').find((entry) => stringAt(entry, 'type') === type), 'status');
    assert.equal(stringAt(node('aksw19000002'), 'status', 'nodeInfo', 'kubeletVersion'), 'v1.30.14');
    assert.equal(stringAt(node('aksw19000002'), 'status', 'nodeInfo', 'containerRuntimeVersion'), 'containerd://1.6.35+azure');
    assert.deepEqual([arrayAt(node('aksw19000003'), 'spec', 'taints').length, arrayAt(node('aksw22000002'), 'spec', 'taints').length], [0, 0]);
    assert.deepEqual([kernel('aksw22000000'), kernel('aksw22000001')], ['10.0.20348.5761', '10.0.20348.4405']);
    assert.equal(stringMapAt(node('aksw22000003'), 'metadata', 'labels')['node.kubernetes.io/windows-build'], '10.0.17763');
    assert.equal(condition('aksw22000004', 'Ready'), 'Unknown');
    assert.equal(condition('aksw22000005', 'DiskPressure'), 'True');
    assert.equal(valueAt(node('aksw22000006'), 'spec', 'unschedulable'), true);
    assert.equal(arrayAt(node('aksw25000000'), 'status', 'images').length, 50);
    assert.equal(stringAt(node('akswac000000'), 'status', 'nodeInfo', 'osImage'), 'Windows Server 2022 Datacenter');
    assert.deepEqual(valueAt(node('dc1-win19-01'), 'status', 'allocatable'), valueAt(node('dc1-win19-01'), 'status', 'capacity'));
  });

  it('has workloads of every kind, bare pods among them', () => {
    const workloads = items.filter((object) => WORKLOAD_KINDS.includes(object.kind ?? ''));
    const bare = ofKind('Pod').filter((pod) => arrayAt(pod, 'metadata', 'ownerReferences').length === 0);
    assert.ok(workloads.length + bare.length >= 120, `${workloads.length} + ${bare.length}`);
    for (const kind of [...WORKLOAD_KINDS, 'ReplicaSet']) assert.ok(ofKind(kind).length >= 1, kind);
    assert.equal(bare.length, 4);
  });

  it('has names once per kind and namespace', () => {
    const seen = new Set<string>();
    for (const object of items) {
      const key = `${object.kind} ${stringAt(object, 'metadata', 'namespace') ?? ''}/${nameOf(object)}`;
      assert.ok(!seen.has(key), key);
      seen.add(key);
    }
  });

  it('refers only to what it holds: nodes, owners, namespaces, claims', () => {
    const identities = new Set(items.map((object) => `${object.kind} ${stringAt(object, 'metadata', 'namespace') ?? ''}/${nameOf(object)} ${stringAt(object, 'metadata', 'uid')}`));
    const names = new Set(items.map((object) => `${object.kind} ${stringAt(object, 'metadata', 'namespace') ?? ''}/${nameOf(object)}`));
    for (const object of items) {
      const namespace = stringAt(object, 'metadata', 'namespace');
      if (namespace !== undefined) assert.ok(names.has(`Namespace /${namespace}`), `namespace ${namespace} of ${nameOf(object)}`);
      for (const owner of arrayAt(object, 'metadata', 'ownerReferences')) {
        const key = `${stringAt(owner, 'kind')} ${namespace ?? ''}/${stringAt(owner, 'name')} ${stringAt(owner, 'uid')}`;
        assert.ok(identities.has(key), `owner ${key} of ${object.kind} ${nameOf(object)}`);
      }
      const nodeName = stringAt(object, 'spec', 'nodeName');
      if (object.kind === 'Pod' && nodeName !== undefined) assert.ok(names.has(`Node /${nodeName}`), `${nodeName} of ${nameOf(object)}`);
      for (const volume of arrayAt(object, 'spec', 'volumes')) {
        const claim = stringAt(volume, 'persistentVolumeClaim', 'claimName');
        if (claim !== undefined) assert.ok(names.has(`PersistentVolumeClaim ${namespace}/${claim}`), claim);
      }
    }
  });

  it('puts pods only on nodes that their selector allows', () => {
    for (const pod of ofKind('Pod')) {
      const nodeName = stringAt(pod, 'spec', 'nodeName');
      if (nodeName === undefined) continue;
      const labels = stringMapAt(node(nodeName), 'metadata', 'labels');
      for (const [key, value] of Object.entries(stringMapAt(pod, 'spec', 'nodeSelector'))) {
        // Somebody edited the label of aksw22000003 after its pods were placed.
        if (nodeName === 'aksw22000003' && key === 'node.kubernetes.io/windows-build') continue;
        assert.equal(labels[key], value, `${nameOf(pod)} on ${nodeName}`);
      }
    }
  });

  it('shows failures with the events of real clusters', () => {
    const messages = ofKind('Event').map((event) => stringAt(event, 'message') ?? '');
    for (const pattern of [/no match for platform in manifest/, /does not match the host operating system/, /untolerated taint \{os: windows\}/, /OS field doesn't match node OS/, /no basic auth credentials/, /GMSA credential spec/]) {
      assert.ok(messages.some((message) => pattern.test(message)), String(pattern));
    }
  });
});
