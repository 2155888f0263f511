/** `kubectl win check` of a live cluster, through the real kubectl, against a real API server. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin');

interface Report {
  readonly metadata: { readonly serverVersion: string | null };
  readonly workloads: readonly { readonly object: { readonly kind: string; readonly namespace: string; readonly name: string }; readonly os: string; readonly candidates: readonly string[] | null }[];
  readonly findings: readonly { readonly rule: string; readonly object: { readonly kind: string; readonly name: string }; readonly path: string; readonly container: string | null; readonly patchCommand: string | null; readonly fingerprint: string }[];
  readonly notEvaluated: readonly { readonly rule: string; readonly reason: string }[];
  readonly suppressed: readonly unknown[];
  readonly summary: { readonly workloads: number; readonly objects: number };
}

const windowsSpec = (extra: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ key: 'os', value: 'windows', effect: 'NoSchedule' }],
  containers: [{ name: 'main', image: 'mcr.microsoft.com/windows/servercore:ltsc2022', resources: { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } } }], ...extra,
});
const ownedBy = (kind: string, name: string, apiVersion = 'apps/v1'): readonly unknown[] => [{ apiVersion, kind, name, uid: '7a0f5a3e-7d8a-4b2b-9b1f-2f1e5a3c4d5e', controller: true, blockOwnerDeletion: true }];

describe('kubectl win check of a cluster', function () {
  this.timeout(90_000);
  const cluster = useCluster();
  let folder: string;
  const win = (args: readonly string[], options: { kubeconfig?: string; input?: string } = {}) =>
    cluster().kubectl(['win', 'check', ...args], { ...options, env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder, KUBECTL_WIN_CONFIG: '' } });
  const report = async (args: readonly string[], options: { kubeconfig?: string; input?: string } = {}): Promise<Report> => {
    const { code, stdout, stderr } = await win([...args, '-o', 'json', '--fail-on', 'none'], options);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Report;
  };
  const judged = ({ workloads }: Report): readonly string[] => workloads.map(({ object }) => `${object.kind}/${object.name}`).toSorted();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-check-'));
    const { api } = cluster();
    await cluster().deleteNodes();
    await cluster().loadNodes([rawNode('win-1'), rawNode('linux-1', { os: 'linux' })]);
    for (const name of ['check-shop', 'check-other']) await cluster().createNamespace(name);
    const create = (path: string, object: KubeObject): Promise<KubeObject> => api.create(`${path}`, object);
    const apps = (kind: string, name: string, spec: Readonly<Record<string, unknown>>, namespace = 'check-shop'): Promise<KubeObject> => create(`/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s`, {
      apiVersion: 'apps/v1', kind, metadata: { name, namespace, labels: { app: name } },
      spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec } },
    });
    await apps('Deployment', 'web', windowsSpec({ dnsPolicy: 'ClusterFirstWithHostNet' }));
    await apps('Deployment', 'elsewhere', windowsSpec(), 'check-other');
    const replicaSet = (name: string, owner: readonly unknown[]): Promise<KubeObject> => create('/apis/apps/v1/namespaces/check-shop/replicasets', {
      apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name, namespace: 'check-shop', labels: { app: 'rs' }, ...(owner.length === 0 ? {} : { ownerReferences: owner }) },
      spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: windowsSpec() } },
    } as KubeObject);
    await replicaSet('web-5d8f9c7b6', ownedBy('Deployment', 'web'));
    await replicaSet('alone', []);
    const pod = (name: string, labels: Readonly<Record<string, string>>, owner: readonly unknown[], spec: Readonly<Record<string, unknown>> = windowsSpec()): Promise<KubeObject> => create('/api/v1/namespaces/check-shop/pods', {
      apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'check-shop', labels, ...(owner.length === 0 ? {} : { ownerReferences: owner }) }, spec,
    } as KubeObject);
    const injected = windowsSpec({ initContainers: [{ name: 'istio-init', image: 'docker.io/istio/proxyv2:1.29.1' }] });
    for (const suffix of ['abcde', 'fghij']) await pod(`web-5d8f9c7b6-${suffix}`, { 'pod-template-hash': '5d8f9c7b6' }, ownedBy('ReplicaSet', 'web-5d8f9c7b6'), injected);
    await pod('bare', {}, []);
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'rollouts.argoproj.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
      spec: { group: 'argoproj.io', scope: 'Namespaced', names: { plural: 'rollouts', singular: 'rollout', kind: 'Rollout' }, versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }] },
    } as KubeObject);
    await eventually('the API of rollouts', 30, async () => ((await api.send('GET', '/apis/argoproj.io/v1alpha1/rollouts')).status === 200 ? true : undefined));
    await create('/apis/argoproj.io/v1alpha1/namespaces/check-shop/rollouts', { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'canary', namespace: 'check-shop' }, spec: { template: { metadata: {}, spec: windowsSpec({ hostPID: true }) } } } as KubeObject);
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    // other suites look at what the server of this cluster has
    for (const name of ['rollouts.argoproj.io', 'gmsacredentialspecs.windows.k8s.io']) await cluster().api.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
  });

  it('judges every workload once, through its top owner, custom resources too', async () => {
    const found = await report(['-n', 'check-shop']);
    assertMatchesSchema('CheckReport', found);
    assert.deepEqual(judged(found), ['Deployment/web', 'Pod/bare', 'ReplicaSet/alone', 'Rollout/canary']);
    assert.equal(found.metadata.serverVersion, 'v1.37.2');
    assert.ok(found.findings.some(({ rule, object, path }) => rule === 'host-namespaces-on-windows' && object.kind === 'Rollout' && path === 'spec.template.spec.hostPID'));
    assert.deepEqual(found.workloads.find(({ object }) => object.name === 'web')?.candidates, ['win-1']);
  });

  it('sees in the pods what a webhook put into them', async () => {
    const found = await report(['-n', 'check-shop']);
    assert.deepEqual(found.findings.filter(({ rule }) => rule === 'injected-linux-container').map(({ object, container }) => `${object.kind}/${object.name} ${container}`), ['Deployment/web istio-init']);
  });

  it('gives patches that kubectl patch takes, and after which the finding is gone', async () => {
    const finding = (await report(['deploy/web', '-n', 'check-shop'])).findings.find(({ rule }) => rule === 'dns-policy-host-net');
    assert.ok(finding?.patchCommand, 'a patch');
    const patch = /-p '(.*)'$/.exec(finding.patchCommand)?.[1] ?? '';
    const patched = await cluster().kubectl(['patch', 'deployment.apps/web', '-n', 'check-shop', '--type=json', '-p', patch, '--dry-run=server', '-o', 'json']);
    assert.equal(patched.code, 0, patched.stderr);
    const after = await report(['-f', '-'], { input: patched.stdout });
    assert.ok(!after.findings.some(({ rule }) => rule === 'dns-policy-host-net'));
  });

  const selections: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['TYPE', ['deployments'], ['Deployment/web']],
    ['a short TYPE', ['deploy'], ['Deployment/web']],
    ['TYPE/NAME', ['deploy/web'], ['Deployment/web']],
    ['TYPE NAME', ['deploy', 'web'], ['Deployment/web']],
    ['two TYPEs', ['deploy,rs'], ['Deployment/web', 'ReplicaSet/alone']],
    ['a custom TYPE', ['rollouts'], ['Rollout/canary']],
    ['a custom TYPE with its group', ['rollouts.argoproj.io'], ['Rollout/canary']],
    ['-l', ['-l', 'app=web'], ['Deployment/web']],
    ['an owned pod by its name', ['pod/web-5d8f9c7b6-abcde'], ['Pod/web-5d8f9c7b6-abcde']],
    ['no custom resources', ['--custom-resources=none'], ['Deployment/web', 'Pod/bare', 'ReplicaSet/alone']],
    ['pages of one object', ['--chunk-size=1'], ['Deployment/web', 'Pod/bare', 'ReplicaSet/alone', 'Rollout/canary']],
  ];
  for (const [title, args, want] of selections) {
    it(`judges what is asked for: ${title}`, async () => assert.deepEqual(judged(await report([...args, '-n', 'check-shop'])), want));
  }

  it('judges all namespaces with -A', async () => {
    const found = judged(await report(['-A']));
    for (const name of ['Deployment/web', 'Deployment/elsewhere', 'Rollout/canary']) assert.ok(found.includes(name), name);
  });

  it('gives the same findings from what --save wrote', async () => {
    const file = join(folder, 'saved.json');
    const live = await report(['-n', 'check-shop', '--save', file]);
    const offline = await report(['--inventory', file, '-n', 'check-shop']);
    assert.deepEqual(offline.findings.map(({ fingerprint }) => fingerprint).toSorted(), live.findings.map(({ fingerprint }) => fingerprint).toSorted());
    assert.deepEqual(judged(offline), judged(live));
  });

  it('counts only what is new with --baseline', async () => {
    const file = join(folder, 'baseline.json');
    const first = await report(['-n', 'check-shop', '--output-file', `json=${file}`]);
    assert.ok(first.findings.length > 0);
    const second = await report(['-n', 'check-shop', '--baseline', file]);
    assert.deepEqual(second.findings, []);
    assert.equal(second.suppressed.length, first.findings.length);
  });

  it('works with the rights of one namespace, and says what it could not see', async () => {
    const user = await cluster().user('check-developer');
    const { api } = cluster();
    await api.create('/apis/rbac.authorization.k8s.io/v1/namespaces/check-shop/roles', {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'reader', namespace: 'check-shop' },
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }],
    });
    await api.create('/apis/rbac.authorization.k8s.io/v1/namespaces/check-shop/rolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'reader', namespace: 'check-shop' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }, subjects: [{ kind: 'User', name: 'check-developer', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const { code, stdout, stderr } = await win(['-n', 'check-shop', '-o', 'json', '--fail-on', 'none'], { kubeconfig: user.kubeconfig });
    assert.equal(code, 0, stderr);
    const found = JSON.parse(stdout) as Report;
    assert.deepEqual(judged(found), ['Deployment/web']);
    assert.equal(found.workloads[0]?.candidates, null);
    assert.match(stderr, /not allowed to list .*\bnodes\b.*\bpods\b/);
    assert.ok(found.notEvaluated.some(({ reason }) => reason.includes('nodes')), JSON.stringify(found.notEvaluated));
  });

  it('says which right is missing where nothing may be read', async () => {
    const user = await cluster().user('check-nobody');
    const { code, stdout, stderr } = await win(['-A'], { kubeconfig: user.kubeconfig });
    assert.equal(code, 3, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /cannot list resource/);
  });

  it('judges manifests against the live cluster', async () => {
    const file = join(folder, 'old.yaml');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'old' }, spec: windowsSpec({ containers: [{ name: 'main', image: 'mcr.microsoft.com/windows/servercore:ltsc2019' }] }) }));
    assert.ok(!(await report(['-f', file])).findings.some(({ rule }) => rule === 'image-build-mismatch'));
    assert.ok((await report(['-f', file, '--live'])).findings.some(({ rule }) => rule === 'image-build-mismatch'));
  });

  it('asks whether the service account of a gMSA pod may use its credential spec', async () => {
    const { api } = cluster();
    const file = join(folder, 'gmsa.yaml');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'g', namespace: 'check-shop' }, spec: windowsSpec({ securityContext: { windowsOptions: { gmsaCredentialSpecName: 'webapp1' } } }) }));
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'gmsacredentialspecs.windows.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
      spec: { group: 'windows.k8s.io', scope: 'Cluster', names: { plural: 'gmsacredentialspecs', kind: 'GMSACredentialSpec' }, versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }] },
    });
    await eventually('the API of credential specs', 30, async () => ((await api.send('GET', '/apis/windows.k8s.io/v1/gmsacredentialspecs')).status === 200 ? true : undefined));
    const found = async (): Promise<readonly string[]> => {
      const { findings, notEvaluated } = await report(['-f', file, '--live', '--rule', 'gmsa-service-account-access']);
      return [...findings.map(({ rule }) => `found ${rule}`), ...notEvaluated.map(({ rule }) => `not evaluated ${rule}`)];
    };
    assert.deepEqual(await found(), ['found gmsa-service-account-access']);
    await api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'webapp1-user' }, rules: [{ apiGroups: ['windows.k8s.io'], resources: ['gmsacredentialspecs'], resourceNames: ['webapp1'], verbs: ['use'] }],
    });
    await api.create('/apis/rbac.authorization.k8s.io/v1/namespaces/check-shop/rolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'webapp1-user', namespace: 'check-shop' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'webapp1-user' }, subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'check-shop' }],
    });
    assert.deepEqual(await eventually('the binding to count', 20, async () => { const now = await found(); return now.length === 0 ? now : undefined; }), []);
  });

  it('names a resource type that the server does not have', async () => {
    const { code, stderr } = await win(['rolouts', '-n', 'check-shop']);
    assert.equal(code, 2);
    assert.match(stderr, /the server doesn't have a resource type "rolouts"/);
  });

  it('exits 1 for an error, 0 for less than --fail-on', async () => {
    assert.equal((await win(['-n', 'check-other', '--rule', 'memory-not-reserved'])).code, 0);
    const file = join(folder, 'refused.yaml');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: windowsSpec({ hostPID: true }) }));
    assert.equal((await win(['-f', file])).code, 1);
    assert.equal((await win(['-f', file, '--fail-on=none'])).code, 0);
  });
});
