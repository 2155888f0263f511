/** Ways on where nothing may be run in pods: the pod that runs the command itself and its log, and logs by the kubelet without any pod. */
import assert from 'node:assert/strict';
import { arrayAt, isRecord, nameOf, stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { runCommand, type RunResult } from '../support/run-command.ts';
import { assertMatchesRecipeSchema } from '../support/recipe-schema.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const NAMESPACE = 'fall-backs';
const NODES = ['falls-1', 'falls-2', 'falls-3'];

interface Report {
  readonly items: readonly { readonly node: string; readonly exitCode: number | null; readonly stdout: string; readonly error: { readonly reason: string; readonly remedy?: string } | null; readonly data?: Record<string, unknown> | null }[];
}

describe('ways on without exec', function () {
  this.timeout(120_000);
  const cluster = useCluster({ with: ['controllers', 'kubelet'], nodeProxy: true, shared: false, auditLevel: 'Request' });
  let kubeconfig = '';

  before('somebody who may not exec, nor ask kubelets', async () => {
    await cluster().createNamespace(NAMESPACE);
    await cluster().loadNodes(NODES.map((name) => rawNode(name)), { kubelet: true });
    const jane = await cluster().user('fall-backs-jane', { namespace: NAMESPACE });
    ({ kubeconfig } = jane);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const subjects = [{ kind: 'User', name: jane.name, apiGroup: 'rbac.authorization.k8s.io' }];
    const bind = async (name: string, rules: readonly unknown[], scope: string): Promise<void> => {
      await cluster().api.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
      await cluster().api.create(`${rbac}/${scope}`, { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }, subjects });
    };
    await bind('fall-backs-nodes', [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }], 'clusterrolebindings');
    await bind('fall-backs-pods', [
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'get', 'list', 'watch', 'delete'] }, { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
      { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }, { apiGroups: [''], resources: ['events'], verbs: ['list'] },
    ], `namespaces/${NAMESPACE}/rolebindings`);
    await eventually('her rights', 10, async () => ((await cluster().kubectl(['auth', 'can-i', 'get', 'pods', '--subresource=log', '-n', NAMESPACE], { kubeconfig })).code === 0 ? true : undefined));
  });

  const run = ([verb = '', ...argv]: readonly string[], config = kubeconfig): Promise<RunResult> => runCommand(['hostprocess', verb, '--kubeconfig', config, ...argv], { env: { HOME: '/nowhere' }, clock: { now: () => new Date() } });

  /** What the kubelet of a node says of the pod of the run, which nobody plays here. */
  const playPod = async (node: string, exitCode: number): Promise<KubeObject> => {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const pod = await eventually(`a pod on ${node}`, 30, async () => arrayAt(await cluster().api.get(path), 'items').find((one) => stringAt(one, 'spec', 'nodeName') === node));
    assert.ok(isRecord(pod));
    const at = new Date().toISOString();
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: at, finishedAt: at, containerID: 'containerd://1' };
    const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', startTime: at, containerStatuses: [{ name: 'hostprocess', image: 'x', imageID: 'x', ready: false, restartCount: 0, state: { terminated } }] };
    const { status: code } = await cluster().api.send('PUT', `${path}/${nameOf(pod)}/status`, { ...pod, status });
    assert.equal(code, 200);
    return pod;
  };
  /** Its kubelet confirms that a deleted pod is gone. */
  const confirm = async (pod: KubeObject): Promise<void> => {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${nameOf(pod)}`;
    await eventually('the pod being deleted', 30, async () => {
      const { status, text } = await cluster().api.send('GET', path);
      return status === 404 || text.includes('deletionTimestamp') ? true : undefined;
    });
    await cluster().api.send('DELETE', path, { gracePeriodSeconds: 0 });
  };

  it('names --via=logs to who may not exec, before anything is created', async () => {
    const { stderr, exitCode } = await run(['exec', 'falls-1', '--', 'hostname']);
    assert.equal(exitCode, 3);
    assert.match(stderr, /pods\/exec[\s\S]*--via=logs lets the pod itself run the command and reads its log/);
    await nothingLeft(cluster(), NAMESPACE, 1);
  });

  it('exec --via=logs: the pod gets the command whole, the log comes as output, the code of 32 bits from the pod', async () => {
    const words = ['tool.exe', '/c', `echo "a b" %PATH% $(HOME) ${'\u{1f600}'}`];
    const played = playPod('falls-1', -1073741819);
    const mark = await cluster().auditMark();
    const running = run(['exec', 'falls-1', '--via=logs', '-o', 'json', '--', ...words]);
    const pod = await played;
    const confirmed = confirm(pod);
    const { stdout, stderr, exitCode } = await running;
    await confirmed;
    const report = JSON.parse(stdout) as Report;
    assertMatchesSchema('ExecReport', report);
    assert.deepEqual(report.items.map(({ node, exitCode: code, stdout: text, error }) => [node, code, text, error]), [['falls-1', 3_221_225_477, `log of ${NAMESPACE}/${nameOf(pod)}/hostprocess ()\n`, null]], stderr);
    assert.equal(exitCode, 5, 'the 8 bits that a shell gets');
    const [container] = arrayAt(pod, 'spec', 'containers');
    const script = Buffer.from(stringAt(arrayAt(container, 'env')[0], 'value') ?? '', 'base64').toString('utf8');
    assert.ok(script.includes(`w=@('tool.exe','/c','${words[2]}')`), script.slice(0, 300));
    const asked = (await cluster().auditEvents(mark)).filter(({ userAgent }) => (userAgent ?? '').startsWith('kubectl-win')).map(({ objectRef }) => `${objectRef?.resource ?? ''}/${objectRef?.subresource ?? ''}`);
    assert.ok(asked.includes('pods/log') && !asked.includes('pods/exec'));
    await nothingLeft(cluster(), NAMESPACE, 20);
  });

  it('run --via=logs: what is no document is said, and a document is none of the log that is there', async () => {
    const played = playPod('falls-2', 0);
    const running = run(['run', 'hns', 'falls-2', '--via=logs', '-o', 'json']);
    const confirmed = confirm(await played);
    const { stdout } = await running;
    await confirmed;
    const [item] = (JSON.parse(stdout) as Report).items;
    assert.deepEqual([item?.exitCode, item?.error?.reason, item?.data], [0, 'OutputUnreadable', null]);
    await nothingLeft(cluster(), NAMESPACE, 20);
  });

  describe('run logs --via=kubelet', () => {
    const logs = async (config: string, ...argv: readonly string[]): Promise<{ readonly report: Report; readonly stderr: string; readonly exitCode: number }> => {
      const { stdout, stderr, exitCode } = await run(['run', 'logs', ...NODES, '--via=kubelet', '-o', 'json', '--param', 'lines=2', ...argv], config);
      const report = JSON.parse(stdout) as Report;
      assertMatchesSchema('RecipeReport', report);
      return { report, stderr, exitCode };
    };

    before('what kubelets say', async () => {
      await cluster().setKubelet('falls-1', { logs: { kubelet: 'one\ntwo\nthree\n', containerd: `${'\u001b'}[31mred\n` } });
      await cluster().setKubelet('falls-2', { logs: 'off' });
    });

    it('gives the last lines of what there is, and says what keeps the others', async () => {
      const before = (await cluster().kubeletRequests()).length;
      const { report, stderr, exitCode } = await logs(cluster().kubeconfig);
      const [first] = report.items;
      assertMatchesRecipeSchema('logs', first?.data);
      assert.deepEqual(first?.data?.['services'], [{ name: 'kubelet', lines: ['two', 'three'] }, { name: 'containerd', lines: ['\u001b[31mred'] }]);
      assert.deepEqual(report.items.map(({ error }) => error?.reason ?? null), [null, 'NotSupported', 'NotSupported']);
      assert.equal(exitCode, 1);
      assert.match(stderr, /^falls-2 {2}NotSupported: its kubelet answers no queries for logs: enableSystemLogQuery is false/m);
      assert.match(stderr, /^falls-3 {2}NotSupported: its kubelet serves no logs/m);
      assert.ok(!stderr.includes('\u001b'));
      const asked = (await cluster().kubeletRequests()).slice(before).filter(({ node }) => node === 'falls-1');
      assert.deepEqual(asked.map(({ query }) => [query['query'], query['tailLines']]), [[['kubelet'], ['2']], [['containerd'], ['2']], [['kube-proxy'], ['2']], [['kube-proxy'], undefined]]);
      await nothingLeft(cluster(), NAMESPACE, 1);
    });

    it('is refused to who may not ask kubelets, with what the right means, and proposes no Role', async () => {
      const { report, stderr } = await logs(kubeconfig);
      assert.deepEqual([...new Set(report.items.map(({ error }) => error?.reason))], ['Forbidden']);
      assert.match(stderr, /nodes\/proxy, which is as much as a shell on every node/);
      assert.doesNotMatch(stderr, /create (?:clusterrole|role)|kind: ClusterRole/i);
    });

    it('does not wait for a kubelet that is silent any longer than it is given', async () => {
      await cluster().setKubelet('falls-3', { isSilent: true });
      const startedAt = Date.now();
      const { report } = await logs(cluster().kubeconfig, '--timeout=2s');
      assert.equal(report.items[2]?.error?.reason, 'Timeout');
      assert.ok(Date.now() - startedAt < 20_000);
    });
  });
});
