import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import { arrayAt, nameOf, valueAt, type KubeObject } from '../../../../../src/domain/kubernetes/object.ts';
import { NAMESPACES, PODS } from '../../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import type { ListPage } from '../../../../../src/app/ports.ts';
import type { ClusterUser } from '../../../../cluster/start.ts';
import { useCluster } from '../../../../cluster/use-cluster.ts';
import { connectionTo } from '../../../../support/loopback-api.ts';
import { seededRandom, testSeed, type Random } from '../../../../support/random.ts';

const NAMESPACE = 'digests';
const DIGEST = { podDigest: () => true };

describe('digests of pods of a real API server', function () {
  this.timeout(60_000);
  // As in pager.cluster.test.ts: the server forgets quickly.
  const cluster = useCluster({ apiServerArgs: ['--etcd-compaction-interval=500ms', '--watch-cache=false'], shared: false });
  const seed = testSeed();

  async function withUser(user: ClusterUser, work: (client: KubeClient) => Promise<void>): Promise<void> {
    const { server, ca } = cluster();
    const client = new KubeClient(connectionTo({ url: server, ca }, { credentials: { get: async () => ({ clientCertificate: user.identity }), refresh: async () => false } }));
    try {
      await work(client);
    } finally {
      client.close();
    }
  }

  before('make pods', async () => {
    await cluster().createNamespace(NAMESPACE);
    const random = seededRandom(seed);
    await withUser(cluster().admin, async (client) => {
      const pods = [...Array.from({ length: 40 }, (_none, index) => randomPod(random, `pod-${String(index).padStart(2, '0')}`)), { metadata: { name: 'pod-bare' }, spec: { containers: [{ name: 'main', image: 'a' }] } }];
      for (const { status, ...pod } of pods as readonly KubeObject[]) {
        await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', ...pod }, { namespace: NAMESPACE });
        if (status !== undefined) await client.patch(PODS, nameOf(pod), { status }, { type: 'merge', namespace: NAMESPACE, subresource: 'status' });
      }
    });
  });

  for (const chunkSize of [7, 500, 0]) {
    it(`are what is wanted of the same pods in JSON, ${chunkSize} a page (seed ${seed})`, async () => {
      await withUser(cluster().admin, async (client) => {
        const [digests, whole] = [await collect(client.list(PODS, { ...DIGEST, chunkSize, namespace: NAMESPACE })), await collect(client.list(PODS, { chunkSize, namespace: NAMESPACE }))];
        assert.equal(digests.length, chunkSize === 7 ? 6 : 1);
        assert.deepEqual(digests.map(({ items }) => items), whole.map(({ items }) => items.map(wantedOf)));
        assert.ok(whole.every((page) => page.whole === undefined));
        assert.equal(digests.flatMap(({ items }) => items).length, 41);
        const last = digests.at(-1);
        assert.deepEqual(await last?.whole?.(), whole.at(-1)?.items);
        assert.match(last?.resourceVersion ?? '', /^\d+$/);
      });
    });
  }

  it('may be none, and are chosen by labels as whole objects are', async () => {
    await withUser(cluster().admin, async (client) => {
      assert.deepEqual((await collect(client.list(PODS, { ...DIGEST, namespace: 'nobody' }))).map(({ items }) => items), [[]]);
      const names = async (options: object): Promise<readonly string[]> => (await collect(client.list(PODS, { namespace: NAMESPACE, labelSelector: 'app=web', ...options }))).flatMap(({ items }) => items.map(nameOf));
      assert.deepEqual(await names(DIGEST), await names({}));
    });
  });

  it('give the same errors as JSON does', async () => {
    const nobody = await cluster().user('digests-nobody');
    await withUser(nobody, async (client) => {
      const [refusal, same] = [await errorOf(collect(client.list(PODS, DIGEST))), await errorOf(collect(client.list(PODS)))];
      assert.deepEqual([refusal.reason, refusal.status, refusal.message, refusal.suggestions, refusal.details], [same.reason, same.status, same.message, same.suggestions, same.details]);
      assert.equal(refusal.reason, 'Forbidden');
    });
    await withUser(cluster().admin, async (client) => {
      const page = { limit: 2, continueToken: 'nonsense' };
      const [refusal, same] = [await errorOf(client.listPage(PODS, DIGEST, page)), await errorOf(client.listPage(PODS, {}, page))];
      assert.deepEqual([refusal.reason, refusal.status, refusal.message], [same.reason, same.status, same.message]);
      assert.equal(refusal.status, 400);
    });
  });

  it('begin anew when the server has forgotten the page', async () => {
    await withUser(cluster().admin, async (client) => {
      const pages: ListPage[] = [];
      for await (const page of client.list(PODS, { ...DIGEST, chunkSize: 15, namespace: NAMESPACE })) {
        pages.push(page);
        if (pages.length > 1) continue;
        const { continueToken } = await client.listPage(PODS, { namespace: NAMESPACE }, { limit: 15, continueToken: '' });
        let refusal: ClusterError | null = null;
        for (let number = 0; refusal === null; number += 1) {
          await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: `change-${number}-` } });
          await delay(100);
          refusal = await client.listPage(PODS, { ...DIGEST, namespace: NAMESPACE }, { limit: 15, continueToken }).then(() => null, (error: unknown) => {
            assert.ok(error instanceof ClusterError, String(error));
            return error;
          });
        }
        assert.deepEqual([refusal.reason, refusal.status], ['Expired', 410]);
        assert.match(refusal.message, /^Error from server \(Expired\): The provided continue parameter is too old/);
      }
      // The second page was under way when the first was handed over.
      assert.deepEqual(pages.map(({ items, restarted }) => [items.length, restarted === true]), [[15, false], [15, false], [41, true]]);
      assert.equal((await pages.at(-1)?.whole?.())?.length, 41);
    });
  });
});

async function collect(list: AsyncIterable<ListPage>): Promise<readonly ListPage[]> {
  const pages: ListPage[] = [];
  for await (const page of list) pages.push(page);
  return pages;
}

async function errorOf(work: Promise<unknown>): Promise<ClusterError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ClusterError, String(error));
    return error;
  }
  return assert.fail('no error');
}

/** What digests are to hold of a whole pod. */
function wantedOf(pod: KubeObject): unknown {
  const containers = (list: string): unknown => some(arrayAt(pod, 'spec', list).map((one) => defined({ ...pick(one, 'name', 'image'), securityContext: hostProcess(one) })));
  const hostProcess = (one: unknown): unknown => {
    const context = valueAt(one, 'securityContext');
    return context === undefined ? undefined : defined({ windowsOptions: pickSome(valueAt(context, 'windowsOptions'), 'hostProcess') });
  };
  const state = (one: unknown, name: string): unknown => {
    const running = valueAt(one, name, 'running');
    return defined({ waiting: pickSome(valueAt(one, name, 'waiting'), 'reason', 'message'), running: running === undefined ? undefined : {}, terminated: pickSome(valueAt(one, name, 'terminated'), 'exitCode', 'reason', 'message') });
  };
  const statuses = (list: string): unknown => some(arrayAt(pod, 'status', list).map((one) => ({ ...pick(one, 'name', 'ready', 'image', 'imageID'), state: state(one, 'state'), lastState: state(one, 'lastState') })));
  return {
    apiVersion: 'v1', kind: 'Pod',
    metadata: defined({ ...pick(pod.metadata, 'name', 'generateName', 'namespace', 'labels'), ownerReferences: some(arrayAt(pod, 'metadata', 'ownerReferences').map((one) => pick(one, 'apiVersion', 'kind', 'name', 'controller'))) }),
    spec: defined({ ...pick(pod['spec'], 'nodeName'), securityContext: hostProcess(pod['spec']), containers: containers('containers'), initContainers: containers('initContainers') }),
    status: defined({
      ...pick(pod['status'], 'phase', 'reason', 'message'), conditions: some(arrayAt(pod, 'status', 'conditions').map((one) => pick(one, 'type', 'status', 'reason', 'message'))),
      containerStatuses: statuses('containerStatuses'), initContainerStatuses: statuses('initContainerStatuses'),
    }),
  };
}

function some(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}

function defined(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function pick(object: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  return defined(Object.fromEntries(names.map((name) => [name, valueAt(object, name)])));
}

function pickSome(object: unknown, ...names: readonly string[]): unknown {
  return object === undefined ? undefined : pick(object, ...names);
}

const TEXTS = ['', 'x', 'it broke', 'grüße 💡', 'C:\\var\\lib "quoted" \u2028 \u0007', 'z'.repeat(300)];

/** A pod with everything that digests hold and much that they do not, each with an even chance. */
function randomPod(random: Random, name: string): KubeObject {
  const maybe = (fields: () => object): object => (random.chance(50) ? fields() : {});
  const text = (): string => random.pick(TEXTS);
  const container = (of: string): object => ({
    name: of, image: random.pick(['nginx', 'mcr.microsoft.com/windows/servercore:ltsc2022']), ...maybe(() => ({ env: [{ name: 'A', value: text() }], command: ['cmd', text()] })),
    ...maybe(() => ({ securityContext: { runAsNonRoot: false, ...maybe(() => ({ windowsOptions: { runAsUserName: 'ContainerUser', ...maybe(() => ({ hostProcess: false })) } })) } })),
    ...maybe(() => ({ terminationMessagePath: '/log', ports: [{ containerPort: 80, hostPort: 0 }], resources: { limits: { cpu: '1', memory: '1Gi' } }, volumeMounts: [{ name: 'v', mountPath: '/data' }] })),
  });
  const state = (): object => random.pick([
    () => ({}), () => ({ waiting: { reason: random.pick(['CrashLoopBackOff', 'ErrImagePull', '']), message: text() } }), () => ({ running: { startedAt: random.pick(['2026-11-30T12:00:00Z', null]) } }),
    () => ({ terminated: { exitCode: random.pick([0, 1, 137, -1073741502, -1, 2 ** 31 - 1]), signal: 9, reason: text(), message: text(), startedAt: null, finishedAt: '2026-11-30T12:00:00Z', containerID: 'containerd://1' } }),
  ])();
  const status = (of: string): object => ({ name: of, ready: random.chance(50), restartCount: random.below(300), image: text(), imageID: random.pick(['', `mcr.microsoft.com/windows/servercore@sha256:${'a'.repeat(64)}`]), state: state(), lastState: state(), ...maybe(() => ({ started: random.chance(50), containerID: 'containerd://1' })) });
  const initNames = ['init-a', 'init-b'].slice(random.below(3));
  return {
    metadata: {
      name, ...maybe(() => ({ generateName: 'pod-' })), ...maybe(() => ({ annotations: { 'kubernetes.io/note': text(), 'example.com/u': TEXTS.join() } })),
      ...maybe(() => ({ labels: { app: random.pick(['web', 'db']), 'pod-template-hash': '5d8f9c', empty: '' } })), ...maybe(() => ({ finalizers: ['example.com/keep'] })),
      ...maybe(() => ({
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8f9c', uid: 'a-1', ...maybe(() => ({ controller: true, blockOwnerDeletion: true })) },
          { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'a-2', ...maybe(() => ({ controller: false })) },
        ].slice(random.below(2)),
      })),
    },
    spec: {
      containers: [container('main'), ...(random.chance(50) ? [container('side')] : [])], ...(initNames.length === 0 ? {} : { initContainers: initNames.map(container) }),
      volumes: [{ name: 'v', emptyDir: {} }], ...maybe(() => ({ nodeName: 'win1', nodeSelector: { 'kubernetes.io/os': 'windows' } })), ...maybe(() => ({ os: { name: 'windows' }, hostname: 'h' })),
      ...maybe(() => ({ tolerations: [{ operator: 'Exists' }], priority: 0, terminationGracePeriodSeconds: 0 })),
    },
    ...maybe(() => ({
      status: {
        phase: random.pick(['Pending', 'Running', 'Failed']), ...maybe(() => ({ reason: text(), message: text() })), hostIP: '10.0.0.1', podIPs: [{ ip: '10.1.0.1' }],
        conditions: [
          { type: 'Ready', status: random.pick(['True', 'False']), reason: text(), message: text(), lastTransitionTime: '2026-11-30T12:00:00Z' },
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: text(), lastProbeTime: null },
        ].slice(random.below(2)),
        containerStatuses: [status('main')], ...maybe(() => ({ initContainerStatuses: initNames.map(status) })), ...maybe(() => ({ ephemeralContainerStatuses: [] })),
      },
    })),
  };
}
