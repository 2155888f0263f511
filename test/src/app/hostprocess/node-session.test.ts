import assert from 'node:assert/strict';
import { nameOf, recordAt, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { error, ExecCluster, sign } from '../../../support/exec-cluster.ts';
import { RUN, runExec, type RanExec } from '../../../support/exec-run.ts';

const JOB = `kubectl-win-hostprocess-${RUN}-0`;
const createsJob = ({ verb, resource }: { readonly verb: string; readonly resource: string }): boolean => verb === 'create' && resource === 'jobs';

function reasonOf({ report }: RanExec, index = 0): string | undefined {
  return report?.items[index]?.outcome?.error?.reason;
}

function messageOf({ report }: RanExec, index = 0): string {
  const error = report?.items[index]?.outcome?.error;
  return [error?.message ?? '', error?.remedy ?? ''].join(' ');
}

function foreignJob(name: string, labels: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'ops', uid: 'foreign', labels, annotations: { 'kubectl-win/origin': 'somebody else' } } };
}

describe('a session on a node', () => {
  it('makes its Job once, also where the answer is lost', async () => {
    const cluster = new ExecCluster(['n0']);
    let isFirst = true;
    cluster.onCall = (call) => {
      if (!createsJob(call) || !isFirst) return null;
      isFirst = false;
      return { after: error('ConnectionLost', 'lost') };
    };
    let most = 0;
    const ran = await runExec(cluster, { onStep: () => { most = Math.max(most, cluster.jobs.size); } });
    assert.deepEqual(ran.outcomes, ['n0: 0']);
    assert.equal(most, 1);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('runs nothing in a pod that is another than was sent, where that could not be tried', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.onCall = ({ verb }) => (verb === 'dry-run' ? error('BadRequest', 'admission webhook "strip.example" does not support dry run', 400) : null);
    cluster.playNode = (pod) => {
      const made = cluster.pods.get(pod.name) ?? {};
      cluster.pods.set(pod.name, { ...made, spec: { ...recordAt(made, 'spec'), securityContext: {} } });
      pod.runs(2);
    };
    const ran = await runExec(cluster);
    assert.equal(reasonOf(ran), 'Refused');
    assert.match(messageOf(ran), /no HostProcess pods any more see what takes .*\.$/);
    assert.deepEqual([cluster.callsOf('exec').length, cluster.jobs.size, cluster.pods.size], [0, 0, 0]);
  });

  it('tries again what passes, and leaves a namesake of somebody else alone', async () => {
    const cluster = new ExecCluster(['n0']);
    let count = 0;
    cluster.onCall = (call) => (createsJob(call) && ++count <= 3 ? error('ServiceUnavailable', 'shed', 503) : null);
    assert.deepEqual((await runExec(cluster)).outcomes, ['n0: 0']);
    const other = new ExecCluster(['n0']);
    other.jobs.set(JOB, foreignJob(JOB, { 'kubectl-win/run': RUN }));
    const ran = await runExec(other);
    assert.equal(reasonOf(ran), 'Refused');
    assert.match(messageOf(ran), /already exists/);
    assert.deepEqual([...other.jobs.keys()], [JOB]);
    // nor after an answer that was lost
    const third = new ExecCluster(['n0']);
    let isFirst = true;
    third.onCall = (call) => {
      if (!createsJob(call) || !isFirst) return null;
      isFirst = false;
      third.jobs.set(JOB, foreignJob(JOB, { 'kubectl-win/run': RUN }));
      return error('Unreachable', 'connection refused');
    };
    assert.equal(reasonOf(await runExec(third)), 'Refused');
    assert.deepEqual([...third.jobs.keys()], [JOB]);
  });

  it('removes what a request made whose answer never came, when it is interrupted', async () => {
    const cluster = new ExecCluster(['n0']);
    const stop = new AbortController();
    cluster.onCall = (call) => {
      if (!createsJob(call)) return null;
      stop.abort(new Error('Ctrl-C'));
      return { after: error('ConnectionLost', 'lost') };
    };
    const { error: failure, steps } = await runExec(cluster, { signal: stop.signal });
    assert.equal((failure as Error).message, 'Ctrl-C');
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
    assert.ok(steps.some(({ type }) => type === 'cleaned-up'));
  });

  for (const isMade of [true, false]) {
    it(`gives up at --start-timeout a request that creates and is never answered, ${isMade ? 'and removes what it has made' : 'and goes on with the next node'}`, async () => {
      const cluster = new ExecCluster(['n0', 'n1']);
      const create = cluster.writer.create.bind(cluster.writer);
      Object.assign(cluster.writer, { create: async (...args: Parameters<typeof create>) => {
        const [resource, object, options = {}] = args;
        if (options.dryRun === true || resource.plural !== 'jobs' || nameOf(object) !== JOB) return create(...args);
        if (isMade) await create(...args);
        return new Promise<never>((_resolve, reject) => { options.signal?.addEventListener('abort', () => reject(error('ConnectionLost', 'aborted')), { once: true }); });
      } });
      const ran = await runExec(cluster, { parallel: 1 });
      assert.deepEqual(ran.outcomes.toSorted(), ['n0: null StartTimeout', 'n1: 0']);
      assert.equal(ran.report?.items[0]?.outcome?.error?.message, 'not started within 5m: the API server has not answered the request that creates the Job');
      assert.deepEqual([cluster.jobs.size, cluster.pods.size, cluster.callsOf('delete').filter(({ name }) => name === JOB).length], [0, 0, isMade ? 1 : 0]);
      assert.ok(cluster.seconds >= 300 && cluster.seconds < 330, `${cluster.seconds} s`);
    });
  }

  it('waits no longer for what is asked before anything is created', async () => {
    const cluster = new ExecCluster(['n0']);
    Object.assign(cluster.writer, { create: (...[, , options]: Parameters<typeof cluster.writer.create>) => new Promise<never>((_resolve, reject) => { options?.signal?.addEventListener('abort', () => reject(error('ConnectionLost', 'aborted')), { once: true }); }) });
    const { error: failure } = await runExec(cluster, { startTimeoutSeconds: 6 });
    assert.ok(failure instanceof ClusterError && failure.reason === 'DeadlineExceeded');
    assert.match(failure.message, /not answered within 6s \(--start-timeout\)/);
    assert.equal(cluster.seconds, 6);
  });

  it('says that it does not know where the API server does not answer either way', async () => {
    const cluster = new ExecCluster(['n0']);
    const stop = new AbortController();
    cluster.onCall = (call) => {
      if (stop.signal.aborted) return error('Unreachable', 'connection refused');
      if (!createsJob(call)) return null;
      stop.abort(new Error('Ctrl-C'));
      return { after: error('ConnectionLost', 'lost') };
    };
    const { notes, records } = await runExec(cluster, { signal: stop.signal });
    assert.match(notes.join('\n'), /whether the Job .* was created is not known .*the cluster ends it by itself/);
    assert.equal(records.runs.size, 1);
  });

  it('waits for a quota that is full, and says so when the time to start is over', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.onCall = (call) => (createsJob(call) && cluster.seconds < 40 ? error('Forbidden', 'jobs.batch is forbidden: exceeded quota: q', 403) : null);
    assert.deepEqual((await runExec(cluster)).outcomes, ['n0: 0']);
    const full = new ExecCluster(['n0']);
    full.onCall = (call) => (createsJob(call) ? error('Forbidden', 'jobs.batch is forbidden: exceeded quota: q', 403) : null);
    const ran = await runExec(full);
    assert.equal(reasonOf(ran), 'QuotaExceeded');
    assert.ok(full.seconds <= 300, `${full.seconds} s`);
    const ofPods = new ExecCluster(['n0']);
    ofPods.refusesPod = () => 'Error creating: pods "x" is forbidden: exceeded quota: q';
    assert.equal(reasonOf(await runExec(ofPods)), 'QuotaExceeded');
  });

  it('tells what the Job controller is refused of one node, while others go on', async () => {
    const cluster = new ExecCluster(['n0', 'n1', 'n2']);
    cluster.refusesPod = (node) => (node === 'n1' ? 'Error creating: pods "x" is forbidden: ValidatingAdmissionPolicy \'p\' with binding \'b\' denied request: not there' : null);
    const ran = await runExec(cluster);
    assert.deepEqual(ran.outcomes.toSorted(), ['n0: 0', 'n1: null Refused', 'n2: 0']);
    assert.match(messageOf(ran, 1), /denied request: not there/);
    assert.ok(cluster.seconds < 30, `${cluster.seconds} s`);
    assert.equal(cluster.jobs.size, 0);
    const security = new ExecCluster(['n0']);
    security.refusesPod = () => 'Error creating: pods "x" is forbidden: violates PodSecurity "baseline:latest": hostProcess';
    assert.match(messageOf(await runExec(security)), /violates PodSecurity.*--anchor=pod/);
  });

  it('knows its pod by the UID of its Job, and no pod that has the labels alone', async () => {
    const cluster = new ExecCluster(['n0']);
    const trap: KubeObject = {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: `${JOB}-aaaaa`, namespace: 'ops', uid: 'trap', labels: { 'kubectl-win/run': RUN }, ownerReferences: [{ kind: 'Job', name: JOB, uid: 'another' }] },
      spec: { nodeName: 'n0' }, status: { phase: 'Running', containerStatuses: [{ name: 'hostprocess', state: { running: {} } }] },
    };
    cluster.pods.set(`${JOB}-aaaaa`, trap);
    const ran = await runExec(cluster);
    assert.deepEqual(ran.outcomes, ['n0: 0']);
    assert.deepEqual(cluster.callsOf('exec').map(({ name }) => name), [`${JOB}-abcde`]);
    assert.deepEqual([...cluster.pods.keys()], [`${JOB}-aaaaa`]);
  });

  it('ends at --start-timeout with the last that is known of a pod that does not start', async () => {
    const silent = new ExecCluster(['n0']);
    silent.playNode = () => undefined;
    const ran = await runExec(silent);
    assert.equal(reasonOf(ran), 'StartTimeout');
    assert.equal(messageOf(ran), 'not started within 5m: the kubelet has not taken its pod up Look at the node and its kubelet (kubectl describe node), or give it more time (--start-timeout).');
    const warned = new ExecCluster(['n0']);
    warned.playNode = (pod) => {
      pod.waits(1, 'ContainerCreating');
      pod.event(2, 'FailedCreatePodSandBox', 'Failed to create pod sandbox: no network');
    };
    assert.match(messageOf(await runExec(warned)), /Failed to create pod sandbox: no network Look at the node .*\(--start-timeout\)\.$/);
    assert.deepEqual([warned.jobs.size, warned.pods.size], [0, 0]);
  });

  it('tells --start-timeout as it was given, also where creating has taken some of it', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.playNode = () => undefined;
    const create = cluster.writer.create.bind(cluster.writer);
    Object.assign(cluster.writer, { create: async (...args: Parameters<typeof create>) => {
      if (args[2]?.dryRun !== true) await cluster.clock.sleep(100, new AbortController().signal);
      return create(...args);
    } });
    assert.match(messageOf(await runExec(cluster, { startTimeoutSeconds: 8 })), /^not started within 8s: /);
  });

  it('waits for a pull that the kubelet tries again, and gives up at once what will not come', async () => {
    const passing = new ExecCluster(['n0']);
    passing.playNode = (pod) => {
      pod.waits(1, 'ErrImagePull', 'failed to pull image: dial tcp: lookup registry.example: i/o timeout');
      pod.runs(60);
    };
    const ran = await runExec(passing);
    assert.deepEqual(ran.outcomes, ['n0: 0']);
    assert.ok(ran.steps.some((step) => step.type === 'pulling' && /i\/o timeout/.test(step.message ?? '')));
    const never = new ExecCluster(['n0']);
    never.playNode = (pod) => pod.waits(1, 'ErrImagePull', 'failed to resolve reference "r/x": not found');
    assert.equal(reasonOf(await runExec(never)), 'PullFailed');
    assert.ok(never.seconds < 30);
    const late = new ExecCluster(['n0']);
    late.playNode = (pod) => pod.waits(1, 'ErrImagePull', 'failed to pull image: dial tcp: lookup registry.example: i/o timeout');
    const gaveUp = await runExec(late);
    assert.equal(reasonOf(gaveUp), 'PullFailed');
    assert.match(messageOf(gaveUp), /i\/o timeout/);
  });

  it('tells a pod that is deleted, that has ended, or that its node has no room for', async () => {
    const deleted = new ExecCluster(['n0']);
    deleted.playNode = (pod) => {
      pod.waits(1, 'ContainerCreating');
      pod.gone(3);
    };
    assert.equal(reasonOf(await runExec(deleted)), 'Deleted');
    const ended = new ExecCluster(['n0']);
    ended.playNode = (pod) => pod.status(1, { phase: 'Failed', containerStatuses: [{ name: 'hostprocess', state: { terminated: { exitCode: 3 } } }] });
    assert.match(messageOf(await runExec(ended)), /main process of its pod has ended with exit code 3/);
    const full = new ExecCluster(['n0']);
    full.playNode = (pod) => pod.status(1, { phase: 'Failed', reason: 'OutOfpods', message: 'Node has not enough pods' });
    assert.equal(reasonOf(await runExec(full)), 'NodeFull');
  });

  for (const [what, take] of [
    ['that is being deleted', (cluster: ExecCluster) => cluster.endPod(`${JOB}-abcde`)], ['that is gone at once', (cluster: ExecCluster) => cluster.removePod(`${JOB}-abcde`)],
    ['that is told of behind the end of the command', (cluster: ExecCluster) => cluster.clock.later(0.5, () => cluster.removePod(`${JOB}-abcde`))],
  ] as const) {
    it(`does not take the end of a pod ${what} for that of the command`, async () => {
      const cluster = new ExecCluster(['n0']);
      cluster.playCommand = async ({ err, wait }) => {
        await err(sign('start 42'));
        await wait(3);
        take(cluster);
        return 1;
      };
      const ran = await runExec(cluster);
      assert.deepEqual(ran.outcomes, ['n0: null Deleted']);
      assert.match(messageOf(ran), /^its pod (?:was|is being) deleted; the end of the command was not seen \(the API server says exit code 1\) Find out who deletes/);
    });
  }

  it('believes the code of a runner that was killed in a pod that stays', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.playCommand = async ({ err }) => {
      await err(sign('start 42'));
      return 1;
    };
    assert.deepEqual((await runExec(cluster)).outcomes, ['n0: 1']);
  });

  it('makes the pod alone with --anchor=pod, and removes that', async () => {
    const cluster = new ExecCluster(['n0']);
    const ran = await runExec(cluster, { anchor: 'pod' });
    assert.deepEqual(ran.outcomes, ['n0: 0']);
    assert.deepEqual(cluster.callsOf('create').map(({ resource }) => resource), ['pods']);
    assert.equal(cluster.pods.size, 0);
  });

  it('ends the run where who is asking is not taken any more, and leaves nothing that can be removed', async () => {
    const cluster = new ExecCluster(['n0', 'n1', 'n2']);
    cluster.onCall = (call, object) => (createsJob(call) && stringAt(object, 'spec', 'template', 'spec', 'nodeName') === 'n2' ? error('Unauthorized', 'the token has expired', 401) : null);
    const { error: failure, report } = await runExec(cluster, { parallel: 2 });
    assert.ok(failure instanceof ClusterError && failure.reason === 'Unauthorized');
    assert.equal(report?.phase, 'failed');
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });
});

describe('the end of a session', () => {
  it('is tried again where the answer is lost', async () => {
    const cluster = new ExecCluster(['n0']);
    let count = 0;
    cluster.onCall = ({ verb }) => (verb === 'delete' && ++count === 1 ? error('ConnectionLost', 'lost') : null);
    const { steps } = await runExec(cluster);
    assert.ok(steps.some(({ type }) => type === 'cleaned-up'));
    assert.equal(cluster.jobs.size, 0);
  });

  it('deletes the pod of a Job as well where the garbage collector is slow', async () => {
    const cluster = new ExecCluster(['n0']);
    cluster.collects = false;
    const { steps } = await runExec(cluster);
    assert.ok(steps.some(({ type }) => type === 'cleaned-up'));
    assert.deepEqual(cluster.callsOf('delete').map(({ resource }) => resource), ['jobs', 'pods']);
  });

  it('says what may be left where the node does not answer, and holds nobody up for longer than ten seconds', async () => {
    const cluster = new ExecCluster(['n0', 'n1']);
    cluster.endsPods = (node) => node !== 'n0';
    const { outcomes, notes, records, steps } = await runExec(cluster, { parallel: 1 });
    assert.deepEqual(outcomes, ['n0: 0', 'n1: 0']);
    assert.match(notes.join('\n'), /n0: Job .* is deleted, and its node does not say that its processes have ended; they end by themselves/);
    assert.ok(!steps.some(({ type }) => type === 'cleaned-up'));
    assert.equal(records.runs.size, 1);
    assert.ok(cluster.seconds < 25, `${cluster.seconds} s`);
  });
});
