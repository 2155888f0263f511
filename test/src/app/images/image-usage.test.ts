import assert from 'node:assert/strict';
import { ImageUsage } from '../../../../src/app/images/image-usage.ts';
import { factsOfObjects } from '../../../../src/domain/check/facts-of-objects.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

const NODES = [rawNode('w22'), rawNode('w25', { kernelVersion: '10.0.26100.1' }), rawNode('l', { os: 'linux' })];

function usageOf(objects: readonly KubeObject[], { allOs = false, nodes = NODES, pods = [] }: { readonly allOs?: boolean; readonly nodes?: readonly KubeObject[]; readonly pods?: readonly KubeObject[] } = {}): ImageUsage {
  const facts = factsOfObjects(nodes, { kubernetesVersion: null, asOf: new Date('2026-11-30'), images: TAG_PLATFORMS, completeness: () => (nodes.length > 0 ? 'all' : 'none') });
  const usage = new ImageUsage(facts, { allOs });
  usage.addPods(pods);
  for (const object of objects) usage.visit(object, usage.introduce(object));
  return usage;
}

const TOLERATIONS = [{ operator: 'Exists' }];

function workload(name: string, spec: Readonly<Record<string, unknown>>): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'shop' }, spec: { template: { spec: { tolerations: TOLERATIONS, ...spec } } } };
}

function pod(name: string, nodeName: string, parts: { readonly image: string; readonly owner?: string; readonly phase?: string; readonly ephemeral?: string; readonly sidecar?: string }): KubeObject {
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop', ...(parts.owner === undefined ? {} : { labels: { 'pod-template-hash': 'h' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${parts.owner}-h`, controller: true }] }) },
    spec: {
      nodeName, containers: [{ name: 'c', image: parts.image }, ...(parts.sidecar === undefined ? [] : [{ name: 'mesh', image: parts.sidecar }])],
      ...(parts.ephemeral === undefined ? {} : { ephemeralContainers: [{ name: 'debug', image: parts.ephemeral }] }),
    },
    status: { phase: parts.phase ?? 'Running' },
  };
}

const WINDOWS = { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' } };
const names = (usage: ImageUsage): readonly string[] => usage.images().map(({ image }) => image);

describe('ImageUsage', () => {
  it('gathers each image once, with its users and their containers, by name', () => {
    const usage = usageOf([
      workload('web', { ...WINDOWS, initContainers: [{ name: 'setup', image: 'b:1' }], containers: [{ name: 'web', image: 'a:1' }, { name: 'tail', image: 'b:1' }, { name: 'none' }] }),
      workload('job', { ...WINDOWS, containers: [{ image: 'a:1' }] }),
    ]);
    assert.deepEqual(usage.images().map(({ image, users }) => [image, users.map(({ object, containers }) => `${object.name}:${containers.join()}`)]), [['a:1', ['web:web', 'job:containers[0]']], ['b:1', ['web:setup,tail']]]);
  });

  it('leaves out what is for Linux or for nobody knows what, unless all is wanted', () => {
    const objects = [workload('a', { ...WINDOWS, containers: [{ name: 'c', image: 'a:1' }] }), workload('b', { os: { name: 'linux' }, containers: [{ name: 'c', image: 'b:1' }] }), workload('c', { containers: [{ name: 'c', image: 'c:1' }] })];
    const usage = usageOf(objects);
    assert.deepEqual([names(usage), usage.size], [['a:1'], 3]);
    assert.deepEqual(usageOf(objects, { allOs: true }).images().map(({ image, isForWindows, users }) => [image, isForWindows, users.length]), [['a:1', true, 1], ['b:1', false, 1], ['c:1', false, 1]]);
  });

  it('takes what contradicts itself for Windows', () => {
    assert.deepEqual(names(usageOf([workload('x', { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'linux' }, containers: [{ name: 'c', image: 'a:1' }] })])), ['a:1']);
  });

  it('adds what runs on Windows nodes: under the owner, with sidecars and debug containers, while it runs', () => {
    const usage = usageOf([workload('web', { ...WINDOWS, containers: [{ name: 'c', image: 'a:2' }] })], {
      pods: [
        pod('web-h-1', 'w22', { image: 'a:1', owner: 'web', sidecar: 'mesh:1', ephemeral: 'debug:1' }), pod('web-h-2', 'w25', { image: 'a:1', owner: 'web' }), pod('bare', 'w22', { image: 'bare:1' }),
        pod('done', 'w22', { image: 'done:1', phase: 'Succeeded' }), pod('lin', 'l', { image: 'lin:1' }), pod('lost', 'gone', { image: 'lost:1' }),
      ],
    });
    assert.deepEqual(usage.images().map(({ image, users }) => [image, users.map(({ object }) => `${object.apiVersion ?? ''} ${object.kind ?? ''}/${object.name}`).join()]), [
      ['a:1', 'apps/v1 Deployment/web'], ['a:2', 'apps/v1 Deployment/web'], ['bare:1', 'v1 Pod/bare'], ['debug:1', 'apps/v1 Deployment/web'], ['mesh:1', 'apps/v1 Deployment/web'],
    ]);
  });

  it('a template and its pods are one user', () => {
    const usage = usageOf([workload('web', { ...WINDOWS, containers: [{ name: 'c', image: 'a:1' }] })], { pods: [pod('web-h-1', 'w22', { image: 'a:1', owner: 'web' })] });
    assert.deepEqual(usage.images().map(({ users }) => users.length), [1]);
  });

  it('tells isolations, and where pods of each can land', () => {
    const containers = [{ name: 'c', image: 'a:1' }];
    const [image] = usageOf([
      workload('plain', { ...WINDOWS, nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.26100' }, containers }),
      workload('agent', { ...WINDOWS, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } }, containers }),
    ]).images();
    assert.deepEqual(image?.isolations.toSorted(), ['host-process', 'process']);
    const landing = (isolation: 'process' | 'host-process'): readonly string[] => [...image?.landing?.get(isolation) ?? []].flatMap((list) => list.map(({ name }) => name));
    assert.deepEqual([landing('process'), landing('host-process')], [['w25'], ['w22', 'w25']]);
    assert.equal(usageOf([workload('plain', { ...WINDOWS, containers })], { nodes: [] }).images()[0]?.landing, null);
  });

  it('what pods have lands on their own nodes, by isolation', () => {
    const agent = { ...pod('agent', 'w25', { image: 'agent:1' }), spec: { nodeName: 'w25', securityContext: { windowsOptions: { hostProcess: true } }, containers: [{ name: 'c', image: 'agent:1' }] } };
    const usage = usageOf([workload('web', { ...WINDOWS, containers: [{ name: 'c', image: 'a:1' }] })], {
      pods: [pod('web-h-1', 'w22', { image: 'a:1', owner: 'web', sidecar: 'mesh:1', phase: 'Pending' }), pod('web-h-2', 'w22', { image: 'a:1', owner: 'web', sidecar: 'mesh:1' }), agent],
    });
    const landing = usage.images().map(({ image, landing: lists }) => [image, ...[...lists ?? []].map(([isolation, sets]) => [isolation, [...sets].map((nodes) => nodes.map(({ name }) => name))])]);
    assert.deepEqual(landing, [['a:1', ['process', [['w22'], ['w22', 'w25']]]], ['agent:1', ['host-process', [['w25']]]], ['mesh:1', ['process', [['w22']]]]]);
  });

  it('all pods of a node share its list', () => {
    const usage = usageOf([], { pods: [pod('x', 'w22', { image: 'a:1' }), pod('y', 'w22', { image: 'b:1' })] });
    const [one, other] = usage.images().map(({ landing }) => [...landing?.get('process') ?? []][0]);
    assert.ok(one !== undefined && one === other);
  });

  describe('wants of registries', () => {
    const secrets = (name: string) => ({ imagePullSecrets: [{ name }] });
    it('each image for one user first, and for those that pull with other secrets', () => {
      const usage = usageOf(['x', 'x', 'y'].map((secret, place) => workload(`w${place}`, { ...WINDOWS, ...secrets(secret), containers: [{ name: 'c', image: 'a:1' }] })));
      const { first, others } = usage.wanted({ withOthers: false });
      assert.deepEqual([first, others].map((list) => list.map(({ image, scope }) => `${image} ${scope?.secretNames.join() ?? ''}`)), [['a:1 x'], ['a:1 y']]);
    });

    it('an image of pods alone with the secrets of their owner', () => {
      const usage = usageOf([workload('web', { ...WINDOWS, ...secrets('x'), containers: [{ name: 'c', image: 'a:2' }] })], { pods: [pod('web-h-1', 'w22', { image: 'a:1', owner: 'web' })] });
      assert.deepEqual(usage.wanted({ withOthers: false }).first.map(({ image, scope }) => [image, scope?.secretNames]), [['a:1', ['x']], ['a:2', ['x']]]);
    });

    it('images of others only where they are asked for', () => {
      const usage = usageOf([workload('b', { os: { name: 'linux' }, containers: [{ name: 'c', image: 'b:1' }] })], { allOs: true });
      assert.deepEqual([false, true].map((withOthers) => usage.wanted({ withOthers }).first.length), [0, 1]);
    });
  });

  it('keeps documents that could not be read', () => {
    const usage = usageOf([]);
    const document = { file: 'a.yaml', line: 1, column: 1, message: 'no', suggestions: [] };
    usage.unreadable(document as never);
    assert.deepEqual(usage.unreadableDocuments, [document]);
    assert.equal(usage.prepare(), null);
  });
});
