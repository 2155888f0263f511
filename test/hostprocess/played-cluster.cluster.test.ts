/** The harness itself: what the suites of runs on nodes rest on. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { leftIn, nothingLeft, open } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { execJob } from '../support/hostprocess-objects.ts';
import { loadPlayedNodes, loadUnplayedNodes, objectsOfRuns, PLAYED_CLUSTER, recordsOf, renewLease, reportGone, reportRunning, requestsSince } from './played-cluster.ts';

describe('a played cluster for runs on nodes', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'played';
  const names = ['played-1', 'played-full', 'played-nopull', 'played-account', 'played-slow', 'played-dead', 'played-short'];

  before('nodes, and a Job on each', async () => {
    await loadPlayedNodes(cluster(), names);
    await loadUnplayedNodes(cluster(), ['played-unready'], { ready: false });
    await cluster().createNamespace(namespace);
    for (const [index, node] of [...names, 'played-unready'].entries()) {
      const job = execJob('played', { index, node, namespace });
      // Others would say that the server makes them, and when.
      const { uid: _uid, creationTimestamp: _time, ...metadata } = job.metadata ?? {};
      const spec = node === 'played-short' ? execJob('played', { index, node, namespace, spec: { activeDeadlineSeconds: 2 } })['spec'] : job['spec'];
      await cluster().api.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, { apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
    }
  });
  after(async () => {
    await cluster().kubectl(['delete', 'job', '--all', '-n', namespace, '--wait=false']);
    await reportGone(cluster(), namespace, stringAt(await podOn('played-unready', () => true), 'metadata', 'name') ?? '');
    await nothingLeft(cluster(), namespace, 30);
    for (const node of [...names, 'played-unready']) await cluster().api.delete(`/api/v1/nodes/${node}`);
  });

  const podOn = (node: string, is: (pod: KubeObject) => boolean): Promise<KubeObject> => eventually(`the pod on ${node}`, 30, async () => {
    const found = (await objectsOfRuns(cluster(), namespace)).find((object) => object.kind === 'Pod' && stringAt(object, 'spec', 'nodeName') === node);
    return found !== undefined && is(found) ? found : undefined;
  });
  const reasonOf = (pod: KubeObject): string => JSON.stringify(pod['status']);

  for (const [node, phase, reason] of [
    ['played-1', 'Running', /"running"/], ['played-slow', 'Running', /"running"/], ['played-full', 'Failed', /"OutOfpods"/], ['played-nopull', 'Pending', /"ErrImagePull"/], ['played-account', 'Failed', /StartError.*|Access is denied.*StartError/],
    ['played-short', 'Failed', /"DeadlineExceeded"/], ['played-dead', 'Pending', /^(?!.*containerStatuses)/],
  ] as const) {
    it(`reports ${phase} of the pod on ${node}`, async () => {
      await podOn(node, (pod) => stringAt(pod, 'status', 'phase') === phase && reason.test(reasonOf(pod)));
    });
  }

  it('lets a node alone that the test plays itself, and a pod on it until it is reported', async () => {
    await renewLease(cluster(), 'played-unready');
    const pod = await podOn('played-unready', (one) => stringAt(one, 'status', 'phase') === 'Pending');
    await reportRunning(cluster(), namespace, stringAt(pod, 'metadata', 'name') ?? '');
    await podOn('played-unready', (one) => stringAt(one, 'status', 'phase') === 'Running');
    const node = await cluster().api.get('/api/v1/nodes/played-unready');
    assert.match(JSON.stringify(node['status']), /"status":"False"[^}]*"type":"Ready"|"type":"Ready"[^}]*"status":"False"/);
  });

  it('runs commands in such pods, tells what arrived, and what the program asked of the API server', async () => {
    const mark = await cluster().auditMark();
    const pod = stringAt(await podOn('played-1', (one) => stringAt(one, 'status', 'phase') === 'Running'), 'metadata', 'name') ?? '';
    const client = await open(cluster().kubeconfig);
    const sink = (): Writable => new Writable({ write: (_chunk, _encoding, done) => { done(); } });
    try {
      const { exitCode } = await client.execChannel.exec({ namespace, pod, container: 'hostprocess', command: ['code', '3221225477'], tty: false, stdout: sink(), stderr: sink() });
      assert.equal(exitCode, 3_221_225_477);
    } finally {
      await client.close();
    }
    const records = await recordsOf(cluster(), 'played', 0);
    assert.deepEqual(records.map((record) => [record.pod, record.words, record.problem]), [[pod, ['code', '3221225477'], '']]);
    assert.deepEqual((await requestsSince(cluster(), mark)).map(({ verb, resource, name, user }) => [verb, resource, name, user]), [['get', 'pods/exec', pod, 'admin']]);
    assert.ok((await leftIn(cluster(), namespace)).length > 0);
  });
});
