/** `kubectl win nodes` as users run it: the real kubectl finds the plugin on PATH and runs it against a real API server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { WindowsNode } from '../../src/domain/node/windows-node.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { describeCases, readCaseNodes, readNodeExpectations } from '../support/cases.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin');

interface NodeList {
  readonly metadata: { readonly serverVersion: string | null };
  readonly items: readonly WindowsNode[];
}

/** Numbers that depend on the version of the server, which the expectations do not know: NOD-001 (provider limits), NOD-004 (kubelet skew). */
const OF_THE_SERVER = new Set(['NOD-001', 'NOD-004']);

describe('kubectl win nodes through kubectl', function () {
  this.timeout(60_000);
  const cluster = useCluster();
  let folder: string;
  const win = (args: readonly string[], options: { kubeconfig?: string; input?: string } = {}) =>
    cluster().kubectl(['win', ...args], { ...options, env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder, KUBECTL_WIN_CONFIG: '' } });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-nodes-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  describeCases('with the nodes of the cases', (cases) => {
    for (const { file, nodes } of readNodeExpectations(cases)) {
      it(file, async () => {
        await cluster().deleteNodes();
        await cluster().loadNodes(readCaseNodes(cases, file));
        const saved = join(folder, `${file}.saved.json`);
        const live = await win(['nodes', '--all-os', '-o', 'json', '--save', saved]);
        assert.equal(live.code, 0, live.stderr);
        const list = JSON.parse(live.stdout) as NodeList;
        assertMatchesSchema('WindowsNodeList', list);
        assert.equal(list.metadata.serverVersion, 'v1.37.2');
        for (const want of nodes) {
          const got = list.items.find(({ name }) => name === want.name);
          assert.ok(got, `${want.name} is not listed`);
          const fields = want.os === 'linux' ? ['os'] as const : ['os', 'build', 'revision', 'release', 'ready'] as const;
          assert.deepEqual(fields.map((field) => got[field]), fields.map((field) => want[field]), `${want.name}: ${fields.join(', ')}`);
          const facts = new Set(got.issues.flatMap((issue) => issue.facts));
          const numbers = (words: readonly string[]): string[] => words.filter((word) => /^[A-Z]{3}-\d{3}/.test(word) && !word.split('|').some((number) => OF_THE_SERVER.has(number)));
          for (const must of numbers(want.must)) assert.ok(must.split('|').some((number) => facts.has(number)), `${want.name}: ${must} is not among ${[...facts].join(' ')}`);
          for (const mustNot of numbers(want.mustNot)) assert.ok(!facts.has(mustNot), `${want.name}: ${mustNot} was reported`);
        }

        const offline = await win(['nodes', '--all-os', '-o', 'json', '--inventory', saved]);
        assert.equal(offline.code, 0, offline.stderr);
        assert.deepEqual((JSON.parse(offline.stdout) as NodeList).items, list.items, 'offline from --save');
      });
    }
  });

  describe('as kubectl get does', () => {
    before(async () => {
      await cluster().deleteNodes();
      await cluster().loadNodes([rawNode('win-b', { pool: 'b', labels: { tier: 'web' } }), rawNode('win-a', { pool: 'a', labels: { tier: 'db' }, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }), rawNode('linux-a', { os: 'linux' })]);
    });
    const names = async (args: readonly string[]): Promise<string> => (await win(['nodes', '-o', 'name', ...args])).stdout.trim().split('\n').join(' ');
    it('lists in the server\'s order', async () => assert.equal(await names([]), 'node/win-a node/win-b'));
    it('-l', async () => assert.equal(await names(['-l', 'tier in (web,cache)']), 'node/win-b'));
    it('--field-selector', async () => assert.equal(await names(['--field-selector', 'metadata.name!=win-b']), 'node/win-a'));
    it('in pages', async () => assert.equal(await names(['--chunk-size', '1', '--all-os']), 'node/linux-a node/win-a node/win-b'));
    it('names', async () => assert.equal(await names(['win-b', 'node/win-a']), 'node/win-b node/win-a'));
    it('the server refuses a selector that it cannot read', async () => {
      const { code, stderr } = await win(['nodes', '--field-selector', 'spec.colour=red']);
      assert.equal(code, 3);
      assert.match(stderr, /field label not supported: spec\.colour/);
    });
    it('-o wide counts pods', async () => {
      const { stdout, code } = await win(['nodes', '-o', 'wide']);
      assert.equal(code, 0);
      assert.match(stdout.split('\n')[0] ?? '', /^NAME +STATUS +RELEASE +BUILD +PATCH +POOL +KUBELET +RUNTIME +AGE +ISSUES +OS-IMAGE +CAN-RUN +SUPPORT-ENDS +TAINTS +PODS +REQUESTED +RESERVED +IMAGES +INTERNAL-IP$/);
    });
    it('one page of the list and the version, nothing else', async () => {
      const mark = await cluster().auditMark();
      await win(['nodes']);
      const seen = (await cluster().auditEvents(mark)).filter(({ userAgent }) => userAgent?.startsWith('kubectl-win/') === true).map(({ verb, requestURI }) => `${verb} ${requestURI}`);
      assert.deepEqual([...new Set(seen)].sort(), ['get /version', 'list /api/v1/nodes?limit=500']);
    });
  });

  describe('-w', () => {
    it('prints changes until it is interrupted', async () => {
      await cluster().deleteNodes();
      await cluster().loadNodes([rawNode('win-a'), rawNode('linux-a', { os: 'linux' })]);
      const child = spawn(cluster().parts.kubectl, ['win', 'nodes', '-w'], { env: { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, KUBECONFIG: cluster().kubeconfig, HOME: folder } });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => { text += chunk.toString(); });
      const ended = new Promise<number | null>((resolve) => { child.on('close', resolve); });
      try {
        await eventually('the list', 20, async () => (text.includes('win-a') ? true : undefined));
        await cluster().loadNodes([rawNode('win-new')]);
        await eventually('the new node', 20, async () => (text.includes('win-new') ? true : undefined));
        await cluster().api.delete('/api/v1/nodes/linux-a');
        await cluster().api.delete('/api/v1/nodes/win-a');
        await eventually('the removed node', 20, async () => (text.split('win-a').length === 3 ? true : undefined));
      } finally {
        child.kill('SIGINT');
      }
      assert.equal(await ended, 130);
      assert.ok(!text.includes('linux-a'));
      assert.equal(text.split('\n').filter((line) => line.startsWith('NAME')).length, 1);
    });
  });

  describe('with few rights', () => {
    before(async () => {
      await cluster().deleteNodes();
      await cluster().loadNodes([rawNode('win-a'), rawNode('win-b')]);
    });

    it('403 names the verb, the resource and a ClusterRole to ask for (R180, R182)', async () => {
      const nobody = await cluster().user('nobody');
      const { code, stdout, stderr } = await win(['nodes'], { kubeconfig: nobody.kubeconfig });
      assert.equal(code, 3);
      assert.equal(stdout, '');
      assert.match(stderr, /^Error from server \(Forbidden\): nodes is forbidden: User "nobody" cannot list resource "nodes" in API group "" at the cluster scope/);
      assert.match(stderr, /kind: ClusterRole/);
      assert.match(stderr, /resources: \["?nodes"?\]/);
      assert.match(stderr, /verbs: \["get", "list", "watch"\]/);
      assert.doesNotMatch(stderr, /nodes\/proxy/);
    });

    it('a ClusterRole for single nodes is enough for names (R181)', async () => {
      const one = await cluster().user('one-node');
      await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'one-node' }, rules: [{ apiGroups: [''], resources: ['nodes'], resourceNames: ['win-b'], verbs: ['get'] }] });
      await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'one-node' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one-node' }, subjects: [{ kind: 'User', name: 'one-node' }] });
      const { code, stdout, stderr } = await win(['nodes', 'win-b', '-o', 'name'], { kubeconfig: one.kubeconfig });
      assert.equal(code, 0, stderr);
      assert.equal(stdout, 'node/win-b\n');
    });
  });

  describe('from dumps of the real kubectl', () => {
    for (const format of ['json', 'yaml']) {
      it(`kubectl get nodes -o ${format}, by file and by pipe`, async () => {
        await cluster().deleteNodes();
        await cluster().loadNodes([rawNode('win-a', { pool: 'a' }), rawNode('win-b', { kernelVersion: '10.0.26100.32995' }), rawNode('linux-a', { os: 'linux' })]);
        const dump = (await cluster().kubectl(['get', 'nodes', '-o', format])).stdout;
        const file = join(folder, `dump.${format}`);
        await writeFile(file, dump);
        const items = async (args: readonly string[], input?: string): Promise<readonly WindowsNode[]> => {
          const { stdout, stderr, code } = await win(['nodes', '-o', 'json', '--kubernetes-version', 'v1.37.2', ...args], input === undefined ? {} : { input });
          assert.equal(code, 0, stderr);
          // a dump does not say from which context it was made
          return (JSON.parse(stdout) as NodeList).items.map((item) => ({ ...item, context: null }));
        };
        const live = await items([]);
        assert.deepEqual(live.map(({ name }) => name), ['win-a', 'win-b']);
        assert.deepEqual(await items(['--inventory', file]), live);
        assert.deepEqual(await items(['--inventory', '-'], dump), live);
      });
    }
  });

  it('works through a symbolic link to the launcher, as krew makes one', async () => {
    const elsewhere = join(folder, 'bin');
    await rm(elsewhere, { recursive: true, force: true });
    await mkdir(elsewhere);
    await symlink(join(BIN, 'kubectl-win'), join(elsewhere, 'kubectl-win'));
    const { code, stdout } = await cluster().kubectl(['win', 'version', '--client'], { env: { PATH: `${elsewhere}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder } });
    assert.equal(code, 0);
    assert.match(stdout, /^Client Version: v\d/);
  });

  it('--save holds every object as the server gave it', async () => {
    await cluster().deleteNodes();
    const [given] = await cluster().loadNodes([rawNode('win-a')]);
    const file = join(folder, 'raw.json');
    await win(['nodes', '--save', file]);
    const saved = JSON.parse(await readFile(file, 'utf8')) as { kind: string; items: unknown[]; metadata: { serverVersion: string } };
    assert.equal(saved.kind, 'Inventory');
    assert.equal(saved.metadata.serverVersion, 'v1.37.2');
    assert.deepEqual(saved.items, [given]);
  });
});
