import assert from 'node:assert/strict';
import { openCluster, type OpenCluster } from '../../../../src/adapters/kube/cluster.ts';
import type { Connection, CredentialSource, RequestCredentials } from '../../../../src/adapters/kube/connection.ts';
import { microTime } from '../../../../src/adapters/kube/api/micro-time.ts';
import { nameOf, stringAt, valueAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { NAMESPACES, NODES, type Resource } from '../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../src/errors.ts';
import type { ClusterUser } from '../../../cluster/start.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';
import { connectionTo } from '../../../support/loopback-api.ts';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true } as const satisfies Resource;
const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true } as const satisfies Resource;
const SELF_REVIEWS = { group: 'authentication.k8s.io', version: 'v1', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false } as const satisfies Resource;

describe('the client against a real API server', () => {
  const cluster = useCluster();
  const opened: OpenCluster[] = [];

  function open(credentials: RequestCredentials, overrides: Partial<Connection> = {}): OpenCluster {
    const source: CredentialSource = { get: async () => credentials, refresh: async () => false };
    const reader = openCluster(connectionTo({ url: cluster().server, ca: cluster().ca }, { credentials: source, ...overrides }), { userAgentVersion: '0.0.0-test' });
    opened.push(reader);
    return reader;
  }
  const as = (user: ClusterUser, overrides: Partial<Connection> = {}): OpenCluster => open({ clientCertificate: user.identity }, overrides);

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  /** The first line of what kubectl says about its failure. */
  async function kubectlSays(args: readonly string[], kubeconfig?: string): Promise<string> {
    const { code, stderr } = await cluster().kubectl(args, kubeconfig === undefined ? {} : { kubeconfig });
    assert.equal(code, 1, stderr);
    return stderr.trim();
  }

  async function messageOf(work: Promise<unknown>): Promise<string> {
    try {
      await work;
    } catch (error) {
      assert.ok(error instanceof ClusterError, String(error));
      return error.message;
    }
    throw new assert.AssertionError({ message: 'no failure' });
  }

  const windowsNode = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'client-test': 'yes' } }, status: { nodeInfo: { operatingSystem: 'windows' } } });

  async function withNodes(names: readonly string[], work: (client: OpenCluster) => Promise<void>): Promise<void> {
    const admin = as(cluster().admin);
    for (const name of names) await admin.client.create(NODES, windowsNode(name));
    try {
      await work(admin);
    } finally {
      for (const name of names) await admin.client.delete(NODES, name).catch(() => undefined);
    }
  }

  it('pages a list, keeps its order and names each item', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `client-page-${index}`);
    await withNodes(names, async (reader) => {
      const sizes: number[] = [];
      const seen: KubeObject[] = [];
      for await (const page of reader.list(NODES, { chunkSize: 3, labelSelector: 'client-test=yes' })) {
        sizes.push(page.items.length);
        seen.push(...page.items);
        assert.match(page.resourceVersion, /^\d+$/);
      }
      assert.deepEqual(sizes, [3, 3, 1]);
      assert.deepEqual(seen.map(nameOf), names);
      assert.ok(seen.every(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node'));
    });
  });

  it('watches changes after a list', async () => {
    await withNodes(['client-watch-a'], async (reader) => {
      const { client } = reader;
      let resourceVersion = '';
      for await (const page of reader.list(NODES, { labelSelector: 'client-test=yes' })) resourceVersion = page.resourceVersion;
      const seen: string[] = [];
      const changes = reader.watch(NODES, { resourceVersion, labelSelector: 'client-test=yes' });
      const reading = (async () => {
        for await (const change of changes) {
          assert.ok(change.type !== 'RELISTED');
          seen.push(`${change.type} ${nameOf(change.object)}`);
          if (seen.length === 3) break;
        }
      })();
      await client.create(NODES, windowsNode('client-watch-b'));
      await client.patch(NODES, 'client-watch-a', { metadata: { annotations: { a: 'b' } } }, { type: 'merge' });
      await client.delete(NODES, 'client-watch-b');
      await reading;
      assert.deepEqual(seen, ['ADDED client-watch-b', 'MODIFIED client-watch-a', 'DELETED client-watch-b']);
    });
  });

  it('says the same as kubectl about a missing object, a missing right and an invalid object', async () => {
    const admin = as(cluster().admin);
    assert.equal(await messageOf(admin.get(NODES, 'no-such-node')), await kubectlSays(['get', 'node', 'no-such-node']));
    const jane = await cluster().user('jane', { groups: ['operators'] });
    const forbidden = await kubectlSays(['get', 'nodes'], jane.kubeconfig);
    assert.equal(await messageOf(as(jane).list(NODES)[Symbol.asyncIterator]().next()), forbidden);
    await withNodes(['client-invalid'], async ({ client }) => {
      const patch = [{ op: 'add', path: '/metadata/labels/bad', value: 'not a label!' }, { op: 'add', path: '/spec/podCIDR', value: 'x' }];
      assert.equal(
        await messageOf(client.patch(NODES, 'client-invalid', patch, { type: 'json' })),
        (await kubectlSays(['patch', 'node', 'client-invalid', '--type=json', '-p', JSON.stringify(patch)])),
      );
    });
  });

  it('says the same as kubectl about credentials that do not count', async () => {
    const expired = await cluster().user('late', { notAfter: new Date(Date.now() - 60_000) });
    assert.equal(await messageOf(as(expired).get(NODES, 'x')), await kubectlSays(['get', 'node', 'x'], expired.kubeconfig));
    const kubeconfig = await cluster().kubeconfigFor({ token: 'rubbish' });
    assert.equal(await messageOf(open({ authorization: 'Bearer rubbish' }).get(NODES, 'x')), await kubectlSays(['get', 'node', 'x'], kubeconfig));
  });

  it('R180 R182: the ClusterRole that a 403 proposes is accepted and, once bound, is enough', async () => {
    const user = await cluster().user('role-taker');
    const reader = as(user);
    const first = (): Promise<unknown> => reader.list(NODES)[Symbol.asyncIterator]().next();
    const error = await first().then(() => null, (failed: unknown) => failed);
    assert.ok(error instanceof ClusterError);
    assert.equal(error.reason, 'Forbidden');
    const role = error.suggestions.find((line) => line.includes('kind: ClusterRole')) ?? '';
    const bind = (error.suggestions.at(-1) ?? '').replace(/^.*: kubectl /, '').split(' ');
    try {
      assert.equal((await cluster().kubectl(['apply', '-f', '-'], { input: role.slice(role.indexOf('\n') + 1) })).code, 0);
      assert.equal((await cluster().kubectl(bind)).code, 0);
      await first();
    } finally {
      await cluster().kubectl(['delete', 'clusterrole,clusterrolebinding', 'kubectl-win-nodes', '--ignore-not-found']);
    }
  });

  it('#14: impersonates user, groups and extra fields as given', async () => {
    const admin = as(cluster().admin, { impersonate: { user: 'jané', groups: ['g1', 'g,2'], extra: { 'example.com/Team': ['a', 'b'] } } });
    const review = await admin.client.create(SELF_REVIEWS, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    const info = valueAt(review, 'status', 'userInfo');
    assert.equal(stringAt(info, 'username'), 'jané');
    assert.deepEqual(valueAt(info, 'groups'), ['g1', 'g,2', 'system:authenticated']);
    assert.deepEqual(valueAt(info, 'extra'), { 'example.com/team': ['a', 'b'] });
  });

  it('reviews rights', async () => {
    const user = await cluster().user('reviewed');
    const questions = [{ verb: 'list', group: '', resource: 'nodes' }, { verb: 'create', group: '', resource: 'pods', subresource: 'exec', namespace: 'default' }];
    assert.deepEqual((await as(user).client.review(questions)).map(({ allowed }) => allowed), [false, false]);
    assert.deepEqual((await as(cluster().admin).client.review(questions)).map(({ allowed }) => allowed), [true, true]);
  });

  it('#3: dry run stores nothing, apply is server-side, and MicroTime has its six digits (#20)', async () => {
    const { client } = as(cluster().admin);
    const namespace = 'client-writes';
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Upper.is-not-allowed'.toLowerCase() }, data: { a: '1' } };
    await client.create(CONFIG_MAPS, map, { namespace, dryRun: true });
    await assert.rejects(client.get(CONFIG_MAPS, map.metadata.name, { namespace }), (error) => error instanceof ClusterError && error.reason === 'NotFound');
    const applied = await client.patch(CONFIG_MAPS, map.metadata.name, map, { type: 'apply', namespace });
    assert.deepEqual(valueAt(applied, 'data'), { a: '1' });
    assert.equal(stringAt((valueAt(applied, 'metadata', 'managedFields') as readonly unknown[])[0], 'manager'), 'kubectl-win');
    const renewed = new Date('2026-11-30T10:11:12.345Z');
    const lease = await client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: { renewTime: microTime(renewed) } }, { namespace });
    assert.equal(stringAt(lease, 'spec', 'renewTime'), '2026-11-30T10:11:12.345000Z');
  });

  it('names itself in the audit log and keeps one connection', async () => {
    const mark = await cluster().auditMark();
    const admin = as(cluster().admin);
    assert.match((await admin.serverVersion())?.gitVersion ?? '', /^v1\.\d+\.\d+/);
    await admin.get(NAMESPACES, 'default');
    const events = await cluster().auditEvents(mark);
    assert.ok(events.some(({ userAgent, objectRef }) => objectRef?.name === 'default' && userAgent?.startsWith('kubectl-win/0.0.0-test (') === true));
  });
});
