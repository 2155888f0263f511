/**
 * What people ran into, as `kubectl win nodes` shows it: a node of the shape that a public report describes, and the words
 * that answer it. The reports are those of ../reports.test.ts.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WindowsNode } from '../../src/domain/node/windows-node.ts';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { type NodeParts, fakeCluster, rawNode } from '../support/fake-cluster.ts';
import { failure, sendJson, startLoopbackApi } from '../support/loopback-api.ts';
import { runCommand } from '../support/run-command.ts';

/** A node with a field or two in another way: `at(node, 'status.nodeInfo', { osImage: … })`. */
function at(node: KubeObject, path: string, fields: Readonly<Record<string, unknown>>): KubeObject {
  const [first = '', ...rest] = path.split('.');
  const inner = (node[first] ?? {}) as KubeObject;
  return { ...node, [first]: rest.length === 0 ? { ...inner, ...fields } : at(inner, rest.join('.'), fields) };
}

async function nodesOf(items: readonly KubeObject[], ...argv: string[]): Promise<readonly WindowsNode[]> {
  const { stdout, stderr, exitCode } = await runCommand(['nodes', '--inventory', '-', '-o', 'json', ...argv], { stdin: JSON.stringify({ kind: 'List', apiVersion: 'v1', items }) });
  assert.equal(exitCode, 0, stderr);
  return (JSON.parse(stdout) as { items: WindowsNode[] }).items;
}

async function nodeOf(node: KubeObject, ...argv: string[]): Promise<WindowsNode> {
  const [found] = await nodesOf([node], ...argv);
  assert.ok(found !== undefined, 'the node is not listed');
  return found;
}

const ids = (node: WindowsNode): readonly string[] => node.issues.map(({ id }) => id);
const messageOf = (node: WindowsNode, id: string): string => node.issues.find((issue) => issue.id === id)?.message ?? assert.fail(`${id} is not among ${ids(node).join(', ')}`);

const pause = (name: string): Pick<NodeParts, 'images'> => ({ images: [{ names: [name], sizeBytes: 250_000_000 }] });

describe('reports', () => {
  describe('a sandbox image that does not fit the build', () => {
    const table: readonly (readonly [title: string, kernelVersion: string, image: string, isMismatch: boolean])[] = [
      ['R003: 1909 with pause:1.0.0', '10.0.18363.476', 'mcr.microsoft.com/k8s/core/pause:1.0.0', true],
      ['R004: an LTSC host with the pause image of another version', '10.0.20348.169', 'k8s.gcr.io/pause:3.5', true],
      ['R005: 1903 with the default of 1809', '10.0.18362.30', 'mcr.microsoft.com/k8s/core/pause:1.0.0', true],
      ['R007: a list of builds that lacks 1909', '10.0.18363.592', 'mcr.microsoft.com/k8s/core/pause:1.0.0', true],
      ['R009: 1909 with pause:1.3.0, which has it', '10.0.18363.592', 'mcr.microsoft.com/k8s/core/pause:1.3.0', false],
      ['R009: 1903 with pause:1.0.0', '10.0.18362.592', 'mcr.microsoft.com/k8s/core/pause:1.0.0', true],
      ['R044: 2025 with pause:3.10.2', '10.0.26100.4061', 'registry.k8s.io/pause:3.10.2', false],
    ];
    for (const [title, kernelVersion, image, isMismatch] of table) {
      it(title, async () => {
        const node = await nodeOf(rawNode('win', { kernelVersion, ...pause(image), runtime: 'docker://19.3.14' }));
        assert.equal(ids(node).includes('pause-image-mismatch'), isMismatch);
        if (isMismatch) assert.equal(messageOf(node, 'pause-image-mismatch'), `none of the cached sandbox images fits build ${kernelVersion.split('.')[2]}: ${image}`);
      });
    }
    it('R044: 2025 with pause:3.10, which ends with 2022, by the containerd that takes it and the one that does not', async () => {
      const withRuntime = (runtime: string): Promise<WindowsNode> => nodeOf(rawNode('win', { kernelVersion: '10.0.26100.4061', ...pause('registry.k8s.io/pause:3.10'), runtime }));
      assert.ok(ids(await withRuntime('containerd://1.7.5')).includes('pause-image-mismatch'));
      assert.ok(!ids(await withRuntime('containerd://1.7.20')).includes('pause-image-mismatch'));
    });
  });

  it('R028: Windows 11 as a node is marked as untested', async () => {
    const node = await nodeOf(at(rawNode('win', { kernelVersion: '10.0.26200.6584' }), 'status.nodeInfo', { osImage: 'Windows 11 Enterprise' }));
    assert.match(messageOf(node, 'client-windows'), /^Windows 11.* is a client: untested and unsupported as a Kubernetes node/);
  });

  it('R072: a taint os=Windows with a capital W isolates as well, and is shown as it is', async () => {
    const node = await nodeOf(rawNode('win', { taints: [{ key: 'os', value: 'Windows', effect: 'NoSchedule' }] }));
    assert.ok(!ids(node).includes('no-isolating-taint'));
    assert.deepEqual(node.taints.map(({ key, value, effect }) => [key, value, effect]), [['os', 'Windows', 'NoSchedule']]);
  });

  it('R078: a cluster of Windows nodes only is told that DNS has nowhere to run', async () => {
    const told = async (...nodes: KubeObject[]): Promise<boolean> => {
      const { stdout } = await runCommand(['nodes', '-o', 'json'], { reader: fakeCluster({ objects: { nodes } }) });
      return (JSON.parse(stdout) as { items: WindowsNode[] }).items.some((node) => ids(node).includes('no-linux-node'));
    };
    assert.equal(await told(rawNode('win')), true);
    assert.equal(await told(rawNode('win'), rawNode('linux', { os: 'linux' })), false);
    assert.equal(await told(rawNode('win'), at(rawNode('linux', { os: 'linux' }), 'spec', { unschedulable: true })), true);
    // a dump of Windows nodes says nothing about Linux nodes
    assert.ok(!ids(await nodeOf(rawNode('win'))).includes('no-linux-node'));
  });

  it('R080: an old node with beta labels only is listed as the Windows node that it is', async () => {
    const old = rawNode('old', { kernelVersion: '10.0.17134.112' });
    const node = await nodeOf({ ...old, metadata: { ...old.metadata, name: 'old', labels: { 'beta.kubernetes.io/os': 'windows', 'beta.kubernetes.io/arch': 'amd64' } } });
    assert.deepEqual([node.os, node.release], ['windows', '1803']);
  });

  it('R081: the taint of a cloud that never took the node over is named, with the DaemonSet to look at', async () => {
    const node = await nodeOf(rawNode('win', { taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }] }));
    assert.match(messageOf(node, 'cloud-uninitialized'), /uninitialized is still on the node/);
    assert.match(node.issues.find(({ id }) => id === 'cloud-uninitialized')?.remedy ?? '', /cloud node manager/);
  });

  it('R098: a node on Docker through cri-dockerd shows its runtime and is told so', async () => {
    const node = await nodeOf(rawNode('win', { runtime: 'docker://25.0.3', kubeletVersion: 'v1.30.2' }));
    assert.deepEqual([node.containerRuntime?.name, node.containerRuntime?.version], ['docker', '25.0.3']);
    assert.match(messageOf(node, 'runtime-docker'), /cri-dockerd/);
  });

  it('R153: sizes that add up to more than the disk are shown as reported, and nothing is concluded from them', async () => {
    const huge = { images: [{ names: ['example.com/a:1'], sizeBytes: 90_000_000_000 }, { names: ['example.com/b:1'], sizeBytes: 90_000_000_000 }] };
    const raw = at(rawNode('win', huge), 'status.capacity', { 'ephemeral-storage': '100Gi' });
    assert.ok(!ids(await nodeOf(raw)).includes('resource-pressure'));
    const { stdout } = await runCommand(['nodes', '--inventory', '-', '--show-images'], { stdin: JSON.stringify(raw) });
    assert.match(stdout, /example\.com\/a:1/);
  });

  it('R154: DiskPressure False is shown as the kubelet says it, and is no all-clear', async () => {
    const raw = rawNode('win', { runtime: 'docker://19.3.14', kubeletVersion: 'v1.19.9' });
    const node = await nodeOf(at(raw, 'status', { conditions: [{ type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure' }, { type: 'Ready', status: 'True' }] }));
    assert.deepEqual(node.conditions.find(({ type }) => type === 'DiskPressure')?.status, 'False');
    assert.ok(!ids(node).includes('resource-pressure'));
    const full = await nodeOf(at(raw, 'status', { conditions: [{ type: 'DiskPressure', status: 'True' }, { type: 'Ready', status: 'True' }] }));
    assert.match(messageOf(full, 'resource-pressure'), /DiskPressure/);
  });

  it('R165: a node with another revision than its pool is named, with both revisions', async () => {
    const [older, newer] = await nodesOf([rawNode('win-1', { pool: 'npwin', kernelVersion: '10.0.20348.2527' }), rawNode('win-2', { pool: 'npwin', kernelVersion: '10.0.20348.2582' })]);
    assert.ok(older !== undefined && newer !== undefined);
    assert.match(messageOf(older, 'pool-revisions-differ'), /20348\.2527 is older than 20348\.2582 of other nodes in pool npwin/);
    assert.ok(!ids(newer).includes('pool-revisions-differ'));
  });

  describe('kubelet skew', () => {
    const skew = async (kubeletVersion: string, server: string): Promise<readonly string[]> => ids(await nodeOf(rawNode('win', { kubeletVersion }), '--kubernetes-version', server)).filter((id) => id.startsWith('kubelet-'));
    it('R174: a pre-release with build metadata is read, an empty version is unknown and not skewed', async () => {
      assert.deepEqual(await skew('v1.21.0-rc.0+6143dea', '1.24'), ['kubelet-skew']);
      assert.deepEqual(await skew('v1.21.0-rc.0+6143dea', '1.23'), ['kubelet-at-skew-limit']);
      assert.deepEqual(await skew('', '1.37'), ['kubelet-skew-unknown']);
    });
    it('R175: three minors are allowed since 1.28, for kubelets from 1.25 on', async () => {
      assert.deepEqual(await skew('v1.33.4', '1.36'), ['kubelet-at-skew-limit']);
      assert.deepEqual(await skew('v1.32.4', '1.36'), ['kubelet-skew']);
      assert.deepEqual(await skew('v1.24.17', '1.27'), ['kubelet-skew']);
      assert.deepEqual(await skew('v1.36.3', '1.36'), []);
    });
  });

  it('R183 R184: a kubeconfig of auth-provider oidc is used as it is', async () => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'none' })}.${part({ iss: 'https://login.example', exp: Math.floor(Date.now() / 1000) + 3600 })}.x`;
    const api = await startLoopbackApi(({ url, headers }, response) => {
      if (headers.authorization !== `Bearer ${token}`) sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized'));
      else sendJson(response, 200, url.startsWith('/version') ? { gitVersion: 'v1.37.2' } : { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [rawNode('win-a')] });
    });
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-oidc-'));
    try {
      const file = join(folder, 'config');
      await writeFile(file, JSON.stringify({
        apiVersion: 'v1', kind: 'Config', 'current-context': 'dev', contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: api.url, 'certificate-authority-data': Buffer.from(api.ca ?? '').toString('base64') } }],
        users: [{ name: 'u', user: { 'auth-provider': { name: 'oidc', config: { 'client-id': 'kubernetes', 'idp-issuer-url': 'https://login.example', 'id-token': token } } } }],
      }));
      const { stdout, stderr, exitCode } = await runCommand(['nodes', '-o', 'name', '--kubeconfig', file]);
      assert.deepEqual([stdout, exitCode], ['node/win-a\n', 0], stderr);
    } finally {
      await api.close();
      await rm(folder, { recursive: true });
    }
  });

  describe('what a node says of itself', () => {
    it('R195: Windows 11 that calls itself Windows 10 is told by its build', async () => {
      const node = await nodeOf(at(rawNode('win', { kernelVersion: '10.0.22631.3880' }), 'status.nodeInfo', { osImage: 'Windows 10 Pro' }));
      assert.match(node.product ?? '', /^Windows 11/);
      assert.equal(node.osImage, 'Windows 10 Pro');
    });
    it('R196: kernel 6.2.09200.192 leads to no build, and why is said', async () => {
      const raw = rawNode('win', { kernelVersion: '6.2.09200.192' });
      const node = await nodeOf(raw);
      assert.deepEqual([node.build, node.release, node.kernelVersion], [null, null, '6.2.09200.192']);
      assert.match(messageOf(node, 'build-unknown'), /6\.2\.09200\.192 is an artefact of kubelets before 1\.9/);
    });
    it('R198: a kernelVersion of three parts gives the build and no revision', async () => {
      const node = await nodeOf(rawNode('win', { kernelVersion: '10.0.14393' }));
      assert.deepEqual([node.build, node.revision, node.release], [14393, null, 'ltsc2016']);
    });
  });
});
