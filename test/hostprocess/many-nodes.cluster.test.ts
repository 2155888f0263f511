/** A command on 200 nodes at once, some of which are in trouble of their own, through a real API server and real controllers. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenCluster } from '../../src/adapters/kube/cluster.ts';
import { foldItems, type FoldableItem } from '../../src/domain/hostprocess/fold.ts';
import { nameOf, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { LivePods, nothingLeft, open } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { commandOf } from '../support/exec-run.ts';
import { liveExec, type LiveExec } from './live-exec.ts';
import { loadPlayedNodes, loadUnplayedNodes, PLAYED_CLUSTER, playKubelet, reportGone } from './played-cluster.ts';

const NODES = 200;
const PARALLEL = 20;
const START_TIMEOUT_SECONDS = 20;
const [LINUX, UNREADY, REFUSED, DEAD] = ['many-linux', 'many-unready', 'many-refused', 'many-dead'] as const;

describe('a command on many nodes', function () {
  this.timeout(600_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'many-nodes';
  const plain = Array.from({ length: NODES - 4 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
  // those in trouble come early
  const named = [...plain.slice(0, 3), DEAD, LINUX, REFUSED, UNREADY, ...plain.slice(3)];
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  let client: OpenCluster;

  before('200 nodes, and a policy that keeps pods from one of them', async () => {
    client = await open(cluster().kubeconfig);
    await cluster().createNamespace(namespace);
    await loadPlayedNodes(cluster(), [...plain, REFUSED, DEAD]);
    await loadUnplayedNodes(cluster(), [UNREADY], { ready: false });
    await cluster().loadNodes([rawNode(LINUX, { os: 'linux' })]);
    await cluster().api.create(policies, {
      metadata: { name: 'keep-off' },
      spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] }, validations: [{ expression: `!has(object.spec.nodeName) || object.spec.nodeName != '${REFUSED}'`, message: 'nothing runs on this node' }] },
    });
    await cluster().api.create(bindings, { metadata: { name: 'keep-off' }, spec: { policyName: 'keep-off', validationActions: ['Deny'] } });
    await eventually('the policy', 30, async () => {
      const answer = await cluster().api.send('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { nodeName: REFUSED, containers: [{ name: 'x', image: 'x' }] } });
      return answer.status >= 400 ? true : undefined;
    });
  });
  after(async () => {
    await client.close();
    for (const path of [policies, bindings]) await cluster().api.delete(`${path}/keep-off`);
    for (const name of named) await cluster().api.delete(`/api/v1/nodes/${name}`);
  });

  it('gives three outputs as three groups, and each of four nodes in trouble what is its own', async () => {
    const stop = new AbortController();
    // NotReady for a reason of its own
    const unready = playKubelet(cluster(), namespace, UNREADY, stop.signal);
    await eventually('the lease', 30, async () => ((await cluster().api.send('GET', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${UNREADY}`)).status === 200 ? true : undefined));
    const pods = await LivePods.watch(client, namespace, 'kubectl-win/run=many');
    const endedAt = new Map<string, number>();
    const began = Date.now();
    let ran: LiveExec;
    try {
      ran = await liveExec(cluster().kubeconfig, {
        run: 'many', all: false, targets: named.map((name) => ({ kind: 'node', name })), command: commandOf('by-index', '3'), namespace: { given: namespace, configured: null }, parallel: PARALLEL, startTimeoutSeconds: START_TIMEOUT_SECONDS, timeoutSeconds: 60,
      }, (step) => { if (step.type === 'ended') endedAt.set(step.node, Date.now() - began); });
      await sleep(500);
    } finally {
      stop.abort(new Error('it is over'));
      await unready;
      await pods.stop();
    }
    assert.equal(ran.error, null, String(ran.error));
    const items = ran.report?.items ?? [];
    assert.equal(items.length, NODES);
    const errorOf = (name: string): string => JSON.stringify(items.find(({ node }) => node === name)?.outcome?.error ?? null);
    assert.match(errorOf(LINUX), /"NotWindows"/);
    assert.match(errorOf(REFUSED), /"Refused".*nothing runs on this node/);
    assert.match(errorOf(DEAD), /"StartTimeout".*has not taken its pod up/);
    assert.equal(errorOf(UNREADY), 'null', 'its kubelet answers');
    const groups = foldItems(items.map(({ node, outcome }): FoldableItem => {
      const text = ran.outputs.byNode.get(node)?.out() ?? '';
      return { node, outcome, stdout: { text, base64: null, isTruncated: false, sizeBytes: text.length, digest: text }, stderr: { text: '', base64: null, isTruncated: false, sizeBytes: 0, digest: ran.outputs.byNode.get(node)?.err() ?? '' } };
    }));
    const good = groups.filter(({ outcome }) => outcome?.exitCode === 0);
    assert.deepEqual(good.map(({ stdout }) => stdout?.text ?? '').toSorted(), ['output 0 of 3\n', 'output 1 of 3\n', 'output 2 of 3\n']);
    assert.equal(good.reduce((sum, { nodes }) => sum + nodes.length, 0), NODES - 3);
    assert.equal(groups.length, 6);
    const last = Math.max(...[...endedAt].filter(([node]) => node !== DEAD).map(([, at]) => at));
    // it has come among the first, and a window that waited for it would hold the second ones up
    const before = [...endedAt].filter(([, at]) => at < (endedAt.get(DEAD) ?? 0)).length;
    assert.ok(before > 2 * PARALLEL, `${before} others ended before the node that never starts, which did so after ${endedAt.get(DEAD)} ms`);
    assert.ok(pods.most <= PARALLEL && pods.most > 1, `${pods.most} pods at once`);
    assert.equal(ran.report?.phase, 'failed');
    process.stdout.write(`      ${NODES} nodes: ${pods.most} pods at the most, the last that could end did so after ${(last / 1000).toFixed(1)} s, and ${before} before the node that never starts, after ${((endedAt.get(DEAD) ?? 0) / 1000).toFixed(1)} s\n`);
    // kwok plays no kubelet there, so that the API server waits for it
    const { items: left } = await cluster().api.get(`/api/v1/namespaces/${namespace}/pods`) as unknown as { readonly items: readonly KubeObject[] };
    for (const pod of left) await reportGone(cluster(), namespace, nameOf(pod));
    await nothingLeft(cluster(), namespace, 30);
  });
});
