import assert from 'node:assert/strict';
import type { ImageReport } from '../../../src/app/images/image-report.ts';
import { listImages, type ImageSources, type ListImagesOptions } from '../../../src/app/list-images.ts';
import type { ClusterReader, ManifestSource } from '../../../src/app/ports.ts';
import { NO_PLATFORMS } from '../../../src/domain/image/no-platforms.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { ClusterError, InputError, UsageError } from '../../../src/errors.ts';
import { answeringRegistry, failure, index } from '../../support/answering-registry.ts';
import { fakeCluster, forbidden, rawNode } from '../../support/fake-cluster.ts';

const NODES = [rawNode('w22'), rawNode('w25', { kernelVersion: '10.0.26100.1' }), rawNode('l', { os: 'linux' })];
const UNREACHABLE = new ClusterError('Unable to connect to the server: no', { reason: 'Unreachable' });

function deployment(name: string, image: string, os = 'windows', namespace = 'default'): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels: { app: name } }, spec: { template: { spec: { os: { name: os }, nodeSelector: { 'kubernetes.io/os': os }, tolerations: [{ operator: 'Exists' }], containers: [{ name: 'c', image }] } } } };
}

function manifestsOf(objects: readonly KubeObject[], notes: readonly string[] = []): ManifestSource {
  return {
    description: { source: 'files', context: null, location: 'x.yaml' }, notes,
    async* read() {
      for (const object of objects) yield { object, file: 'x.yaml', locate: () => ({ file: 'x.yaml', line: 1, column: 1, length: 0 }) as never, lineText: () => '', problems: [] };
    },
  };
}

function list(sources: Partial<ImageSources>, options: Partial<ListImagesOptions> = {}): Promise<ImageReport> {
  return listImages({
    named: [], pullNamespace: null, pullSecrets: true, allOs: false, sandbox: false, looksUpAll: false, sizes: false, images: null, registry: null, asOf: new Date('2026-11-30T12:00:00Z'), overrides: {}, poolLabels: [],
    scope: { namespace: undefined, targets: [], customResources: 'known' }, goesOnWithoutCluster: false, silenceSeconds: 10, ...options,
  }, { reader: null, manifests: null, ...sources });
}

const names = ({ items }: ImageReport): readonly string[] => items.map(({ image }) => image);

describe('listImages', () => {
  it('of a cluster: the images of Windows workloads in the namespace, or in all', async () => {
    const reader = fakeCluster({ objects: { nodes: NODES, deployments: [deployment('a', 'a:ltsc2022'), deployment('b', 'b:1', 'linux'), deployment('c', 'c:1', 'windows', 'other')] } });
    const report = await list({ reader });
    assert.deepEqual([names(report), report.hidden, report.windowsNodes, report.serverVersion, report.source.context], [['a:ltsc2022'], 1, 2, 'v1.37.2', 'test']);
    assert.deepEqual(names(await list({ reader }, { scope: { namespace: null, targets: [], customResources: 'none' } })), ['a:ltsc2022', 'c:1']);
    assert.deepEqual(names(await list({ reader }, { scope: { namespace: null, labelSelector: 'app=c', targets: [], customResources: 'none' } })), ['c:1']);
    await assert.rejects(list({ reader }, { scope: { namespace: null, labelSelector: '=', targets: [], customResources: 'none' } }), UsageError);
  });

  it('of files, without a cluster and with one', async () => {
    const manifests = manifestsOf([deployment('a', 'a:ltsc2022')], ['a note']);
    const alone = await list({ manifests });
    assert.deepEqual([names(alone), alone.windowsNodes, alone.notes, alone.source.location], [['a:ltsc2022'], null, ['a note'], 'x.yaml']);
    assert.deepEqual((await list({ manifests, reader: fakeCluster({ objects: { nodes: NODES } }) })).items[0]?.runsOn, ['w22', 'w25']);
    await assert.rejects(list({ manifests: manifestsOf([]) }), InputError);
  });

  it('of names, each once in their order', async () => {
    const registry = answeringRegistry({ 'b:1': index(['windows/10.0.26100.1']) });
    const report = await list({}, { named: ['b:1', 'a:1', 'b:1'], registry });
    assert.deepEqual([names(report), report.source.source, report.hidden], [['b:1', 'a:1'], 'files', 0]);
    assert.deepEqual(registry.asked.map(({ image }) => image), ['b:1', 'a:1']);
  });

  it('of names, with what runs of them in the cluster', async () => {
    const pods = [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'x' }, spec: { nodeName: 'w22', containers: [{ name: 'c', image: 'a:1' }] }, status: { containerStatuses: [{ name: 'c', image: 'a:1', state: { running: {} } }] } }];
    const { items } = await list({ reader: fakeCluster({ objects: { nodes: NODES, pods } }) }, { named: ['a:1'] });
    assert.deepEqual([items[0]?.evidence, items[0]?.workloads], ['observed', null]);
  });

  it('asks for sizes where they are wanted, and for nothing where another source is given', async () => {
    const registry = answeringRegistry();
    await list({}, { named: ['a:1'], registry, sizes: true });
    assert.deepEqual(registry.asked.map(({ sizes }) => sizes), [true]);
    const { items } = await list({}, { named: ['b:1'], registry, images: NO_PLATFORMS });
    assert.deepEqual([items[0]?.because, registry.asked.length], ['images were not looked at (--images=off)', 1]);
  });

  it('adds the sandbox images of Windows nodes, of a cluster and among manifests, and judges each on the nodes that have it', async () => {
    const pause = (name: string) => ({ images: [{ names: [`${name}@sha256:${'a'.repeat(64)}`, `${name}:3.10.1`], sizeBytes: 5 }, { names: ['x/app:1'] }] });
    const nodes = [
      rawNode('w22', pause('registry.k8s.io/pause')), rawNode('w18', { ...pause('registry.k8s.io/pause'), kernelVersion: '10.0.18363.1' }), rawNode('eks', pause('r/eks/pause-windows')), rawNode('l', { os: 'linux', ...pause('other/pause') }),
    ];
    for (const sources of [{ reader: fakeCluster({ objects: { nodes } }) }, { manifests: manifestsOf([...nodes, deployment('a', 'a:1')]) }]) {
      const sandboxes = (await list(sources, { sandbox: true })).items.filter(({ role }) => role === 'sandbox');
      assert.deepEqual(sandboxes.map(({ image, runsOn, failsWhereUsed, unknownOn, sizeBytes, workloads }) => [image, runsOn, failsWhereUsed, unknownOn, sizeBytes, workloads]), [
        ['r/eks/pause-windows:3.10.1', null, null, ['eks'], 5, null], ['registry.k8s.io/pause:3.10.1', ['w22'], null, [], 5, null],
      ]);
      assert.deepEqual(sandboxes.map(({ verdicts }) => verdicts.map(({ verdict, nodes: judged }) => [verdict, judged])), [[['unknown', ['eks']]], [['fails-at-pull', ['w18']], ['runs', ['w22']]]]);
    }
  });

  it('counts a sidecar that only a pod has where the pod waits for it', async () => {
    const pods = [{
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-h-1', namespace: 'default', labels: { 'pod-template-hash': 'h' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-h', controller: true }] },
      spec: { nodeName: 'w22', containers: [{ name: 'c', image: 'a:ltsc2022' }, { name: 'mesh', image: 'mesh:1' }] }, status: { phase: 'Pending' },
    }];
    const registry = answeringRegistry({ 'mesh:1': index(['windows/10.0.17763.1']), 'a:ltsc2022': index(['windows/10.0.20348.1']) });
    for (const sources of [{ reader: fakeCluster({ objects: { nodes: NODES, pods, deployments: [deployment('web', 'a:ltsc2022')] } }) }, { manifests: manifestsOf([...NODES, ...pods, deployment('web', 'a:ltsc2022')]) }]) {
      const { items } = await list(sources, { registry });
      assert.deepEqual(items.map(({ image, failsWhereUsed, verdicts }) => [image, failsWhereUsed, verdicts[0]?.verdict]), [['a:ltsc2022', [], 'runs-down-level'], ['mesh:1', ['w22'], 'fails-at-pull']]);
    }
  });

  it('reads no secret and no service account where pull secrets are not wanted', async () => {
    const registry = (): ReturnType<typeof answeringRegistry> => answeringRegistry({ 'a:1': (secrets) => failure('Unauthorized', `no: ${secrets.length}`) });
    const calls = async (pullSecrets: boolean): Promise<readonly string[]> => {
      const reader = fakeCluster({ objects: { nodes: NODES, deployments: [deployment('a', 'a:1')] } });
      await list({ reader }, { registry: registry(), pullSecrets });
      await list({ reader }, { registry: registry(), pullSecrets, named: ['a:1'], pullNamespace: 'x' });
      return reader.calls.filter((call) => /secrets|serviceaccounts/.test(call));
    };
    assert.deepEqual([await calls(true), await calls(false)], [['get serviceaccounts default', 'get serviceaccounts default'], []]);
  });

  describe('a cluster that does not answer', () => {
    for (const call of ['version', 'list nodes', 'list pods']) {
      it(`${call}: an error for workloads, a note for names where that is wanted`, async () => {
        const reader = (): ClusterReader => fakeCluster({ objects: { nodes: NODES }, errors: { [call]: UNREACHABLE } });
        await assert.rejects(list({ reader: reader() }), ClusterError);
        await assert.rejects(list({ reader: reader() }, { named: ['a:ltsc2022'] }), ClusterError);
        const report = await list({ reader: reader() }, { named: ['a:ltsc2022'], goesOnWithoutCluster: true });
        assert.deepEqual(report.notes, [`${call === 'list pods' ? 'what runs was not seen' : 'nodes are not known'}: Unable to connect to the server: no`]);
        assert.deepEqual(report.items[0]?.releases, ['ltsc2022', 'ltsc2025']);
      });
    }

    it('is asked no more once it could not be reached', async () => {
      const reader = fakeCluster({ errors: { version: UNREACHABLE } });
      await list({ reader }, { named: ['a:1'], goesOnWithoutCluster: true });
      assert.deepEqual(reader.calls, ['version']);
    });

    it('throws the refusal where nothing may be read', async () => {
      const plurals = ['nodes', 'pods', 'runtimeclasses', 'deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'jobs', 'replicationcontrollers', 'podtemplates', 'replicasets'];
      const errors = Object.fromEntries(plurals.map((plural) => [`list ${plural}`, forbidden('list', plural)]));
      await assert.rejects(list({ reader: fakeCluster({ errors }) }), { name: 'ClusterError', reason: 'Forbidden' });
      const report = await list({ reader: fakeCluster({ errors }) }, { named: ['a:1'] });
      assert.deepEqual([names(report), report.notes], [['a:1'], ['not allowed to list nodes: what needs them was not evaluated']]);
    });

    it('leaves the version out where it may not be read', async () => {
      for (const reason of ['Forbidden', 'NotFound'] as const) assert.equal((await list({ reader: fakeCluster({ errors: { version: new ClusterError('no', { reason }) } }) })).serverVersion, null);
      assert.equal((await list({ reader: fakeCluster() }, { kubernetesVersion: '1.35' })).serverVersion, '1.35');
    });

    it('ends when it is told to', async () => {
      await assert.rejects(list({ reader: fakeCluster({ objects: { nodes: NODES } }) }, { named: ['a:1'], goesOnWithoutCluster: true, signal: AbortSignal.abort(new Error('stop')) }), /stop/);
    });
  });

  it('asks for a second user only where secrets may help', async () => {
    const registry = answeringRegistry({ 'a:1': failure('Timeout', 'late'), 'b:1': failure('NotFound', 'no') });
    const deployments = ['x', 'y'].flatMap((namespace) => [deployment('a', 'a:1', 'windows', namespace), deployment('b', 'b:1', 'windows', namespace)]);
    await list({ reader: fakeCluster({ objects: { nodes: NODES, deployments } }) }, { registry, scope: { namespace: null, targets: [], customResources: 'none' } });
    assert.deepEqual(registry.asked.map(({ image }) => image).toSorted(), ['a:1', 'b:1', 'b:1']);
  });

  it('takes a large cluster in stride: 20,000 pods, 500 images, 300 nodes', async function () {
    this.timeout(30_000);
    const nodes = Array.from({ length: 300 }, (_, place) => rawNode(`w${place}`, place % 2 === 0 ? {} : { kernelVersion: '10.0.26100.1' }));
    const deployments = Array.from({ length: 2_000 }, (_, place) => deployment(`d${place}`, `registry.example/i${place % 500}:ltsc2022`));
    const pods = Array.from({ length: 20_000 }, (_, place): KubeObject => {
      const image = `registry.example/i${place % 500}:ltsc2022`;
      return {
        apiVersion: 'v1', kind: 'Pod', metadata: { name: `d${place % 2_000}-h-${place}`, namespace: 'default', labels: { 'pod-template-hash': 'h' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `d${place % 2_000}-h`, controller: true }] },
        spec: { nodeName: `w${place % 300}`, containers: [{ name: 'c', image }] }, status: { phase: 'Running', containerStatuses: [{ name: 'c', image, state: { running: {} } }] },
      };
    });
    const registry = answeringRegistry(Object.fromEntries(Array.from({ length: 500 }, (_, place) => [`registry.example/i${place}:ltsc2022`, index(['windows/10.0.20348.1', 'windows/10.0.26100.1'])])));
    const { items } = await list({ reader: fakeCluster({ objects: { nodes, deployments, pods }, pageSize: 500 }) }, { registry });
    assert.equal(items.length, 500);
    assert.ok(items.every(({ runsOn, workloads }) => runsOn?.length === 300 && workloads?.length === 4));
    assert.equal(registry.asked.length, 500);
  });
});
