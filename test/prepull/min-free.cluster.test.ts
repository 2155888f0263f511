/** The floor of free space, from the summaries of kubelets: what they say, what they do not, and who may ask. */
import assert from 'node:assert/strict';
import { nothingLeft, PLAYED } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { answeringRegistry, index } from '../support/answering-registry.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { runCommand } from '../support/run-command.ts';
import { assertMatchesSchema } from '../support/schema.ts';
import { PLAYED_CLUSTER } from './played-cluster.ts';

const gib = (count: number): number => count * 2 ** 30;
const fileSystem = (available: number, capacity: number): Readonly<Record<string, number>> => ({ availableBytes: gib(available), capacityBytes: gib(capacity), usedBytes: gib(capacity - available) });

/** Names and sizes that are pulled in no time; 2 GiB compressed are some 6 GiB on the disk. */
const IMAGE = 'r.example/ok:1-100ms';
const registry = answeringRegistry({ [IMAGE]: index(['windows/10.0.20348.5386'], { sizes: [gib(2)] }) });

interface Report {
  readonly phase: string;
  readonly items: readonly { readonly node: string; readonly result: string; readonly reason: string; readonly message: string }[];
  readonly notes: readonly string[];
}

describe('prepull --min-free', function () {
  this.timeout(120_000);
  const cluster = useCluster({ ...PLAYED_CLUSTER, with: 'all', nodeProxy: true, shared: false });
  const suite = { ...PLAYED, suite: 'min-free' };

  before(async () => {
    await cluster().createNamespace('min-free');
    await cluster().loadNodes(['roomy', 'filled', 'tight', 'own-image-disk', 'silent', 'odd', 'without'].map((name) => rawNode(name)), { kubelet: true, labels: suite });
    await cluster().loadNodes([rawNode('unreachable')], { labels: suite });
    await cluster().setKubelet('roomy', { summary: { node: { fs: fileSystem(80, 128) } } });
    await cluster().setKubelet('filled', { summary: { node: { fs: fileSystem(19, 128) } } });
    await cluster().setKubelet('tight', { summary: { node: { fs: fileSystem(24, 128) } } });
    // of two disks, the one that images are unpacked on
    await cluster().setKubelet('own-image-disk', { summary: { node: { fs: fileSystem(80, 128), runtime: { imageFs: fileSystem(1, 128) } } } });
    await cluster().setKubelet('silent', { isSilent: true });
    await cluster().setKubelet('odd', { summary: { node: { fs: { availableBytes: 'much', capacityBytes: 0 } } } });
  });

  const prepull = async (kubeconfig: string, ...argv: readonly string[]): Promise<{ readonly report: Report; readonly exitCode: number; readonly askedKubelets: readonly string[] }> => {
    const before = (await cluster().kubeletRequests()).length;
    const { stdout, stderr, exitCode } = await runCommand(['prepull', IMAGE, '-l', 'suite=min-free', '-n', 'min-free', '-o', 'json', '--kubeconfig', kubeconfig, ...argv], {
      ports: { openRegistry: async () => registry }, env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: 'auto' }, clock: { now: () => new Date() },
    });
    assert.notEqual(stdout, '', stderr);
    const report = JSON.parse(stdout) as Report;
    assertMatchesSchema('PrepullReport', report);
    return { report, exitCode, askedKubelets: (await cluster().kubeletRequests()).slice(before).map(({ node, path }) => `${node} ${path}`).toSorted() };
  };
  const results = ({ items }: Report): Readonly<Record<string, string>> => Object.fromEntries(items.map(({ node, result, reason }) => [node, `${result} ${reason}`]));
  const unknown = ({ notes }: Report): readonly string[] => notes.filter((note) => note.includes('--min-free was not evaluated'));

  const UNKNOWN_NODES = ['silent', 'odd', 'without', 'unreachable'];

  it('refuses nodes that are known to have too little, in words, and pulls onto those of which nothing is known', async () => {
    const mark = await cluster().auditMark();
    const { report, exitCode, askedKubelets } = await prepull(cluster().kubeconfig, '--min-free=15%');
    assert.deepEqual(results(report), {
      roomy: 'pulled Pulled', filled: 'refused NotEnoughSpace', tight: 'refused NotEnoughSpace', 'own-image-disk': 'refused NotEnoughSpace', ...Object.fromEntries(UNKNOWN_NODES.map((name) => [name, 'pulled Pulled'])),
    });
    const said = new Map(report.items.map(({ node, message }) => [node, message]));
    assert.equal(said.get('filled'), 'the free space of the node is at or below the floor of 15%');
    assert.equal(said.get('own-image-disk'), said.get('filled'));
    assert.equal(said.get('tight'), 'it takes about 6.0 GiB unpacked, and the node has 4.8 GiB above the floor of 15%');
    assert.match(unknown(report).join('\n'), /^the free space of 4 nodes is not known \([^\n]+\): --min-free was not evaluated there$/);
    assert.deepEqual([report.phase, exitCode], ['failed', 1]);
    // each once; the API server knows no way to the one without an address
    assert.deepEqual(askedKubelets, ['filled', 'odd', 'own-image-disk', 'roomy', 'silent', 'tight', 'without'].map((name) => `${name} /stats/summary`));
    const events = await cluster().auditEvents(mark);
    const pods = events.filter(({ verb, objectRef, stage, requestURI }) => verb === 'create' && stage === 'ResponseComplete' && !requestURI.includes('dryRun') && objectRef?.resource === 'pods' && objectRef.namespace === 'min-free' && objectRef.subresource === undefined);
    assert.equal(pods.length, 5, 'a pod for each node that was not refused');
    await nothingLeft(cluster(), 'min-free', 30);
  });

  it('asks no kubelet where the user may not, and takes it for unknown, not for zero', async () => {
    const jane = await cluster().user('min-free-jane', { namespace: 'min-free' });
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const subjects = [{ kind: 'User', name: jane.name, apiGroup: 'rbac.authorization.k8s.io' }];
    await cluster().api.create(`${rbac}/clusterroles`, { metadata: { name: 'min-free-nodes' }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }] });
    await cluster().api.create(`${rbac}/clusterrolebindings`, { metadata: { name: 'min-free-nodes' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'min-free-nodes' }, subjects });
    await cluster().api.create(`${rbac}/namespaces/min-free/rolebindings`, { metadata: { name: 'min-free-jane' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' }, subjects });
    const asJane = await prepull(jane.kubeconfig, '--min-free=15%', '--dry-run=client');
    assert.deepEqual(asJane.askedKubelets, []);
    assert.deepEqual([...new Set(Object.values(results(asJane.report)))], ['pending NotListed']);
    assert.match(unknown(asJane.report).join('\n'), /^the free space of 8 nodes is not known \(it takes get on nodes\/proxy/);

    // the one right makes the difference
    await cluster().api.create(`${rbac}/clusterroles`, { metadata: { name: 'min-free-proxy' }, rules: [{ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }] });
    await cluster().api.create(`${rbac}/clusterrolebindings`, { metadata: { name: 'min-free-proxy' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'min-free-proxy' }, subjects });
    await eventually('the right to ask kubelets', 10, async () => ((await cluster().kubectl(['auth', 'can-i', 'get', 'nodes', '--subresource=proxy'], { kubeconfig: jane.kubeconfig })).code === 0 ? true : undefined));
    const allowed = await prepull(jane.kubeconfig, '--min-free=15%', '--dry-run=client', '--node=filled,roomy');
    assert.deepEqual(allowed.askedKubelets, ['filled /stats/summary', 'roomy /stats/summary']);
    assert.deepEqual(results(allowed.report), { filled: 'refused NotEnoughSpace', roomy: 'pending NotListed' });
  });

  it('asks nobody with --min-free=0%', async () => {
    const { report, askedKubelets } = await prepull(cluster().kubeconfig, '--min-free=0%', '--dry-run=client');
    assert.deepEqual([askedKubelets, unknown(report)], [[], []]);
    assert.deepEqual([...new Set(Object.values(results(report)))], ['pending NotListed']);
  });
});
