/** `kubectl win images` of a live cluster, through the real kubectl, against a real API server. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin');
const NAMESPACE = 'images-shop';
const BASE = 'mcr.microsoft.com/windows/servercore:ltsc2022';

interface Report {
  readonly summary: { readonly windowsNodes: number | null };
  readonly items: readonly {
    readonly image: string; readonly evidence: string; readonly digest: string | null; readonly runsOn: readonly string[] | null; readonly failsWhereUsed: readonly string[] | null; readonly sizeBytes: number | null; readonly sizeFrom: string | null;
    readonly workloads: readonly { readonly object: { readonly kind: string; readonly name: string }; readonly containers: readonly string[] }[] | null;
  }[];
  readonly notes: readonly string[];
}

describe('kubectl win images of a cluster', function () {
  this.timeout(90_000);
  const cluster = useCluster();
  let folder: string;
  const win = (args: readonly string[], kubeconfig?: string) => cluster().kubectl(['win', 'images', ...args], {
    ...(kubeconfig === undefined ? {} : { kubeconfig }), env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder, KUBECTL_WIN_CONFIG: '', KUBECTL_WIN_IMAGES: '' },
  });
  const report = async (args: readonly string[], kubeconfig?: string): Promise<Report> => {
    const { code, stdout, stderr } = await win([...args, '-o', 'json'], kubeconfig);
    assert.equal(code, 0, stderr);
    const document = JSON.parse(stdout) as Report;
    assertMatchesSchema('ImageReport', document);
    return document;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-images-'));
    const { api } = cluster();
    await cluster().deleteNodes();
    await cluster().loadNodes([
      rawNode('win19', { kernelVersion: '10.0.17763.8389' }), rawNode('win22', { images: [{ names: [`docker.io/shop/web@sha256:${'1'.repeat(64)}`, 'docker.io/shop/web:2'], sizeBytes: 12_345_678 }] }), rawNode('linux', { os: 'linux' }),
    ]);
    await cluster().createNamespace(NAMESPACE);
    const spec = (image: string, extra: Readonly<Record<string, unknown>> = {}) => ({ os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }], containers: [{ name: 'web', image }], ...extra });
    await api.create(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`, {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: NAMESPACE },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: spec('shop/web:2', { initContainers: [{ name: 'setup', image: BASE }] }) } },
    });
    const pod = `/api/v1/namespaces/${NAMESPACE}/pods`;
    await api.create(pod, {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-5d8f9c7b6-abcde', namespace: NAMESPACE, labels: { 'pod-template-hash': '5d8f9c7b6' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8f9c7b6', uid: '7a0f5a3e-7d8a-4b2b-9b1f-2f1e5a3c4d5e', controller: true }] },
      spec: { ...spec('shop/web:1'), nodeName: 'win22' },
    });
    await api.patch(`${pod}/web-5d8f9c7b6-abcde/status`, { status: { phase: 'Running', containerStatuses: [{ name: 'web', image: 'shop/web:1', imageID: `docker.io/shop/web@sha256:${'2'.repeat(64)}`, ready: true, restartCount: 0, started: true, state: { running: { startedAt: '2026-11-30T12:00:00Z' } } }] } });
    await api.create(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'linux', namespace: NAMESPACE }, spec: { os: { name: 'linux' }, containers: [{ name: 'c', image: 'redis:8' }] } });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('shows what templates and running pods use, with what nodes and pods tell of it', async () => {
    const { items, summary, notes } = await report(['-n', NAMESPACE, '--images=tags']);
    assert.deepEqual([summary.windowsNodes, notes], [2, []]);
    assert.deepEqual(items.map(({ image, workloads }) => [image, workloads?.map(({ object: { kind, name }, containers }) => `${kind}/${name} ${containers.join()}`)]), [
      [BASE, ['Deployment/web setup']], ['shop/web:1', ['Deployment/web web']], ['shop/web:2', ['Deployment/web web']],
    ]);
    const [base, , next] = items;
    assert.deepEqual([base?.runsOn, base?.failsWhereUsed], [['win22'], ['win19']]);
    assert.deepEqual([next?.sizeBytes, next?.sizeFrom], [12_345_678, 'nodes']);
  });

  it('believes what runs: read in digests of pods, and of a recording', async () => {
    const file = join(folder, 'saved.json');
    const saved = await win(['-n', NAMESPACE, '--images=tags', '--save', file]);
    assert.equal(saved.code, 0, saved.stderr);
    for (const args of [['shop/web:1', '--inventory', file], ['--inventory', file, '-n', NAMESPACE]]) {
      const found = (await report(args)).items.find(({ image }) => image === 'shop/web:1');
      assert.deepEqual([found?.evidence, found?.digest, found?.runsOn], ['observed', `sha256:${'2'.repeat(64)}`, ['win22']]);
    }
  });

  it('judges a sidecar that only a pod has where the pod waits for it, as digests tell', async () => {
    const sidecars = 'images-sidecars';
    const { api } = cluster();
    await cluster().createNamespace(sidecars);
    await api.create(`/api/v1/namespaces/${sidecars}/pods`, {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-5d8f9c7b6-abcde', namespace: sidecars, labels: { 'pod-template-hash': '5d8f9c7b6' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8f9c7b6', uid: '7a0f5a3e-7d8a-4b2b-9b1f-2f1e5a3c4d5e', controller: true }] },
      spec: { os: { name: 'windows' }, nodeName: 'win22', containers: [{ name: 'web', image: BASE }, { name: 'mesh', image: 'shop/mesh:1-ltsc2025' }] },
    });
    const { items } = await report(['-n', sidecars, '--images=tags']);
    assert.deepEqual(items.map(({ image, failsWhereUsed, workloads }) => [image, failsWhereUsed, workloads?.map(({ object: { kind, name } }) => `${kind}/${name}`)]), [[BASE, [], ['Deployment/web']], ['shop/mesh:1-ltsc2025', ['win22'], ['Deployment/web']]]);
    const gate = await win(['-n', sidecars, '--images=tags', '--fail-on=fail']);
    assert.equal(gate.code, 1, gate.stderr);
  });

  it('goes on with what may be read', async () => {
    const user = await cluster().user('images-developer');
    const { api } = cluster();
    await api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles`, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'reader', namespace: NAMESPACE }, rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] }] });
    await api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'reader', namespace: NAMESPACE }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }, subjects: [{ kind: 'User', name: 'images-developer', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const { items, summary, notes } = await report(['-n', NAMESPACE, '--images=tags'], user.kubeconfig);
    assert.deepEqual([items.map(({ image }) => image), summary.windowsNodes], [[BASE, 'shop/web:2'], null]);
    assert.match(notes.join('\n'), /^not allowed to list [^\n]*nodes[^\n]*pods/m);

    const nobody = await cluster().user('images-nobody');
    assert.equal((await win(['-n', NAMESPACE, '--images=tags'], nobody.kubeconfig)).code, 3);
    const named = await win([BASE, '--images=tags'], nobody.kubeconfig);
    assert.equal(named.code, 0, named.stderr);
    assert.match(named.stdout, / ltsc2022,ltsc2025 /);
    assert.match(named.stderr, /^note: not allowed to list nodes/m);
  });
});
