import assert from 'node:assert/strict';
import type { ManifestSource, UnreadableDocument } from '../../../../src/app/ports.ts';
import { preparePlan, type PlanPrepullOptions, type PrepullPlan } from '../../../../src/app/prepull/plan-prepull.ts';
import { NO_PLATFORMS } from '../../../../src/domain/image/no-platforms.ts';
import { recordAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { InputError, UsageError } from '../../../../src/errors.ts';
import { answeringRegistry, index } from '../../../support/answering-registry.ts';
import { fakeCluster, forbidden, rawNode, type FakeClusterParts } from '../../../support/fake-cluster.ts';

const NODES = [rawNode('w22', { pool: 'old' }), rawNode('w25', { pool: 'new', kernelVersion: '10.0.26100.1', labels: { tier: 'web' } }), rawNode('l', { os: 'linux' })];

function deployment(name: string, image: string, spec: Readonly<Record<string, unknown>> = {}, namespace = 'default'): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec: { template: { spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }], containers: [{ name: 'c', image }], ...spec } } } };
}

function manifestsOf(objects: readonly KubeObject[], unreadable: readonly UnreadableDocument[] = []): ManifestSource {
  return {
    description: { source: 'files', context: null, location: 'x.yaml' }, notes: ['a note of the files'],
    async* read() {
      for (const object of objects) yield { object, file: 'x.yaml', locate: () => ({ file: 'x.yaml', line: 1, column: 1, length: 0 }) as never, lineText: () => '', problems: [] };
      yield* unreadable;
    },
  };
}

function plan(options: Partial<PlanPrepullOptions>, parts: FakeClusterParts = {}, manifests: ManifestSource | null = null): Promise<PrepullPlan> {
  return preparePlan({
    named: [], from: [], namespace: 'default', nodes: [], nodeSelector: undefined, pools: [], skipsCordoned: true, minFree: null, images: NO_PLATFORMS, registry: null, readsPullSecrets: false,
    asOf: new Date('2026-11-30T12:00:00Z'), overrides: {}, poolLabels: [], earlierPulls: async () => () => null, namespaceOf: () => 'default', spaceOf: async () => null, signal: new AbortController().signal, ...options,
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

  it('refuses manifests of which a part cannot be read: its images would be left out', async () => {
    const unreadable = (file: string, line: number | null): UnreadableDocument => ({ file, line, column: line, message: `no YAML in ${file}`, suggestions: ['mend it'] });
    await assert.rejects(plan({}, {}, manifestsOf([deployment('a', 'a:1')], [unreadable('b.yaml', 2), unreadable('c.yaml', 7), unreadable('d', null)])), (error: unknown) => {
      assert.ok(error instanceof InputError);
      assert.deepEqual([error.message, error.suggestions], ['b.yaml:2:2: no YAML in b.yaml', ['mend it', 'c.yaml:7, d cannot be read either']]);
      return true;
    });
    await assert.rejects(plan({}, {}, manifestsOf([], [unreadable('b.yaml', null)])), { message: 'b.yaml: no YAML in b.yaml' });
  });

  it('looks images up in the registry, and predicts', async () => {
    const registry = answeringRegistry({ 'a:1': index(['windows/10.0.20348.1'], { sizes: [7] }) });
    const { items } = await plan({ named: ['a:1'], images: null, registry });
    assert.deepEqual(items.map(({ node, action, variant, sizeBytes }) => [node, action, variant?.build ?? null, sizeBytes]), [['w22', 'pull', 20348, 7], ['w25', 'pull', 20348, 7]]);
    assert.deepEqual(registry.asked.map(({ image, sizes }) => [image, sizes]), [['a:1', 'with-layers']]);
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

  describe('R147: takes what workloads use, and no list of its own', () => {
    const [ltsc2019, ltsc2022] = ['mcr.microsoft.com/dotnet/framework/aspnet:4.8-windowsservercore-ltsc2019', 'mcr.microsoft.com/dotnet/framework/aspnet:4.8-windowsservercore-ltsc2022'];
    const [NOW, BEFORE] = [`sha256:${'1'.repeat(64)}`, `sha256:${'0'.repeat(64)}`];
    const registry = answeringRegistry({
      [ltsc2019]: index(['windows/10.0.17763.8389']), [ltsc2022]: index(['windows/10.0.20348.5386'], { digest: NOW }), 'init:1': index(['windows/10.0.17763.8389', 'windows/10.0.20348.5386']), 'list:1': index(['windows/10.0.17763.1']),
    });
    const pools = [rawNode('w19', { pool: 'w19', kernelVersion: '10.0.17763.8389', runtime: 'containerd://1.7.28' }), rawNode('w22', { pool: 'w22' })];
    const onPool = (pool: string): Readonly<Record<string, unknown>> => ({ nodeSelector: { 'kubernetes.io/os': 'windows', 'kubernetes.azure.com/agentpool': pool } });
    const workloads = [deployment('old', ltsc2019, { ...onPool('w19'), initContainers: [{ name: 'i', image: 'init:1' }] }), deployment('new', ltsc2022, onPool('w22')), deployment('other', 'other:1')];

    it('each image by its exact reference, init containers too, onto the nodes of its own build', async () => {
      const expected = ['w19 init:1 pull', `w19 ${ltsc2019} pull`, `w22 ${ltsc2022} pull`];
      const from = [{ type: 'deployments', name: 'old' }, { type: 'deployments', name: 'new' }];
      assert.deepEqual(short(await plan({ from, images: null, registry }, { objects: { nodes: pools, deployments: workloads } })).toSorted(), expected);
      assert.deepEqual(short(await plan({ images: null, registry }, { objects: { nodes: pools } }, manifestsOf(workloads.slice(0, 2)))).toSorted(), expected);
    });

    it('again where its tag has moved since, as base images do every month', async () => {
      const holding = (digest: string): KubeObject => rawNode('w22', { pool: 'w22', images: [{ names: [ltsc2022, `${ltsc2022.replace(/:[^:]*$/, '')}@${digest}`], sizeBytes: 9 }] });
      const reasons = async (digest: string): Promise<readonly string[]> => (await plan({ from: [{ type: 'deployments', name: 'new' }], images: null, registry }, { objects: { nodes: [holding(digest)], deployments: workloads } })).items.map(({ action, reason }) => `${action} ${reason}`);
      assert.deepEqual([await reasons(NOW), await reasons(BEFORE)], [['skip Present'], ['pull TagMoved']]);
    });

    it('and of a list that is for other builds says so, in place of pulling what nobody can use', async () => {
      assert.deepEqual((await plan({ named: ['list:1'], images: null, registry }, { objects: { nodes: pools } })).items.map(({ node, action, reason }) => `${node} ${action} ${reason}`), ['w19 pull NotListed', 'w22 refuse NoMatchForPlatform']);
    });
  });

  it('R148: a taint keeps a node out where it keeps the pods of the workload off, and images that are named go everywhere', async () => {
    const nodes = [rawNode('w', { taints: [] }), rawNode('tainted', { taints: [{ key: 'team', value: 'x', effect: 'NoSchedule' }] }), rawNode('leaving', { taints: [{ key: 'leaving', effect: 'NoExecute' }] })];
    const deployments = [deployment('web', 'web:1', { tolerations: [] }), deployment('all', 'web:1')];
    const from = async (name: string): Promise<readonly string[]> => (await plan({ from: [{ type: 'deployments', name }] }, { objects: { nodes, deployments } })).items.map(({ node }) => node);
    assert.deepEqual([await from('web'), await from('all')], [['w'], ['w', 'tainted', 'leaving']]);
    assert.deepEqual((await plan({ named: ['web:1'] }, { objects: { nodes } })).items.map(({ node }) => node), ['w', 'tainted', 'leaving']);
  });

  describe('R081: a node that pods cannot land on for now', () => {
    const web = deployment('web', 'web:1', { tolerations: [] });
    const withTaint = (name: string, key: string, more: Readonly<Record<string, unknown>> = {}): KubeObject => rawNode(name, { taints: [{ key, effect: 'NoSchedule' }], ...more });
    const conditions = (ready: string, diskPressure = 'False'): readonly Readonly<Record<string, string>>[] => [{ type: 'Ready', status: ready }, { type: 'DiskPressure', status: diskPressure }];
    const inState = (name: string, key: string, own: readonly Readonly<Record<string, string>>[]): KubeObject => {
      const raw = withTaint(name, key);
      return { ...raw, status: { ...recordAt(raw, 'status'), conditions: own } };
    };
    const cordoned = (name: string): KubeObject => {
      const raw = withTaint(name, 'node.kubernetes.io/unschedulable');
      return { ...raw, spec: { ...recordAt(raw, 'spec'), unschedulable: true } };
    };
    const troubled = [
      rawNode('fine', { taints: [] }), inState('down', 'node.kubernetes.io/not-ready', conditions('False')), inState('silent', 'node.kubernetes.io/unreachable', conditions('Unknown')),
      inState('pressed', 'node.kubernetes.io/disk-pressure', conditions('True', 'True')), cordoned('cordoned'),
    ];
    const reasons = ({ items }: PrepullPlan): readonly string[] => items.map(({ node, action, reason }) => `${node} ${action} ${reason}`);
    const refusals = ['fine unknown PlatformsUnknown', 'down refuse NodeNotReady', 'silent refuse NodeNotReady', 'pressed refuse DiskPressure', 'cordoned refuse NodeCordoned'];

    it('is in the plan of a workload, with what keeps its pull off', async () => {
      const objects = { nodes: troubled, deployments: [web] };
      assert.deepEqual(reasons(await plan({ from: [{ type: 'deployments', name: 'web' }] }, { objects })), refusals);
      assert.deepEqual(reasons(await plan({}, { objects: { nodes: troubled } }, manifestsOf([web]))), refusals);
      assert.deepEqual(reasons(await plan({ named: ['web:1'] }, { objects: { nodes: troubled } })), refusals);
    });

    it('is pulled onto where it is cordoned, and that is said', async () => {
      const { items, notes } = await plan({ skipsCordoned: false }, { objects: { nodes: troubled } }, manifestsOf([web]));
      assert.deepEqual(items.filter(({ action }) => action === 'unknown').map(({ node }) => node), ['fine', 'cordoned']);
      assert.deepEqual(notes.filter((note) => note.includes('cordon')), ['cordoned: pulled onto although it is cordoned (--skip-cordoned leaves such nodes out)']);
    });

    it('is pulled onto where its cloud never took it over, and that is said of workloads', async () => {
      const nodes = [rawNode('w', { taints: [] }), ...[1, 2, 3, 4].map((at) => withTaint(`new-${at}`, 'node.cloudprovider.kubernetes.io/uninitialized'))];
      const objects = { nodes, deployments: [web] };
      const { items, notes } = await plan({ from: [{ type: 'deployments', name: 'web' }] }, { objects });
      assert.equal(items.length, 5);
      assert.deepEqual(notes.filter((note) => note.includes('uninitialized')), ['new-1, new-2, new-3 and 1 more: pulled onto although no pod of a workload lands there while they have the taint node.cloudprovider.kubernetes.io/uninitialized:NoSchedule (kubectl win nodes --show-issues)']);
      assert.deepEqual((await plan({ named: ['web:1'] }, { objects })).notes, []);
    });

    it('says nothing of a taint that the workloads tolerate', async () => {
      const tolerant = deployment('web', 'web:1', { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' }] });
      const { items, notes } = await plan({}, { objects: { nodes: [withTaint('full', 'node.kubernetes.io/memory-pressure')] } }, manifestsOf([tolerant]));
      assert.deepEqual([items.length, notes.filter((note) => note.includes('taint'))], [1, []]);
    });

    it('is left out where it is being removed, and that is said', async () => {
      const { items, notes } = await plan({}, { objects: { nodes: [rawNode('w', { taints: [] }), withTaint('leaving', 'ToBeDeletedByClusterAutoscaler')] } }, manifestsOf([web]));
      assert.deepEqual([items.map(({ node }) => node), notes.filter((note) => note.includes('leaving'))], [['w'], ['leaving: nothing is pulled there, for it is being removed (ToBeDeletedByClusterAutoscaler:NoSchedule)']]);
    });

    it('takes no part where the operator keeps the workload off', async () => {
      const other = rawNode('other', { taints: [{ key: 'team', value: 'x', effect: 'NoSchedule' }, { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], ready: false });
      assert.deepEqual(reasons(await plan({}, { objects: { nodes: [...troubled, other] } }, manifestsOf([web]))), refusals);
    });
  });

  it('says of an image that none of the nodes that were asked for is for it', async () => {
    const { items, notes } = await plan({ pools: ['old'] }, {}, manifestsOf([deployment('a', 'a:1'), deployment('b', 'b:1', { nodeSelector: { 'kubernetes.io/os': 'windows', tier: 'web' } })]));
    assert.deepEqual(items.map(({ node, image }) => `${node} ${image}`), ['w22 a:1']);
    assert.ok(notes.includes('b:1: pods that use it land on none of the nodes that were asked for: nodeSelector tier=web: the node has no such label'), notes.join('\n'));
  });

  it('R155: says where pulls fill the disk so far that kubelets remove images', async () => {
    const registry = answeringRegistry({ 'a:1': index(['windows/10.0.20348.1'], { sizes: [5 * 2 ** 30] }) });
    const notes = async (free: number, more: Partial<PlanPrepullOptions> = {}): Promise<readonly string[]> => {
      const read = await plan({ named: ['a:1'], images: null, registry, nodes: ['w22'], minFree: 0.05, spaceOf: async () => ({ availableBytes: free * 2 ** 30, capacityBytes: 100 * 2 ** 30 }), ...more });
      assert.equal(read.items[0]?.action, 'pull');
      return read.notes;
    };
    assert.deepEqual(await notes(80), []);
    assert.deepEqual(await notes(25), ['pulls fill the disk of w22 to 85%, from where a kubelet by default removes images that no pod uses, and first those that were pulled beforehand: --hold keeps these in use; --min-free=16% leaves such pulls out']);
    assert.deepEqual(await notes(25, { areKeptInUse: true }), ['pulls fill the disk of w22 to 85%, from where a kubelet by default removes images that no pod uses; --min-free=16% leaves such pulls out']);
    // where there is no floor, disks are not looked at
    assert.deepEqual(await notes(25, { minFree: null }), []);
  });

  it('asks for earlier runs where pulls will run, which the manifests tell', async () => {
    const asked: string[] = [];
    const earlierPulls: PlanPrepullOptions['earlierPulls'] = async (namespace) => {
      asked.push(namespace);
      return (node) => (node === 'w22' ? { at: '2026-11-30T11:55:00Z', digest: null } : null);
    };
    const { items } = await plan({ namespaceOf: (scope) => scope?.namespace ?? 'none', earlierPulls }, {}, manifestsOf([deployment('c', 'c:1', {}, 'shop')]));
    assert.deepEqual([asked, items.map(({ node, reason }) => `${node} ${reason}`)], [['shop'], ['w22 PulledBefore', 'w25 PlatformsUnknown']]);
  });

  it('holds earlier runs against the time at which a node last told what it has', async () => {
    const at = '2026-11-30T02:00:00Z';
    const reporting = (name: string, lastHeartbeatTime: string): KubeObject => {
      const raw = rawNode(name);
      return { ...raw, status: { ...recordAt(raw, 'status'), conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] } };
    };
    const { items } = await plan({ named: ['a:1'], earlierPulls: async () => () => ({ at, digest: null }) }, { objects: { nodes: [reporting('told', '2026-11-30T11:58:00Z'), reporting('silent', '2026-11-30T02:03:00Z')] } });
    assert.deepEqual(items.map(({ node, action, reason }) => `${node} ${action} ${reason}`), ['told unknown PlatformsUnknown', 'silent skip PulledBefore']);
  });

  it('takes the base image for HostProcess containers for them, where it is named', async () => {
    const image = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0';
    const { items } = await plan({ named: [image], images: null });
    assert.deepEqual(items.map(({ action, isolation }) => `${action} ${isolation}`), ['pull host-process', 'pull host-process']);
  });

  it('keeps the floor where the free space is known, and says how many nodes it is not known of', async () => {
    const registry = answeringRegistry({ 'a:1': index(['windows/10.0.20348.1'], { sizes: [5 * 2 ** 30] }) });
    const read = await plan({ named: ['a:1'], images: null, registry, minFree: 0.2, spaceOf: async (node) => (node === 'w22' ? { availableBytes: 30 * 2 ** 30, capacityBytes: 100 * 2 ** 30 } : null) });
    assert.deepEqual(read.items.map(({ node, action, reason }) => [node, action, reason]), [['w22', 'refuse', 'NotEnoughSpace'], ['w25', 'pull', 'NotListed']]);
    assert.match(read.notes.join('\n'), /free space of 1 node/);
  });
});
