import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { arrayAt, nameOf, stringAt, valueAt } from '../../src/domain/kubernetes/object.ts';
import { casesOrSkip, nodeFiles, readCaseNodes } from '../support/cases.ts';
import { ApiError } from './api-client.ts';
import { isAlive, kubernetesVersion } from './build.ts';
import { startRegistry } from './registry.ts';
import { eventually, partsFor, runToEnd } from './start.ts';
import { partsOrSkip, useCluster } from './use-cluster.ts';

const windowsNode = (name: string): KubeObject => ({
  metadata: { name, labels: { 'kubernetes.io/os': 'windows', 'kubernetes.io/hostname': name, 'node.kubernetes.io/windows-build': '10.0.20348' } },
  status: { nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kernelVersion: '10.0.20348.2340', osImage: 'Windows Server 2022 Datacenter', kubeletVersion: 'v1.37.2', containerRuntimeVersion: 'containerd://2.1.4' } },
});

const windowsPod = (name: string, fields: Readonly<Record<string, unknown>> = {}, image = 'example.test/app:ltsc2022'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'app', image }], ...fields },
});

const phaseOf = (pod: KubeObject): string | undefined => stringAt(pod, 'status', 'phase');

describe('test cluster: API server alone', () => {
  const cluster = useCluster();

  it('is the version that go.mod names', async () => {
    // KUBEBUILDER_ASSETS may hold another one; then the server must be that one.
    const { stdout } = await runToEnd(cluster().parts['kube-apiserver'], ['--version'], { env: process.env });
    const built = process.env['KUBEBUILDER_ASSETS'] === undefined ? `Kubernetes ${await kubernetesVersion()}` : stdout.trim();
    assert.equal(stdout.trim(), built);
    assert.equal(`Kubernetes ${stringAt(await cluster().api.get('/version'), 'gitVersion')}`, built);
    assert.match(built, /^Kubernetes v1\.\d+\.\d+$/);
  });

  it('answers kubectl', async () => {
    const { code, stdout } = await cluster().kubectl(['get', 'namespaces', '-o', 'name']);
    assert.equal(code, 0);
    assert.deepEqual(stdout.trim().split('\n'), ['namespace/default', 'namespace/kube-node-lease', 'namespace/kube-public', 'namespace/kube-system']);
  });

  it('denies what RBAC does not grant, and grants what it does', async () => {
    const user = await cluster().user('jane', { groups: ['readers'] });
    const client = cluster().clientFor(user);
    const denied = await client.send('GET', '/api/v1/nodes');
    assert.equal(denied.status, 403);
    assert.equal(stringAt(JSON.parse(denied.text), 'message'), 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope');

    await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'node-reader' }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }] });
    await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'node-reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'node-reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
    });
    // The authorizer learns of a binding through a watch.
    assert.equal(await eventually('the right to list nodes', 10, async () => ((await client.send('GET', '/api/v1/nodes')).status === 200 ? 200 : undefined)), 200);
    assert.equal((await cluster().kubectl(['auth', 'can-i', 'delete', 'nodes'], { kubeconfig: user.kubeconfig })).stdout, 'no\n');
  });

  it('knows service accounts by their tokens, and refuses an expired one', async () => {
    await cluster().createNamespace('tokens');
    const client = cluster().clientFor({ token: await cluster().serviceAccountToken('tokens', 'default') });
    const review = await client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    assert.equal(stringAt(review, 'status', 'userInfo', 'username'), 'system:serviceaccount:tokens:default');

    const soon = new Date(Date.now() + 60_000);
    const signed = cluster().clientFor({ token: await cluster().signServiceAccountToken('tokens', 'default', soon) });
    assert.equal((await signed.send('GET', '/version')).status, 200);
    const expired = await cluster().signServiceAccountToken('tokens', 'default', new Date(Date.now() - 60_000));
    assert.equal((await cluster().clientFor({ token: expired }).send('GET', '/version')).status, 401);
    const kubeconfig = await cluster().kubeconfigFor({ token: expired });
    const { code, stderr } = await cluster().kubectl(['get', 'nodes'], { kubeconfig });
    assert.equal(code, 1);
    assert.match(stderr, /You must be logged in to the server/);
  });

  it('refuses an expired client certificate', async () => {
    const { kubeconfig } = await cluster().user('late', { groups: ['system:masters'], notAfter: new Date(Date.now() - 60_000) });
    const { code, stderr } = await cluster().kubectl(['get', 'nodes'], { kubeconfig });
    assert.equal(code, 1);
    assert.match(stderr, /Unauthorized|must be logged in/);
  });

  it('enforces Pod Security', async () => {
    await cluster().createNamespace('restricted', { 'pod-security.kubernetes.io/enforce': 'baseline' });
    const hostProcess = windowsPod('host-process', { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } } });
    await assert.rejects(cluster().api.create('/api/v1/namespaces/restricted/pods?dryRun=All', hostProcess), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.status, 403);
      assert.match(error.message, /violates PodSecurity "baseline:latest": .*hostProcess/);
      return true;
    });
    await cluster().createNamespace('privileged', { 'pod-security.kubernetes.io/enforce': 'privileged' });
    assert.equal(nameOf(await cluster().api.create('/api/v1/namespaces/privileged/pods?dryRun=All', hostProcess)), 'host-process');
  });

  it('loads every node of the cases with its status and taints', async function () {
    this.timeout(60_000);
    const folder = casesOrSkip(this);
    const seen = new Set<string>();
    for (const file of nodeFiles(folder)) {
      await cluster().deleteNodes();
      const nodes = readCaseNodes(folder, file);
      assert.notEqual(nodes.length, 0, file);
      const loaded = await cluster().loadNodes(nodes);
      for (const [index, node] of nodes.entries()) {
        const got = loaded[index];
        const where = `${file} ${nameOf(node)}`;
        assert.equal(nameOf(got), nameOf(node), where);
        assert.deepEqual(valueAt(got, 'metadata', 'labels') ?? {}, valueAt(node, 'metadata', 'labels') ?? {}, where);
        for (const field of Object.keys(valueAt(node, 'status', 'nodeInfo') ?? {})) assert.equal(valueAt(got, 'status', 'nodeInfo', field), valueAt(node, 'status', 'nodeInfo', field), `${where} ${field}`);
        for (const list of ['conditions', 'addresses', 'images']) assert.equal(arrayAt(got, 'status', list).length, arrayAt(node, 'status', list).length, `${where} ${list}`);
        assert.equal(arrayAt(got, 'spec', 'taints').length, arrayAt(node, 'spec', 'taints').length, `${where} taints`);
        seen.add(where);
      }
      assert.equal(arrayAt(await cluster().api.get('/api/v1/nodes'), 'items').length, nodes.length, file);
    }
    assert.ok(seen.size >= 25, `${seen.size} nodes`);
    await cluster().deleteNodes();
  });

  it('tells in the audit log who asked for what', async () => {
    const user = await cluster().user('auditee', { groups: ['system:masters'] });
    const mark = await cluster().auditMark();
    await cluster().clientFor(user).send('GET', '/api/v1/nodes?limit=1');
    const events = (await cluster().auditEvents(mark)).filter((event) => event.user.username === 'auditee');
    assert.deepEqual(events.map(({ verb, requestURI, responseStatus, stage }) => ({ verb, requestURI, code: responseStatus?.code, stage })), [{ verb: 'list', requestURI: '/api/v1/nodes?limit=1', code: 200, stage: 'ResponseComplete' }]);
  });

  it('never dials an address out of a node', async () => {
    await cluster().api.create('/api/v1/nodes', { ...windowsNode('unreached'), status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }, { type: 'InternalDNS', address: 'node.example.test' }, { type: 'Hostname', address: 'unreached' }] } });
    const answer = await cluster().api.send('GET', '/api/v1/nodes/unreached/proxy/healthz');
    assert.match(answer.text, /no preferred addresses found/);
    await cluster().api.delete('/api/v1/nodes/unreached');
  });
});

describe('test cluster: everything', () => {
  const cluster = useCluster({ with: 'all' });

  before('a Windows node', async () => {
    await cluster().loadNodes([windowsNode('win-1')], { kubelet: true, room: true });
    await cluster().createNamespace('apps');
  });

  it('makes a node Ready and keeps what it says of Windows', async () => {
    const node = await eventually('win-1 Ready and free of the not-ready taint', 20, async () => {
      const now = await cluster().api.get('/api/v1/nodes/win-1');
      const ready = arrayAt(now, 'status', 'conditions').some((condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True');
      return ready && arrayAt(now, 'spec', 'taints').length === 0 ? now : undefined;
    });
    assert.equal(stringAt(node, 'status', 'nodeInfo', 'kernelVersion'), '10.0.20348.2340');
    assert.equal(stringAt(node, 'status', 'nodeInfo', 'operatingSystem'), 'windows');
  });

  it('schedules a pod and runs it', async function () {
    this.timeout(30_000);
    await cluster().api.create('/api/v1/namespaces/apps/pods', windowsPod('web'));
    const pod = await eventually('pod web Running', 25, async () => {
      const now = await cluster().api.get('/api/v1/namespaces/apps/pods/web');
      return phaseOf(now) === 'Running' ? now : undefined;
    });
    assert.equal(stringAt(pod, 'spec', 'nodeName'), 'win-1');
  });

  it('plays a pull that fails', async function () {
    this.timeout(30_000);
    await cluster().api.create('/api/v1/namespaces/apps/pods', windowsPod('unpullable', {}, 'example.test/missing:1'));
    const reason = await eventually('ErrImagePull', 25, async () => stringAt(arrayAt(await cluster().api.get('/api/v1/namespaces/apps/pods/unpullable'), 'status', 'containerStatuses')[0], 'state', 'waiting', 'reason'));
    assert.equal(reason, 'ErrImagePull');
  });

  const exec = (...command: readonly string[]): ReturnType<ReturnType<typeof cluster>['kubectl']> => cluster().kubectl(['exec', '-n', 'apps', 'web', '--', ...command]);

  it('passes exec to the stand-in: words, both streams, exit codes', async () => {
    assert.deepEqual(await exec('echo', 'hello', 'from', 'Windows'), { code: 0, stdout: 'hello from Windows\n', stderr: '' });
    assert.equal((await exec('argv', 'a b', '', '"q"', '\\')).stdout, '[a b][]["q"][\\]\n');
    const failed = await exec('err');
    assert.deepEqual({ code: failed.code, stdout: failed.stdout }, { code: 7, stdout: 'out\n' });
    assert.match(failed.stderr, /^err\n/);
    assert.equal((await exec('cmd', '/c', 'exit', '255')).code, 255);
  });

  it('has 32-bit exit codes, which reach clients as a sentence', async () => {
    // STATUS_ACCESS_VIOLATION; the API server's stream translator passes 0 to 255 only.
    const { code, stderr } = await exec('code', '3221225477');
    assert.equal(code, 1);
    assert.match(stderr, /invalid exit code value "3221225477"/);
  });

  it('closes stdin at its end', async () => {
    const { stdout, code } = await cluster().kubectl(['exec', '-i', '-n', 'apps', 'web', '--', 'hash'], { input: 'x'.repeat(1_000_000) });
    assert.equal(code, 0);
    assert.match(stdout, /^1000000 [0-9a-f]{64}\n$/);
  });

  it('serves logs and attach', async () => {
    assert.match((await cluster().kubectl(['logs', '-n', 'apps', 'web'])).stdout, /^log of apps\/web\/app \(/);
    const attached = await cluster().kubectl(['attach', '-i', '-n', 'apps', 'web'], { input: 'typed\n' });
    assert.match(attached.stdout, /typed/);
  });

  it('cleans up a Job by itself: deadline, then time to live', async function () {
    this.timeout(60_000);
    const started = Date.now();
    await cluster().api.create('/apis/batch/v1/namespaces/apps/jobs', {
      metadata: { name: 'brief' },
      spec: { activeDeadlineSeconds: 2, ttlSecondsAfterFinished: 1, backoffLimit: 0, template: { spec: { ...windowsPod('any')['spec'] as object, restartPolicy: 'Never' } } },
    });
    await eventually('a pod of the Job', 20, async () => arrayAt(await cluster().api.get('/api/v1/namespaces/apps/pods?labelSelector=job-name%3Dbrief'), 'items')[0]);
    await eventually('the Job gone', 40, async () => ((await cluster().api.send('GET', '/apis/batch/v1/namespaces/apps/jobs/brief')).status === 404 ? true : undefined));
    assert.ok(Date.now() - started >= 3000);
    await eventually('its pod gone', 20, async () => (arrayAt(await cluster().api.get('/api/v1/namespaces/apps/pods?labelSelector=job-name%3Dbrief'), 'items').length === 0 ? true : undefined));
  });
});

describe('test cluster: nodes behind an egress proxy', () => {
  const cluster = useCluster({ with: ['kubelet'], nodeProxy: true, shared: false });
  const asked = (node: string, path: string): Promise<{ readonly status: number; readonly text: string }> => cluster().api.send('GET', `/api/v1/nodes/${node}/proxy${path}`);

  before('three Windows nodes', async () => {
    await cluster().loadNodes(['proxied-1', 'proxied-2', 'proxied-3'].map(windowsNode), { kubelet: true });
  });

  it('says of each node what was set for it, and 404 where nothing was', async () => {
    await cluster().setKubelet('proxied-1', { summary: { node: { fs: { availableBytes: 1 } } } });
    await cluster().setKubelet('proxied-2', { summary: { node: { fs: { availableBytes: 2 } } }, logs: { 'docker': 'one\nTwo\nthree\n', '/kubelet.log': 'of a file\n' } });
    assert.deepEqual(await Promise.all(['proxied-1', 'proxied-2'].map(async (name) => (await asked(name, '/stats/summary')).text)), ['{"node":{"fs":{"availableBytes":1}}}', '{"node":{"fs":{"availableBytes":2}}}']);
    assert.equal((await asked('proxied-3', '/stats/summary')).status, 404);
    assert.equal((await asked('proxied-1', '/logs/?query=docker')).status, 404);
    await cluster().setKubelet('proxied-1', { logs: 'off' });
    assert.equal((await asked('proxied-1', '/stats/summary')).status, 404);
  });

  it('answers NodeLogQuery as kubelet_server_journal.go does, and keeps what was asked', async () => {
    await cluster().setKubelet('proxied-2', { logs: { 'docker': 'one\nTwo\nthree\n', '/kubelet.log': 'of a file\n' } });
    const texts: readonly (readonly [query: string, answer: string | RegExp, status?: number])[] = [
      ['?query=docker', 'one\nTwo\nthree\n'],
      ['?query=docker&tailLines=2', 'Two\nthree\n'],
      // the pattern is looked for among the last lines, whatever the case
      ['?query=docker&tailLines=2&pattern=t%5Bw%5D', 'Two\n'],
      ['?query=docker&tailLines=1&pattern=one', ''],
      ['?query=docker&query=nothere', 'one\nTwo\nthree\n\nlog not found for nothere\n'],
      ['?query=nothere&tailLines=1', '\noptions present and query resolved to log files for [nothere]\ntry without specifying options\n'],
      ['?query=%2Fkubelet.log', 'of a file\n'],
      ['?query=%20', /may not be empty/, 400],
      ['?query=docker&tailLines=x', /tailLines: Invalid value/, 400],
      ['?query=%2Fkubelet.log&tailLines=1', /cannot specify file with options/, 406],
      ['?query=docker&query=%2Fkubelet.log', /cannot specify a file and service/, 406],
      ['?query=docker&boot=-1', /not supported on Windows/, 406],
      ['?query=a%3Bb', /unsupported characters/, 406],
    ];
    const before = (await cluster().kubeletRequests()).length;
    for (const [query, answer, status = 200] of texts) {
      const { text, status: actual } = await asked('proxied-2', `/logs/${query}`);
      if (typeof answer === 'string') assert.equal(text, answer, query);
      else assert.match(text, answer, query);
      assert.equal(actual, status, query);
    }
    const requests = (await cluster().kubeletRequests()).slice(before);
    assert.deepEqual(requests.map(({ node, path }) => `${node} ${path}`), texts.map(() => 'proxied-2 /logs/'));
    assert.deepEqual(requests[2]?.query, { query: ['docker'], tailLines: ['2'], pattern: ['t[w]'] });
    await cluster().setKubelet('proxied-2', { logs: 'off' });
    assert.match((await asked('proxied-2', '/logs/?query=docker')).text, /^<!doctype html>[\s\S]*href="pods\/"/);
  });

  it('passes exec through it, and nothing to 127.0.0.1', async () => {
    await cluster().createNamespace('proxied');
    await cluster().api.create('/api/v1/namespaces/proxied/pods', windowsPod('web', { nodeName: 'proxied-3' }));
    assert.deepEqual(await cluster().kubectl(['exec', '-n', 'proxied', 'web', '--', 'echo', 'hello']), { code: 0, stdout: 'hello\n', stderr: '' });
    await cluster().api.create('/api/v1/nodes', { ...windowsNode('proxied-loopback'), status: { addresses: [{ type: 'KubectlWinTestKubelet', address: '127.0.0.1' }] } });
    assert.match((await asked('proxied-loopback', '/stats/summary')).text, /address not allowed/);
    await cluster().deleteNodes();
  });
});

describe('test cluster: the end', () => {
  it('leaves no process and no folder when the test is killed', async function () {
    this.timeout(120_000);
    await partsOrSkip(this, partsFor({ with: 'all' }));
    const script = `
      import { startCluster } from ${JSON.stringify(join(import.meta.dirname, 'start.ts'))};
      const { folder } = await startCluster({ with: 'all' });
      console.log(folder);
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let folder = '';
    for await (const line of createInterface({ input: other.stdout })) {
      folder = line;
      break;
    }
    const { pid, pids } = JSON.parse(readFileSync(join(folder, 'supervisor.json'), 'utf8')) as { readonly pid: number; readonly pids: readonly number[] };
    assert.equal(pids.length, 6);
    assert.equal([pid, ...pids].every(isAlive), true);
    other.kill('SIGKILL');
    await eventually('all processes gone', 10, async () => ([pid, ...pids].some(isAlive) ? undefined : true));
    assert.equal(existsSync(folder), false);
  });
});

describe('test registry', () => {
  it('takes and gives a blob', async function () {
    this.timeout(60_000);
    await partsOrSkip(this, ['registry']);
    const registry = await startRegistry();
    try {
      const manifest = JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [] });
      const type = 'application/vnd.oci.image.index.v1+json';
      const put = await fetch(`${registry.url}/v2/app/manifests/1`, { method: 'PUT', headers: { 'content-type': type }, body: manifest });
      assert.equal(put.status, 201);
      const got = await fetch(`${registry.url}/v2/app/manifests/1`);
      assert.equal(got.headers.get('content-type'), type);
      assert.equal(await got.text(), manifest);
    } finally {
      await registry.stop();
    }
    await assert.rejects(fetch(`${registry.url}/v2/`));
  });
});
