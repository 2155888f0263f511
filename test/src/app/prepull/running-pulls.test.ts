import assert from 'node:assert/strict';
import { stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { error, ScriptedCluster, type PlayedPull } from '../../../prepull/scripted-cluster.ts';
import { created, IMAGE, itemsOf, noPod, numbered, run, RUN } from '../../../prepull/scripted-run.ts';

const NO_ADDRESS = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox: no addresses available';

describe('pulls that are under way', function () {
  this.timeout(30_000);

  it('are judged by the pods that their own Jobs made, and by what kubelets say of these', async () => {
    const cluster = new ScriptedCluster();
    const forged = (pull: PlayedPull, owner: Readonly<Record<string, unknown>> | null): KubeObject => ({
      apiVersion: 'v1', kind: 'Pod', metadata: { name: `${pull.job}-forge`, namespace: 'web', uid: 'forged', labels: { 'kubectl-win/run': 'ab12c', 'kubectl-win/role': 'pull', 'batch.kubernetes.io/job-name': pull.job, 'job-name': pull.job }, ...(owner === null ? {} : { ownerReferences: [owner] }) },
      spec: { nodeName: pull.node }, status: { phase: 'Succeeded', containerStatuses: [{ name: 'pull', imageID: `${IMAGE}@sha256:${'f'.repeat(64)}`, state: { terminated: { exitCode: 0, containerID: 'x' } } }] },
    });
    cluster.play = (pull) => {
      const uid = stringAt(cluster.jobs.get(pull.job), 'metadata', 'uid');
      cluster.later(1, () => {
        for (const owner of [null, { kind: 'Job', name: pull.job, uid: 'another' }, { kind: 'Job', name: pull.job, uid, controller: false }, { kind: 'Job', name: pull.job, uid: 'another', controller: true }]) cluster.tell('pods', { type: 'ADDED', object: forged(pull, owner) });
      });
      // of another pod of this name
      pull.event(1, `Container image "${IMAGE}" already present on machine`, 'Pulled', { involvedObject: { uid: 'another' } });
      pull.failing(5, '401 Unauthorized');
    };
    assert.deepEqual((await run(cluster, itemsOf(['a']))).outcomes, ['a r.example/x:1: failed Unauthorized']);
  });

  it('do not count where their pod is on another node', async () => {
    const cluster = new ScriptedCluster();
    cluster.showsPods = false;
    cluster.play = (pull) => pull.pod(1, { phase: 'Succeeded', containerStatuses: [{ name: 'pull', state: { terminated: { exitCode: 0, containerID: 'x' } } }] }, 'elsewhere');
    const { outcomes, messages } = await run(cluster, itemsOf(['a']));
    assert.deepEqual(outcomes, ['a r.example/x:1: failed Misplaced']);
    assert.match(messages[0] ?? '', /its pod is on elsewhere/);
  });

  it('that no event may be read of are there, and nothing is asked for them', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, resource }) => (resource === 'events' && (verb === 'list' || verb === 'watch') ? error('Forbidden', 'no', 403) : null);
    const { events } = await run(cluster, itemsOf(numbered(20)));
    assert.deepEqual([...new Set(events.flatMap((event) => (event.type === 'finished' ? [`${event.outcome.result} ${event.outcome.reason} ${event.outcome.seconds} ${event.outcome.sizeBytes}`] : [])))], ['pulled PulledOrPresent null null']);
    assert.ok(cluster.calls.filter(({ resource }) => resource === 'events').length <= 4);
  });

  it('that get no sandbox are told of at once, give their place up after some minutes, and are tried again', async () => {
    const cluster = new ScriptedCluster();
    const told: number[] = [];
    cluster.play = (pull) => {
      if (pull.node === 'full' && pull.attempt === 1) for (const seconds of [3, 15, 30, 60, 90]) pull.event(seconds, NO_ADDRESS, 'FailedCreatePodSandBox');
      else pull.pulled(20);
    };
    const { outcomes, events } = await run(cluster, itemsOf(['full', 'other']), { parallel: 1 }, ({ type }) => {
      if (type === 'stalled') told.push(cluster.seconds);
    });
    assert.deepEqual(outcomes, ['other r.example/x:1: pulled Pulled', 'full r.example/x:1: pulled Pulled']);
    assert.deepEqual(told, [3]);
    assert.deepEqual(events.flatMap((event) => (event.type === 'retry' ? [event.message] : [])), [`no sandbox for the pod within 3m: ${NO_ADDRESS}`]);
    assert.ok(cluster.seconds < 300);
  });

  it('that never get one fail so', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => pull.event(3, NO_ADDRESS, 'FailedCreatePodSandBox');
    const { outcomes } = await run(cluster, itemsOf(['full']), { retries: 1 });
    assert.deepEqual(outcomes, ['full r.example/x:1: failed SandboxFailed']);
    assert.ok(cluster.seconds < 400);
  });

  it('go on where the sandbox comes late', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      pull.event(3, NO_ADDRESS, 'FailedCreatePodSandBox');
      pull.event(100, `Pulling image "${IMAGE}"`, 'Pulling');
      pull.pulled(1_000);
    };
    const { outcomes } = await run(cluster, itemsOf(['a']));
    assert.deepEqual([outcomes, created(cluster)], [['a r.example/x:1: pulled Pulled'], [`${RUN}-0`]]);
  });

  for (const [what, message] of [
    ['a webhook that does not answer', 'Error creating: Internal error occurred: failed calling webhook "w.example": failed to call webhook: Post "https://w.web.svc:443/": context deadline exceeded'],
    ['a database that is busy', 'Error creating: etcdserver: request timed out'],
    ['a full quota', 'Error creating: pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5'],
    ['a quota that was just made', 'Error creating: pods "x" is forbidden: status unknown for quota: q, resources: pods'],
  ] as const) {
    it(`wait for their pod where ${what} keeps it off, which the Job controller tries again`, async () => {
      const cluster = new ScriptedCluster();
      cluster.showsPods = false;
      cluster.play = (pull) => {
        cluster.later(5, () => noPod(cluster, pull, message));
        pull.pulled(300);
      };
      const { outcomes, events } = await run(cluster, itemsOf(['a']));
      assert.deepEqual([outcomes, created(cluster)], [['a r.example/x:1: pulled Pulled'], [`${RUN}-0`]]);
      assert.deepEqual(events.flatMap((event) => (event.type === 'stalled' ? [event.message] : [])), [message]);
    });
  }

  it('say at --timeout why no pod came', async () => {
    const cluster = new ScriptedCluster();
    cluster.showsPods = false;
    cluster.play = (pull) => cluster.later(5, () => noPod(cluster, pull, 'Error creating: etcdserver: request timed out'));
    const { outcomes, messages } = await run(cluster, itemsOf(['a']), { timeoutSeconds: 100 });
    assert.deepEqual(outcomes, ['a r.example/x:1: failed Timeout']);
    assert.equal(messages[0], 'no pod was made within 100s (--timeout); the last that was said of it: Error creating: etcdserver: request timed out');
  });

  it('say of a pod that is drained away that it was, and begin anew', async () => {
    const cluster = new ScriptedCluster();
    const condition = (reason: string): Readonly<Record<string, unknown>> => ({ conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: 'x' }] });
    cluster.play = (pull) => {
      if (pull.attempt > 1) pull.pulled(5);
      else if (pull.node === 'drained') {
        pull.pod(2, { phase: 'Pending', ...condition('EvictionByEvictionAPI') });
        pull.gone(3);
      } else if (pull.node === 'removed') pull.pod(2, { phase: 'Failed', ...condition('DeletionByPodGC') });
      else pull.gone(3);
    };
    const { outcomes, events } = await run(cluster, itemsOf(['drained', 'removed', 'deleted']));
    assert.deepEqual(outcomes.map((text) => text.slice(text.indexOf(': '))), [': pulled Pulled', ': pulled Pulled', ': pulled Pulled']);
    assert.deepEqual(events.flatMap((event) => (event.type === 'retry' ? [`${event.item.node}: ${event.message}`] : [])).toSorted(), [
      'deleted: its pod was deleted before the image was there', 'drained: its pod was evicted, as kubectl drain does', 'removed: its pod was removed: the node is gone',
    ]);
  });

  it('whose time is over on a node that is not Ready are lost with it', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => pull.gone(100); // the Job controller, at the deadline
    cluster.later(50, () => cluster.tell('nodes', { type: 'MODIFIED', object: { ...(cluster.objects['nodes'] ?? [])[0], status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } } }));
    const { outcomes, messages } = await run(cluster, itemsOf(['a']), { timeoutSeconds: 100 });
    assert.deepEqual([outcomes, messages], [['a r.example/x:1: failed NodeLost'], ['no image within 100s (--timeout): the node is not Ready']]);
  });
});
