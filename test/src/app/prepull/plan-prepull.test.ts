import assert from 'node:assert/strict';
import type { ManifestSource } from '../../../../src/app/ports.ts';
import { preparePlan, type PlanPrepullOptions, type PrepullPlan } from '../../../../src/app/prepull/plan-prepull.ts';
import { NO_PLATFORMS } from '../../../../src/domain/image/no-platforms.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { UsageError } from '../../../../src/errors.ts';
import { answeringRegistry, index } from '../../../support/answering-registry.ts';
import { fakeCluster, forbidden, rawNode, type FakeClusterParts } from '../../../support/fake-cluster.ts';

const NODES = [rawNode('w22', { pool: 'old' }), rawNode('w25', { pool: 'new', kernelVersion: '10.0.26100.1', labels: { tier: 'web' } }), rawNode('l', { os: 'linux' })];

function deployment(name: string, image: string, spec: Readonly<Record<string, unknown>> = {}, namespace = 'default'): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec: { template: { spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }], containers: [{ name: 'c', image }], ...spec } } } };
}

function manifestsOf(objects: readonly KubeObject[]): ManifestSource {
  return {
    description: { source: 'files', context: null, location: 'x.yaml' }, notes: ['a note of the files'],
    async* read() {
      for (const object of objects) yield { object, file: 'x.yaml', locate: () => ({ file: 'x.yaml', line: 1, column: 1, length: 0 }) as never, lineText: () => '', problems: [] };
    },
  };
}

function plan(options: Partial<PlanPrepullOptions>, parts: FakeClusterParts = {}, manifests: ManifestSource | null = null): Promise<PrepullPlan> {
  return preparePlan({
    named: [], from: [], namespace: 'default', nodes: [], nodeSelector: undefined, pools: [], skipsCordoned: true, minFree: null, images: NO_PLATFORMS, registry: null, readsPullSecrets: false,
    asOf: new Date('2026-11-30T12:00:00Z'), overrides: {}, poolLabels: [], pulledBefore: () => null, namespaceOf: () => 'default', spaceOf: async () => null, signal: new AbortController().signal, ...options,
  }, { reader: fakeCluster({ ...parts, objects: { nodes: NODES, ...parts.objects } }), manifests });
}

const short = ({ items }: PrepullPlan): readonly string[] => items.map(({ node, image, action }) => `${node} ${image} ${action}`);

describe('preparePlan', () => {
  it('of named images, each once, on all Windows nodes, or those that are named, selected or in a pool', async () => {
    assert.deepEqual(short(await plan({ named: ['a:1', 'b:1', 'a:1'] })), ['w22 a:1 unknown', 'w25 a:1 unknown', 'w22 b:1 unknown', 'w25 b:1 unknown']);
    assert.deepEqual(short(await plan({ named: ['a:1'], nodes: ['w25'] })), ['w25 a:1 unknown']);
    assert.deepEqual(short(await plan({ named: ['a:1'], nodeSelector: 'tier=web' })), ['w25 a:1 unknown']);
    assert.deepEqual(short(await plan({ named: ['a:1'], pools: ['old'] })), ['w22 a:1 unknown']);
    assert.deepEqual(short(await plan({ named: ['a:1'], pools: ['old'], nodes: ['w25'] })), []);
  });

  it('refuses names of nodes that are none for it, and nothing to pull', async () => {
    await assert.rejects(plan({ named: ['a:1'], nodes: ['nowhere'] }), (error: unknown) => error instanceof UsageError && /nodes "nowhere" not found/.test(error.message));
    await assert.rejects(plan({ named: ['a:1'], nodes: ['l'] }), /runs Linux/);
    await assert.rejects(plan({}, {}, manifestsOf([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }])), UsageError);
    await assert.rejects(plan({ named: ['a:1'] }, { errors: { 'list nodes': forbidden('list', 'nodes') } }), /forbidden/);
  });

  it('looks images up in the registry, and predicts', async () => {
    const registry = answeringRegistry({ 'a:1': index(['windows/10.0.20348.1'], { sizes: [7] }) });
    const { items } = await plan({ named: ['a:1'], images: null, registry });
    assert.deepEqual(items.map(({ node, action, variant, sizeBytes }) => [node, action, variant?.build ?? null, sizeBytes]), [['w22', 'pull', 20348, 7], ['w25', 'pull', 20348, 7]]);
    assert.deepEqual(registry.asked.map(({ image, sizes }) => [image, sizes]), [['a:1', true]]);
  });

  it('of manifests: images of Windows workloads where they land, and how these pull', async () => {
    const read = await plan({}, {}, manifestsOf([
      deployment('web', 'web:1', { nodeSelector: { 'kubernetes.io/os': 'windows', tier: 'web' }, imagePullSecrets: [{ name: 'one' }], serviceAccountName: 'web' }), deployment('api', 'api:1', { imagePullSecrets: [{ name: 'two' }], serviceAccountName: 'web' }),
    ]));
    assert.deepEqual(short(read).toSorted(), ['w22 api:1 unknown', 'w25 api:1 unknown', 'w25 web:1 unknown']);
    assert.deepEqual([read.scope?.serviceAccount, read.scope?.secretNames.toSorted()], ['web', ['one', 'two']]);
    assert.ok(read.notes.includes('a note of the files'));
  });

  it('says where workloads pull in several ways', async () => {
    const { scope, notes } = await plan({}, {}, manifestsOf([deployment('a', 'a:1', { serviceAccountName: 'first' }), deployment('b', 'b:1', { serviceAccountName: 'second' }), deployment('c', 'c:1', {}, 'other')]));
    assert.equal(scope?.serviceAccount, 'first');
    assert.match(notes.join('\n'), /several service accounts \(first, second\)/);
    assert.match(notes.join('\n'), /several namespaces/);
  });

  it('of workloads of the cluster', async () => {
    const { items, scope } = await plan({ from: [{ type: 'deployments', name: 'web' }] }, { objects: { deployments: [deployment('web', 'web:1', { serviceAccountName: 'web' }), deployment('other', 'other:1')] } });
    assert.deepEqual(items.map(({ node, image }) => `${node} ${image}`), ['w22 web:1', 'w25 web:1']);
    assert.equal(scope?.serviceAccount, 'web');
  });

  it('keeps the floor where the free space is known, and says how many nodes it is not known of', async () => {
    const registry = answeringRegistry({ 'a:1': index(['windows/10.0.20348.1'], { sizes: [5 * 2 ** 30] }) });
    const read = await plan({ named: ['a:1'], images: null, registry, minFree: 0.2, spaceOf: async (node) => (node === 'w22' ? { availableBytes: 30 * 2 ** 30, capacityBytes: 100 * 2 ** 30 } : null) });
    assert.deepEqual(read.items.map(({ node, action, reason }) => [node, action, reason]), [['w22', 'refuse', 'NotEnoughSpace'], ['w25', 'pull', 'NotListed']]);
    assert.match(read.notes.join('\n'), /free space of 1 node/);
  });
});
