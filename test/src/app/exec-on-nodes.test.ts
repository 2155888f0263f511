import assert from 'node:assert/strict';
import { nameOf, numberAt, stringAt } from '../../../src/domain/kubernetes/object.ts';
import { ClusterError, InputError, InterruptedError, UsageError } from '../../../src/errors.ts';
import { error, ExecCluster, NONCE, runs, sign } from '../../support/exec-cluster.ts';
import { RUN, runExec } from '../../support/exec-run.ts';
import { rawNode } from '../../support/fake-cluster.ts';
import { memoryRuns } from '../../support/local-runs.ts';

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const jobOf = (index: number): string => `kubectl-win-hostprocess-${RUN}-${index}`;

/** Nothing that was made is there any more. */
function assertClean(cluster: ExecCluster): void {
  assert.deepEqual([...cluster.jobs.keys(), ...cluster.pods.keys()], []);
}

describe('execOnNodes', () => {
  it('runs a command on a node, gives its output without signs, and leaves nothing', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.playCommand = async ({ out, err }) => {
      await err(`noise ${sign('start 42')}`);
      await out('hello\n');
      await err(`more\n${sign('end 7')}`);
      return 7;
    };
    const { steps, outcomes, outputs, report, records, error: failure } = await runExec(cluster);
    assert.equal(failure, null);
    assert.deepEqual(outcomes, ['n0: 7']);
    assert.equal(outputs.byNode.get('n0')?.out(), 'hello\n');
    assert.equal(outputs.byNode.get('n0')?.err(), 'noise more\n');
    assert.deepEqual(outputs.ends.get('n0'), { exitCode: 7, error: null, pid: 42, durationSeconds: 0 });
    assert.deepEqual(steps.map(({ type }) => type), ['planned', 'began', 'creating', 'started', 'ended', 'cleaned-up']);
    assert.deepEqual({ phase: report?.phase, run: report?.run, namespace: report?.namespace, pods: report?.items.map(({ pod }) => pod) }, { phase: 'failed', run: RUN, namespace: 'ops', pods: [`${jobOf(0)}-abcde`] });
    assertClean(cluster);
    assert.deepEqual([...records.runs.keys()], []);
  });

  it('is on record before anything is created, with UIDs after it, and no more once all is gone', async () => {
    const cluster = new ExecCluster(['n0', 'n1']);
    const records = memoryRuns();
    const before: unknown[] = [];
    const during: unknown[] = [];
    cluster.onCall = ({ verb, resource }) => {
      if (verb === 'create' && resource === 'jobs') before.push(records.runs.get(RUN)?.objects.map(({ uid }) => uid));
      if (verb === 'exec') during.push(records.runs.get(RUN));
      return null;
    };
    await runExec(cluster, { records, parallel: 1 });
    assert.deepEqual(before[0], [null, null]);
    const [first] = during as { readonly cluster: string; readonly namespace: string; readonly until: string; readonly objects: readonly { readonly uid: string | null; readonly name: string; readonly node: string; readonly resource: string }[] }[];
    assert.equal(first?.cluster, 'uid-kube-system');
    assert.equal(first.namespace, 'ops');
    assert.ok(first.objects[0]?.uid?.startsWith('uid-'));
    assert.deepEqual(first.objects[1], { resource: 'jobs', name: jobOf(1), uid: null, node: 'n1' });
    assert.ok(Date.parse(first.until) > cluster.clock.now().getTime() + 1000 * (600 + 300));
    assert.equal(records.runs.size, 0);
  });

  it('goes on where it cannot be put on record, and says so', async () => {
    const cluster = new ExecCluster(['n0']);
    const records = { ...memoryRuns(), begin: async () => { throw new InputError({ file: '/home/x/.kube' }, 'read-only file system'); } };
    const { outcomes, notes } = await runExec(cluster, { records });
    assert.deepEqual(outcomes, ['n0: 0']);
    assert.match(notes.join('\n'), /not on record on this machine .*read-only file system.*sweep/);
  });

  it('plans alone, and shows the objects, with --dry-run=client', async () => {
    const cluster = new ExecCluster(['n0', 'n1']);
    cluster.objects['nodes'] = [...cluster.objects['nodes'] ?? [], rawNode('linux', { os: 'linux' })];
    const { steps, report } = await runExec(cluster, { dryRun: 'client', all: false, targets: ['n0', 'linux'].map((name) => ({ kind: 'node', name })) });
    const [planned] = steps;
    assert.ok(planned?.type === 'planned' && steps.length === 1);
    assert.deepEqual(planned.objects.map((object) => [object.kind, nameOf(object), stringAt(object, 'spec', 'template', 'spec', 'nodeName')]), [['Job', jobOf(0), 'n0']]);
    assert.equal(report?.phase, 'planned');
    assert.deepEqual(report.items.map(({ node, outcome }) => [node, outcome?.error?.reason ?? null]), [['n0', null], ['linux', 'NotWindows']]);
    assert.deepEqual(cluster.calls.filter(({ verb }) => verb === 'create' || verb === 'dry-run'), []);
    const pods = await runExec(cluster, { dryRun: 'client', anchor: 'pod' });
    assert.ok(pods.steps[0]?.type === 'planned' && pods.steps[0].objects.every(({ kind }) => kind === 'Pod'));
  });

  it('shows every object to the API server with --dry-run=server, and what it refuses', async () => {
    const cluster = new ExecCluster(numbered(3));
    cluster.onCall = ({ verb, resource }, object) => (verb === 'dry-run' && resource === 'pods' && stringAt(object, 'spec', 'nodeName') === 'n1' ? error('Forbidden', 'pods is forbidden: ValidatingAdmissionPolicy denied the request', 403) : null);
    const { report, outcomes } = await runExec(cluster, { dryRun: 'server', targets: [], confirm: () => assert.fail('nothing is to be confirmed') });
    assert.equal(report?.phase, 'planned');
    assert.deepEqual(outcomes, ['n1: null Refused']);
    assert.deepEqual(report.items.map(({ outcome }) => outcome?.error?.reason ?? null), [null, 'Refused', null]);
    assert.deepEqual(cluster.callsOf('create'), []);
  });

  it('creates nothing where it is not confirmed', async () => {
    const cluster = new ExecCluster(['n0']);
    const { report, steps, error: failure } = await runExec(cluster, { confirm: async ({ items }) => items.length > 5 });
    assert.equal(failure, null);
    assert.equal(report?.phase, 'planned');
    assert.deepEqual(steps.map(({ type }) => type), ['planned']);
    assert.deepEqual(cluster.callsOf('create'), []);
  });

  it('refuses what cannot be sent before the cluster is asked', async () => {
    const cluster = new ExecCluster(['n0']);
    const { error: failure, report } = await runExec(cluster, { command: { shell: 'powershell', words: ['sc', 'query'], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop' } });
    assert.ok(failure instanceof UsageError);
    assert.match(failure.message, /Set-Content/);
    assert.equal(report, null);
    assert.deepEqual(cluster.calls, []);
  });

  it('has failed where every node is refused, without a question and without a pod', async () => {
    const cluster = new ExecCluster([]);
    cluster.objects['nodes'] = [rawNode('linux', { os: 'linux' })];
    const { report } = await runExec(cluster, { all: false, targets: [{ kind: 'node', name: 'linux' }], confirm: () => assert.fail('nothing is to be confirmed') });
    assert.equal(report?.phase, 'failed');
    assert.equal(report.run, null);
  });

  it('tells nodes that are refused beside what the others did', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.objects['nodes'] = [...cluster.objects['nodes'] ?? [], rawNode('linux', { os: 'linux' })];
    const { outcomes, report } = await runExec(cluster, { all: false, targets: ['linux', 'n0'].map((name) => ({ kind: 'node', name })) });
    assert.deepEqual(outcomes, ['linux: null NotWindows', 'n0: 0']);
    assert.equal(report?.phase, 'failed');
  });

  it('removes everything when it is interrupted, and reports what is known', async () => {
    const cluster = new ExecCluster(numbered(6));
    const stop = new AbortController();
    cluster.playCommand = async (command) => {
      if (command.node === 'n0') return runs()(command);
      await command.err(sign('start 9'));
      await command.wait(500);
      return 0;
    };
    const { outcomes, report, error: failure, records } = await runExec(cluster, { parallel: 3, signal: stop.signal, onStep: (step) => { if (step.type === 'started' && step.node === 'n3') stop.abort(new InterruptedError('Ctrl-C')); } });
    assert.ok(failure instanceof InterruptedError);
    assert.deepEqual(outcomes.toSorted(), ['n0: 0', 'n1: null Interrupted', 'n2: null Interrupted', 'n3: null Interrupted']);
    assert.equal(report?.phase, 'interrupted');
    assert.deepEqual(report.items.map(({ outcome }) => outcome?.pid ?? null), [42, 9, 9, 9, null, null]);
    assert.deepEqual(report.items.map(({ outcome }) => outcome?.error?.reason ?? outcome?.exitCode ?? null), [0, 'Interrupted', 'Interrupted', 'Interrupted', null, null]);
    assertClean(cluster);
    assert.equal(records.runs.size, 0);
    assert.ok(cluster.seconds < 20, `it took ${cluster.seconds} s`);
  });

  it('stays on record where something may be left', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.onCall = ({ verb }) => (verb === 'delete' ? error('Forbidden', 'jobs.batch is forbidden: cannot delete resource "jobs"', 403) : null);
    const { outcomes, notes, steps, records } = await runExec(cluster);
    assert.deepEqual(outcomes, ['n0: 0']);
    assert.match(notes.join('\n'), /n0: Job .* could not be deleted \(.*cannot delete resource.*\); the cluster ends it by itself within/);
    assert.ok(!steps.some(({ type }) => type === 'cleaned-up'));
    assert.equal(records.runs.size, 1);
  });

  it('gives every command a nonce of its own', async () => {
    const cluster = new ExecCluster(numbered(3));
    let count = 0;
    await runExec(cluster, { newNonce: () => { count += 1; return NONCE; } });
    assert.ok(count >= 4, `${count}: one to see whether it can be sent, and one for each node`);
  });

  it('moves the deadline of a session with a terminal, which is short', async () => {
    const cluster = new ExecCluster(['n0']);
    const deadlines: (number | undefined)[] = [];
    cluster.onCall = ({ verb }, object) => {
      if (verb === 'create' || verb === 'merge') deadlines.push(numberAt(object, 'spec', 'activeDeadlineSeconds'));
      return null;
    };
    cluster.playCommand = async ({ wait }) => {
      await wait(3_000);
      return 0;
    };
    const { outcomes } = await runExec(cluster, { timeoutSeconds: 28_800, command: { shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: true, errorAction: 'stop' } });
    assert.deepEqual(outcomes, ['n0: 0']);
    const [first = 0, ...moved] = deadlines;
    assert.ok(first <= 600, `${first} s`);
    assert.ok(moved.length > 3000 / 130 && moved.every((seconds, index) => (seconds ?? 0) > (moved[index - 1] ?? 0)), String(moved));
    assertClean(cluster);
  });

  it('keeps pods that are to stay, on record, and uses them again', async () => {
    const cluster = new ExecCluster(['n0', 'n1']);
    const records = memoryRuns();
    const first = await runExec(cluster, { records, keepSeconds: 1800 });
    assert.equal(records.runs.get(RUN)?.isKept, true, 'a sweep leaves it');
    assert.match(first.notes.join('\n'), /stay on 2 nodes for 30m \(--reuse ab12c\)/);
    assert.equal(cluster.pods.size, 2);
    assert.equal(records.runs.get(RUN)?.objects.every(({ uid }) => uid !== null), true);
    const created = cluster.callsOf('create').length;
    const again = await runExec(cluster, { records, run: 'other', reuse: RUN });
    assert.deepEqual(again.outcomes.toSorted(), ['n0: 0', 'n1: 0']);
    assert.equal(cluster.callsOf('create').length, created);
    assert.equal(cluster.pods.size, 2);
    assert.equal(again.report?.run, RUN);
  });

  it('keeps pods on record, and says so, that were to stay when it is interrupted', async () => {
    const cluster = new ExecCluster(['n0', 'n1']);
    const records = memoryRuns();
    const stop = new AbortController();
    const { steps, notes } = await runExec(cluster, { records, keepSeconds: 1800, parallel: 1, signal: stop.signal, onStep: (step) => { if (step.type === 'started' && step.node === 'n1') stop.abort(new Error('Ctrl-C')); } });
    assert.deepEqual([...cluster.pods.keys()], [`kubectl-win-hostprocess-${RUN}-0-abcde`]);
    assert.ok(records.runs.has(RUN));
    assert.match(notes.join('\n'), /stay on 1 node /);
    assert.ok(steps.every(({ type }) => type !== 'cleaned-up'));
  });

  it('says which pods stay also beside one that could not be removed', async () => {
    const cluster = new ExecCluster(['n0', 'n1']);
    cluster.playNode = (pod) => (pod.node === 'n0' ? pod.runs(2) : pod.waits(2, 'InvalidImageName'));
    cluster.endsPods = (node) => node !== 'n1';
    const { notes } = await runExec(cluster, { keepSeconds: 600 });
    assert.match(notes.join('\n'), /n1: Job .* is deleted, and its node does not say/);
    assert.match(notes.join('\n'), /stay on 1 node for 10m/);
  });

  it('uses no pod again that is of another account, or not on record', async () => {
    const cluster = new ExecCluster(['n0']);
    const records = memoryRuns();
    await runExec(cluster, { records, keepSeconds: 1800 });
    const other = await runExec(cluster, { records, run: 'other', reuse: RUN, objects: { origin: 'test', image: 'x', runAsUserName: 'NT AUTHORITY\\Local service', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} } });
    assert.match(String(other.error), /run as NT AUTHORITY\\SYSTEM/);
    const unknown = await runExec(cluster, { run: 'other', reuse: RUN });
    assert.ok(unknown.error instanceof ClusterError);
    assert.match(unknown.error.message, /hostprocess run "ab12c" not found/);
  });
});
