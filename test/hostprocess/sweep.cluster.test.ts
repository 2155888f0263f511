/** What a sweep does in a cluster with real controllers, beside others who have what looks like its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalRuns } from '../../src/adapters/files/local-runs.ts';
import type { LocalRun } from '../../src/app/ports.ts';
import { realPorts } from '../../src/cli/wiring.ts';
import { nameOf, recordAt, stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { execJob, execLabels, execPod, type ExecObjectParts } from '../support/hostprocess-objects.ts';
import { runCommand, type RunResult } from '../support/run-command.ts';
import { loadPlayedNodes, loadUnplayedNodes, PLAYED_CLUSTER, reportGone, reportRunning, requestsSince } from './played-cluster.ts';

describe('kubectl win hostprocess sweep, beside others', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'sweeping';
  let home = '';

  before('nodes, and a home', async () => {
    await loadPlayedNodes(cluster(), ['sweep-1', 'sweep-2']);
    await loadUnplayedNodes(cluster(), ['sweep-silent']);
    await cluster().createNamespace(namespace);
    home = await mkdtemp(join(tmpdir(), 'kubectl-win-sweep-'));
  });
  afterEach('nothing of one test for the next', async () => {
    await cluster().kubectl(['delete', 'deployment,job,pod', '--all', '-n', namespace, '--wait=false']);
    await eventually('an empty namespace', 60, async () => {
      for (const pod of await podsOf()) if (stringAt(pod, 'spec', 'nodeName') === 'sweep-silent') await reportGone(cluster(), namespace, nameOf(pod));
      return (await there()).length === 0 ? true : undefined;
    });
  });
  after(() => rm(home, { recursive: true, force: true }));

  const create = async (object: KubeObject): Promise<KubeObject> => {
    // what a server writes
    const { uid: _uid, creationTimestamp: _time, ...metadata } = recordAt(object, 'metadata');
    const group = object.apiVersion === 'v1' ? '/api/v1' : `/apis/${object.apiVersion ?? ''}`;
    const { status: _status, ...rest } = object;
    return await cluster().api.create(`${group}/namespaces/${namespace}/${(object.kind ?? '').toLowerCase()}s`, { ...rest, metadata: { ...metadata, namespace } }) as KubeObject;
  };
  const job = (run: string, parts: ExecObjectParts = {}): Promise<KubeObject> => create(execJob(run, { node: 'sweep-1', namespace, ...parts }));
  const uidOf = (object: KubeObject): string => stringAt(object, 'metadata', 'uid') ?? '';
  const there = async (): Promise<readonly KubeObject[]> => (JSON.parse((await cluster().kubectl(['get', 'deployment,job,pod', '-n', namespace, '-o', 'json'])).stdout) as { readonly items: readonly KubeObject[] }).items;
  const podsOf = async (owner?: string): Promise<readonly KubeObject[]> => (await there()).filter((one) => one.kind === 'Pod' && (owner === undefined || JSON.stringify(one.metadata?.['ownerReferences'] ?? []).includes(`"${owner}"`)));
  const runningPodOf = (owner: KubeObject): Promise<KubeObject> => eventually('a running pod', 30, async () => (await podsOf(uidOf(owner))).find((pod) => stringAt(pod, 'status', 'phase') === 'Running'));

  /** As a program that was killed has left it. */
  const record = async (run: string, objects: LocalRun['objects']): Promise<void> => {
    const ended = spawnSync(process.execPath, ['--version']).pid;
    const system = await cluster().api.get('/api/v1/namespaces/kube-system');
    const program = { pid: ended, host: hostname() };
    await openLocalRuns(join(home, '.kube', 'kubectl-win', 'runs'), { onNotice: assert.fail, program }).begin({
      run, cluster: stringAt(system, 'metadata', 'uid') ?? null, context: null, namespace, startedAt: new Date(Date.now() - 60_000).toISOString(), until: new Date(Date.now() + 900_000).toISOString(), objects,
    });
  };
  const of = (object: KubeObject): LocalRun['objects'] => [{ resource: 'jobs', name: nameOf(object), uid: uidOf(object), node: 'sweep-1' }];
  const recorded = async (): Promise<readonly string[]> => (await readdir(join(home, '.kube', 'kubectl-win', 'runs'))).filter((name) => name.endsWith('.json'));
  const sweep = (...argv: readonly string[]): Promise<RunResult> => runCommand(['hostprocess', 'sweep', '-n', namespace, '--kubeconfig', cluster().kubeconfig, ...argv], { env: { HOME: home }, clock: { now: () => new Date() }, ports: { openLocalRuns: realPorts.openLocalRuns } });

  it('removes a killed program\'s Job and pod, and of a colleague, a forger and a namesake nothing', async () => {
    const own = await job('aaaaaa');
    const colleague = await job('bbbbbb', { node: 'sweep-2', origin: 'kubectl win 0.1.0 hostprocess exec by grace@desk' });
    const forger = await create({
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels: execLabels('aaaaaa') },
      spec: { replicas: 1, selector: { matchLabels: execLabels('aaaaaa') }, template: { metadata: { labels: execLabels('aaaaaa') }, spec: { nodeName: 'sweep-2', os: { name: 'windows' }, tolerations: [{ operator: 'Exists' }], containers: [{ name: 'hostprocess', image: 'registry.example/web:v1' }] } } },
    });
    const forged = await create(execPod('cccccc', { node: 'sweep-2', namespace, spec: { securityContext: {}, hostNetwork: undefined } }));
    const namesake = await job('dddddd');
    await record('aaaaaa', of(own));
    await record('dddddd', [{ resource: 'jobs', name: nameOf(namesake), uid: '00000000-0000-4000-8000-000000000000', node: 'sweep-1' }]);
    await record('eeeeee', []);
    await runningPodOf(own);
    await runningPodOf(colleague);
    await eventually('the pod of the Deployment', 30, async () => (await podsOf()).find((pod) => nameOf(pod).startsWith('web-')));
    const ofOthers = (await there()).filter((one) => ![uidOf(own)].includes(uidOf(one)) && !JSON.stringify(one.metadata?.['ownerReferences'] ?? []).includes(uidOf(own))).map(uidOf).toSorted();
    assert.equal(ofOthers.length, 7, 'two Jobs and their pods, a Deployment and its pod, a pod');

    const mark = await cluster().auditMark();
    const { stdout, stderr, exitCode } = await sweep();
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual((await there()).map(uidOf).toSorted(), ofOthers);
    const results = stdout.split('\n').slice(1, -1).map((line) => [line.split(/ +/)[2]?.replace(/^(pod\/web-).*/, '$1…'), line.split(/ +/)[4], line.split(/ +/).at(-1)]);
    assert.deepEqual(results, [
      [`job.batch/${nameOf(own)}`, 'own', 'removed'], [`job.batch/${nameOf(colleague)}`, 'others', 'left'], [`job.batch/${nameOf(namesake)}`, 'others', 'left'], ['pod/web-…', 'forged', 'left'], [`pod/${nameOf(forged)}`, 'forged', 'left'],
    ]);
    const deletes = (await requestsSince(cluster(), mark)).filter(({ verb }) => !['get', 'list'].includes(verb));
    assert.deepEqual(deletes.map(({ verb, resource, name, body }) => [verb, resource, name, stringAt(body, 'preconditions', 'uid')]), [['delete', 'jobs', nameOf(own), uidOf(own)]]);
    assert.deepEqual(await recorded(), [], 'nothing is left of any of the three');
    assert.ok((await there()).some((one) => uidOf(one) === uidOf(forger)));
  });

  it('removes a colleague\'s with --all-runs, and even then nothing that is forged', async () => {
    const colleague = await job('ffffff');
    const forged = await create(execPod('cccccc', { node: 'sweep-2', namespace, spec: { securityContext: {}, hostNetwork: undefined } }));
    await runningPodOf(colleague);
    const { stderr, exitCode } = await sweep('--all-runs', '--yes');
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual((await there()).map(uidOf), [uidOf(forged)]);
  });

  it('takes no more than the Role of the README', async () => {
    const rules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'delete'] }, { apiGroups: [''], resources: ['pods'], verbs: ['list', 'get', 'delete'] }];
    await cluster().api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`, { metadata: { name: 'sweeper' }, rules });
    await cluster().api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, { metadata: { name: 'sweeper' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'sweeper' }, subjects: [{ kind: 'User', name: 'sweeper' }] });
    const { kubeconfig } = await cluster().user('sweeper');
    const own = await job('hhhhhh');
    await record('hhhhhh', of(own));
    await runningPodOf(own);
    const { stdout, stderr, exitCode } = await sweep('--kubeconfig', kubeconfig);
    assert.deepEqual([exitCode, (await there()).length], [0, 0], stderr);
    assert.match(stdout, /own .* removed$/m);
  });

  it('claims nothing of a node that does not answer, and remembers its run', async () => {
    const own = await job('gggggg', { node: 'sweep-silent' });
    await record('gggggg', of(own));
    const pod = await eventually('a pod', 30, async () => (await podsOf(uidOf(own)))[0]);
    await reportRunning(cluster(), namespace, nameOf(pod));
    const first = await sweep('-o', 'json');
    const [item] = (JSON.parse(first.stdout) as { readonly items: readonly { readonly result: string }[] }).items;
    assert.deepEqual([first.exitCode, item?.result, await recorded()], [0, 'ending', ['gggggg.json']]);
    assert.deepEqual((await there()).map(uidOf), [uidOf(pod)], 'the Job is gone, the pod waits for its kubelet');
    await reportGone(cluster(), namespace, nameOf(pod));
    assert.equal((await sweep()).exitCode, 0);
    assert.deepEqual(await recorded(), []);
  });
});
