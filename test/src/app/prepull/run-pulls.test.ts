import assert from 'node:assert/strict';
import { runPulls } from '../../../../src/app/prepull/run-pulls.ts';
import { numberAt, stringAt } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { error, ScriptedCluster, type PlayedPull } from '../../../prepull/scripted-cluster.ts';
import { created, IMAGE, itemsOf, noPod, numbered, otherNode, recordOf, run, RUN, type Ran } from '../../../prepull/scripted-run.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

describe('a run of pulls', function () {
  this.timeout(30_000);

  it('of nothing does nothing', async () => {
    const cluster = new ScriptedCluster();
    assert.deepEqual((await run(cluster, itemsOf(['a'], [IMAGE], { action: 'skip' }))).events, []);
    assert.deepEqual(cluster.calls, []);
  });

  it('says what happens, in its order, and leaves nothing', async () => {
    const cluster = new ScriptedCluster();
    const { events } = await run(cluster, itemsOf(['a']));
    assert.deepEqual(events.map(({ type }) => type), ['began', 'started', 'scheduled', 'finished', 'cleaned-up']);
    const finished = events.find((event) => event.type === 'finished');
    assert.deepEqual(finished?.type === 'finished' ? finished.outcome : null, { result: 'pulled', reason: 'Pulled', message: 'pulled', digest: `sha256:${'a'.repeat(64)}`, seconds: 2, sizeBytes: 1000 });
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('never exceeds the window, and pulls one image at a time on a node', async () => {
    for (const parallel of [1, 3, 7]) {
      const cluster = new ScriptedCluster();
      const { outcomes } = await run(cluster, itemsOf(numbered(12), ['a:1', 'b:1', 'c:1']), { parallel });
      assert.deepEqual([outcomes.length, cluster.most, cluster.mostOnNode], [36, parallel, 1]);
    }
    const all = new ScriptedCluster();
    await run(all, itemsOf(numbered(40)), { parallel: 0 });
    assert.equal(all.most, 40);
  });

  it('counts what the kubelet says was there as present, also where the event comes after the status', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      if (pull.node === 'n0') pull.pulled(2, `Container image "${IMAGE}" already present on machine and can be accessed by the pod`);
      else {
        pull.pod(2, { phase: 'Succeeded', containerStatuses: [{ name: 'pull', state: { terminated: { exitCode: 0, containerID: 'x' } } }] });
        if (pull.node === 'n1') pull.event(2.5, `Container image "${IMAGE}" already present on machine`);
      }
    };
    const { outcomes, events } = await run(cluster, itemsOf(numbered(3)));
    assert.deepEqual(outcomes.toSorted(), ['n0 r.example/x:1: present AlreadyPresent', 'n1 r.example/x:1: present AlreadyPresent', 'n2 r.example/x:1: pulled PulledOrPresent']);
    // Without an event it may have been there: no bytes, and no time that it took.
    const last = events.findLast((event) => event.type === 'finished');
    assert.deepEqual(last?.type === 'finished' ? [last.outcome.sizeBytes, last.outcome.seconds, last.outcome.message] : null, [null, null, 'it is there, and nothing told whether it was before']);
  });

  const succeeded = { phase: 'Succeeded', containerStatuses: [{ name: 'pull', state: { terminated: { exitCode: 0, containerID: 'x' } } }] };
  const presence = `Container image "${IMAGE}" already present on machine`;
  const askedForEvents = ({ calls }: ScriptedCluster): readonly string[] => calls.filter(({ verb, resource }) => verb === 'list' && resource === 'events').map(({ name }) => name).slice(1);

  it('waits for an event as long as others come, and asks for none of them', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      pull.pod(2, succeeded);
      pull.event(2.5 + Number(pull.node.slice(1)) / 10, presence);
    };
    const { outcomes } = await run(cluster, itemsOf(numbered(40)), { parallel: 0 });
    assert.deepEqual([...new Set(outcomes.map((outcome) => outcome.replace(/^n\d+ /, '')))], ['r.example/x:1: present AlreadyPresent']);
    assert.deepEqual(askedForEvents(cluster), []);
  });

  it('asks for all events together that have not come', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      pull.pod(2, succeeded);
      // as the API server has it while the watch is behind; of one it never comes
      if (pull.node !== 'n7') cluster.events.push({ apiVersion: 'v1', kind: 'Event', metadata: { name: pull.job, namespace: 'web' }, reason: 'Pulled', message: presence, involvedObject: { kind: 'Pod', name: `${pull.job}-abcde`, uid: `uid-${pull.job}-abcde` } });
    };
    const { outcomes } = await run(cluster, itemsOf(numbered(40)), { parallel: 0 });
    assert.deepEqual(outcomes.filter((outcome) => !outcome.endsWith(' present AlreadyPresent')), ['n7 r.example/x:1: pulled PulledOrPresent']);
    const asked = askedForEvents(cluster);
    assert.deepEqual([...new Set(asked)], ['involvedObject.kind=Pod,reason=Pulled']);
    assert.ok(asked.length <= 3, `${asked.length} lists`);
  });

  it('gives up an event that is the only one that does not come', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      if (pull.node === 'n0') pull.pod(2, succeeded);
      else pull.pulled(2 + Number(pull.node.slice(1)) / 2);
    };
    let seconds = 0;
    const { outcomes } = await run(cluster, itemsOf(numbered(30)), { parallel: 0 }, (event) => {
      if (event.type === 'finished' && event.item.node === 'n0') seconds = cluster.seconds;
    });
    assert.ok(outcomes.includes('n0 r.example/x:1: pulled PulledOrPresent'));
    assert.ok(seconds >= 6.5 && seconds <= 8, `${seconds} s`);
  });

  it('passes over the event of a container that was added', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      pull.event(1, 'Container image "istio" already present on machine', 'Pulled', { involvedObject: { kind: 'Pod', name: `${pull.job}-abcde`, fieldPath: 'spec.initContainers{istio-init}' } });
      pull.pulled(3);
    };
    assert.deepEqual((await run(cluster, itemsOf(['a']))).outcomes, ['a r.example/x:1: pulled Pulled']);
  });

  it('tries again what may pass, later each time, and gives up after --retries', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => pull.failing(1, 'dial tcp: i/o timeout');
    const { outcomes, events } = await run(cluster, itemsOf(['a']), { retries: 3 });
    assert.deepEqual(outcomes, ['a r.example/x:1: failed RegistryUnreachable']);
    assert.deepEqual(events.flatMap((event) => (event.type === 'retry' ? [[event.attempt, event.seconds]] : [])), [[1, 10], [2, 20], [3, 40]]);
    assert.deepEqual(created(cluster), [`${RUN}-0`, `${RUN}-0-2`, `${RUN}-0-3`, `${RUN}-0-4`]);
    const starts = cluster.calls.filter(({ verb, name }) => verb === 'create' && name !== RUN).map(({ at }) => at);
    assert.ok((starts[3] ?? 0) - (starts[2] ?? 0) >= 40);
  });

  it('R144: what the node cancels for want of progress is tried again, and comes', async () => {
    const cluster = new ScriptedCluster();
    // layers that were unpacked stay, so that each attempt gets further
    cluster.play = (pull) => (pull.attempt < 4 ? pull.failing(60, 'rpc error: code = Canceled desc = context canceled') : pull.pulled(50));
    const { outcomes, events } = await run(cluster, itemsOf(['a']));
    assert.deepEqual(outcomes, ['a r.example/x:1: pulled Pulled']);
    assert.equal(events.filter(({ type }) => type === 'retry').length, 3);
    const never = new ScriptedCluster();
    never.play = (pull) => pull.failing(60, 'rpc error: code = Canceled desc = context canceled');
    const hopeless = await run(never, itemsOf(['a']));
    assert.deepEqual(hopeless.outcomes, ['a r.example/x:1: failed Canceled']);
    assert.match(hopeless.messages[0] ?? '', /the node gave the pull up.*image_pull_progress_timeout.*context canceled/);
  });

  it('R143: a pull of 44 minutes without a sign of progress comes, and is told of while it lasts', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      if (pull.node === 'stuck') {
        pull.event(4, 'failed to create pod sandbox: no addresses', 'FailedCreatePodSandBox');
        pull.event(60, `Pulling image "${IMAGE}"`, 'Pulling');
      }
      pull.pulled(pull.node === 'quick' ? 120 : 44 * 60);
    };
    const { outcomes, events } = await run(cluster, itemsOf(['slow', 'stuck', 'quick']));
    assert.deepEqual(outcomes, ['quick', 'slow', 'stuck'].map((node) => `${node} r.example/x:1: pulled Pulled`));
    assert.deepEqual(created(cluster).length, 3);
    const told = events.flatMap((event) => (event.type === 'slow' ? [event] : []));
    assert.deepEqual(told.filter(({ item }) => item.node === 'slow').map(({ seconds, message }) => [Math.round(seconds / 60), message]), [5, 10, 15, 20, 25, 30, 35, 40].map((minutes) => [minutes, null]));
    assert.deepEqual([...new Set(told.filter(({ item }) => item.node === 'stuck').map(({ message }) => message))], ['failed to create pod sandbox: no addresses']);
    assert.equal(told.some(({ item }) => item.node === 'quick'), false);
  });

  it('R148: a node that takes no pod, and one whose pull hangs, keep nobody else waiting', async () => {
    const cluster = new ScriptedCluster();
    cluster.showsPods = false;
    cluster.play = (pull) => {
      if (pull.node === 'closed') pull.pod(0.5, { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: '0/9 nodes are available: 1 Too many pods.' }] }, '');
      else if (pull.node === 'hangs') pull.pod(0.5, { phase: 'Pending', containerStatuses: [{ name: 'pull', state: { waiting: { reason: 'ContainerCreating' } } }] });
      else pull.pulled(30);
      if (pull.node === 'hangs') pull.gone(2700);
    };
    const ended: string[] = [];
    const { outcomes } = await run(cluster, itemsOf(['closed', 'hangs', ...numbered(6)]), { parallel: 3 }, (event) => {
      if (event.type === 'finished') ended.push(`${event.item.node} ${cluster.seconds < 300 ? 'early' : 'late'}`);
    });
    assert.deepEqual(outcomes.filter((text) => text.includes('failed')).toSorted(), ['closed r.example/x:1: failed NodeFull', 'hangs r.example/x:1: failed Timeout']);
    assert.deepEqual(ended.filter((text) => text.endsWith('late')), ['hangs late']);
  });

  it('does not try again what will not pass', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => pull.failing(1, 'no match for platform in manifest: not found');
    assert.deepEqual((await run(cluster, itemsOf(['a']))).outcomes, ['a r.example/x:1: failed NoMatchForPlatform']);
    assert.equal(created(cluster).length, 1);
  });

  it('asks events for the cause of a mere back-off, and for pull secrets that are missing', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      if (pull.node === 'n0') {
        pull.event(1, 'Failed to pull image "x": x: not found', 'Failed');
        pull.event(1, 'Error: ErrImagePull', 'Failed');
        pull.failing(2, 'Back-off pulling image "x"', 'ImagePullBackOff');
      } else {
        pull.event(1, 'Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.', 'FailedToRetrieveImagePullSecret');
        pull.failing(2, '401 Unauthorized');
      }
    };
    const { outcomes, messages } = await run(cluster, itemsOf(numbered(2)));
    assert.deepEqual(outcomes, ['n0 r.example/x:1: failed NotFound', 'n1 r.example/x:1: failed Unauthorized']);
    assert.match(messages[1] ?? '', /regcred/);
  });

  it('pauses a registry that answers 429 for all nodes, and no other one', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => (pull.image.startsWith('limited') && pull.attempt === 1 && pull.node === 'n0' ? pull.failing(1, '429 Too Many Requests') : pull.pulled(2));
    const { events, outcomes } = await run(cluster, itemsOf(numbered(4), ['limited.example/x:1', 'other.example/x:1']), { parallel: 1 });
    assert.equal(outcomes.filter((text) => text.includes('pulled')).length, 8);
    assert.deepEqual(events.flatMap((event) => (event.type === 'paused' ? [event.message.split(':')[0]] : [])), ['limited.example']);
    const order = events.flatMap((event) => (event.type === 'started' ? [event.item.image.split('.')[0]] : []));
    assert.deepEqual(order.slice(0, 4), ['limited', 'other', 'other', 'other']);
  });

  it('a registry that limits pulls is paused longer each time, tried with one pull, and takes no attempt from anybody', async () => {
    const cluster = new ScriptedCluster();
    const starts: number[] = [];
    cluster.play = (pull) => {
      starts.push(cluster.seconds);
      if (cluster.seconds < 200) pull.failing(2, 'failed to copy: httpReadSeeker: failed open: unexpected status code: 429 Too Many Requests');
      else pull.pulled(60);
    };
    const { outcomes, events } = await run(cluster, itemsOf(numbered(20)), { parallel: 5, retries: 0 });
    assert.deepEqual([...new Set(outcomes.map((text) => text.replace(/^n\d+ /, '')))], ['r.example/x:1: pulled Pulled']);
    const pauses = events.flatMap((event) => (event.type === 'paused' ? [event.seconds] : []));
    assert.deepEqual(pauses, [10, 20, 40, 80, 160]);
    // five at first, then one at a time, and five again once it has let one through
    assert.deepEqual(starts.slice(0, 5).map(Math.floor), [0, 0, 0, 0, 0]);
    for (const [at, start] of starts.slice(5, 10).entries()) assert.ok(start - (starts[at + 4] ?? 0) >= (pauses[at] ?? 0), `${start}`);
    const [probe = 0, ...others] = starts.slice(9);
    assert.ok(probe >= 200 && others.slice(0, 4).every((start) => start - probe >= 30 && start - probe < 32), starts.slice(9).join(' '));
  });

  it('a registry that lets nothing through is given up after --timeout, for all that wait for it', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => (pull.image.startsWith('limited') ? pull.failing(1, 'toomanyrequests: You have reached your pull rate limit') : pull.pulled(2));
    const { outcomes, messages } = await run(cluster, itemsOf(numbered(6), ['limited.example/x:1', 'other.example/x:1']), { timeoutSeconds: 600 });
    assert.equal(outcomes.filter((text) => text.endsWith('other.example/x:1: pulled Pulled')).length, 6);
    assert.equal(outcomes.filter((text) => text.endsWith('limited.example/x:1: failed TooManyRequests')).length, 6);
    assert.match(messages.at(-1) ?? '', /^the registry has let no pull through for 10m \(--timeout\): .*rate limit/);
    assert.ok(cluster.seconds >= 600 && cluster.seconds < 600 + 310);
    assert.ok(created(cluster).length < 6 + 6 + 8, created(cluster).join(' '));
  });

  it('waits where the API server takes no Job for a while, first in the line being first again', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, name, at }) => (verb === 'create' && name !== RUN && at > 3 && at < 20 ? error(at < 10 ? 'TooManyRequests' : 'Unreachable', 'too many requests') : null);
    const { outcomes, events } = await run(cluster, itemsOf(numbered(9)), { parallel: 2 });
    assert.equal(outcomes.filter((text) => text.endsWith('pulled Pulled')).length, 9);
    assert.ok(events.some((event) => event.type === 'paused'));
    assert.equal(cluster.most, 2);
  });

  it('a full quota is waited for, and what is refused for good fails with its words', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, name, at }, job) => (verb !== 'create' || name === RUN ? null
      : stringAt(job, 'metadata', 'annotations', 'kubectl-win/node') === 'n1' ? error('Forbidden', 'jobs.batch is forbidden: no', 403)
        : at < 15 ? error('Forbidden', 'jobs.batch "x" is forbidden: exceeded quota: q', 403) : null);
    const { outcomes, messages } = await run(cluster, itemsOf(numbered(3)));
    assert.deepEqual(outcomes.toSorted(), ['n0 r.example/x:1: pulled Pulled', 'n1 r.example/x:1: failed Forbidden', 'n2 r.example/x:1: pulled Pulled']);
    assert.ok(messages.some((text) => text.includes('exceeded quota')));
  });

  it('waits no longer than --timeout for a quota that stays full, says so again and again, and asks for one Job at a time', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, name, at }) => (verb === 'create' && name !== RUN && at > 2 ? error('Forbidden', 'jobs.batch "x" is forbidden: exceeded quota: q', 403) : null);
    const { outcomes, messages, events } = await run(cluster, itemsOf(numbered(30)), { parallel: 8 });
    assert.deepEqual([...new Set(outcomes.map((text) => text.replace(/^n\d+ /, '')))], ['r.example/x:1: pulled Pulled', 'r.example/x:1: failed Forbidden']);
    assert.match(messages.at(-1) ?? '', /^not begun within 45m \(--timeout\): .*exceeded quota/);
    const paused = events.filter(({ type }) => type === 'paused').length;
    assert.ok(paused >= 40 && paused <= 50, `${paused} lines`);
    assert.ok(cluster.seconds < 2720);
    assert.ok(created(cluster).length < 2700 / 10 + 30, `${created(cluster).length} Jobs asked for`);
  });

  it('one pull that the API server does not take keeps the others from nothing', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, name }, job) => (verb === 'create' && name !== RUN && stringAt(job, 'metadata', 'annotations', 'kubectl-win/node') === 'n1' ? error('InternalError', 'failed calling webhook "w": context deadline exceeded', 500) : null);
    const ended: string[] = [];
    const { outcomes } = await run(cluster, itemsOf(numbered(12)), { parallel: 3 }, (event) => {
      if (event.type === 'finished' && cluster.seconds < 200) ended.push(event.item.node);
    });
    assert.equal(ended.length, 11);
    assert.equal(outcomes.at(-1), 'n1 r.example/x:1: failed InternalError');
    assert.ok(cluster.seconds >= 2700 && cluster.seconds < 2720);
  });

  it('looks for its pods where the watch is silent: a proxy may hold it back', async () => {
    const cluster = new ScriptedCluster();
    cluster.silent.add('pods');
    const { outcomes } = await run(cluster, itemsOf(numbered(4)), { parallel: 2, timeoutSeconds: 120 });
    assert.deepEqual(outcomes.toSorted(), numbered(4).map((node) => `${node} r.example/x:1: pulled Pulled`));
    assert.ok(cluster.seconds < 120, `${cluster.seconds} s`);
    const lists = cluster.calls.filter(({ verb, resource, at }) => verb === 'list' && resource === 'pods' && at > 0).map(({ at }) => Math.round(at));
    assert.ok(lists.length <= cluster.seconds / 30, lists.join(' '));
  });

  it('what the API server refuses has no reason of a registry, whose remedy would be beside the point', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, name }, job) => (verb !== 'create' || name === RUN ? null
      : stringAt(job, 'metadata', 'annotations', 'kubectl-win/node') === 'n0' ? error('NotFound', 'namespaces "web" not found', 404) : error('TooManyRequests', 'too many requests', 429));
    const { outcomes, messages } = await run(cluster, itemsOf(numbered(3)), { parallel: 1 });
    assert.deepEqual([...new Set(outcomes.map((text) => text.replace(/^n\d+ /, '')))], ['r.example/x:1: failed Refused']);
    assert.deepEqual([messages.some((text) => text === 'namespaces "web" not found'), messages.some((text) => /^not begun within 45m.*too many requests/.test(text))], [true, true]);
  });

  it('an answer that no other attempt changes is final, and one of the login ends the run', async () => {
    for (const [reason, status] of [['MethodNotAllowed', 405], ['Unknown', 418], ['RequestEntityTooLarge', 413]] as const) {
      const cluster = new ScriptedCluster();
      cluster.onCall = ({ verb, name }) => (verb === 'create' && name === `${RUN}-0` ? error(reason, 'no', status) : null);
      const { outcomes } = await run(cluster, itemsOf(numbered(2)));
      assert.deepEqual(outcomes, [`n0 r.example/x:1: failed ${reason}`, 'n1 r.example/x:1: pulled Pulled']);
    }
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, at }) => (verb === 'create' && at > 3 ? error('Unauthorized', 'You must be logged in', 401) : null);
    const { error: thrown } = await run(cluster, itemsOf(numbered(9)), { parallel: 2 });
    assert.ok(thrown instanceof ClusterError && thrown.reason === 'Unauthorized');
    assert.ok(cluster.seconds < 10);
    assert.equal(cluster.pods.size, 0);
  });

  it('takes a Job for its own whose answer was lost, within the window', async () => {
    const cluster = new ScriptedCluster();
    const lost = new Set<string>();
    cluster.onCall = ({ verb, name }) => {
      if (verb !== 'create' || lost.has(name) || lost.size > 3) return null;
      lost.add(name);
      return { after: error(name === RUN ? 'AlreadyExists' : 'ConnectionLost', 'lost') };
    };
    const { outcomes, error: thrown } = await run(cluster, itemsOf(numbered(6)), { parallel: 2 });
    assert.equal(thrown, null);
    assert.equal(outcomes.filter((text) => text.endsWith('pulled Pulled')).length, 6);
    assert.ok(cluster.most <= 2);
  });

  it('does not take the Job of another run that has its name', async () => {
    const cluster = new ScriptedCluster();
    cluster.jobs.set(RUN, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: RUN, namespace: 'web', uid: 'other', annotations: { 'kubectl-win/record': '{}' } } });
    const { error: thrown } = await run(cluster, itemsOf(['a']));
    assert.ok(thrown instanceof ClusterError && thrown.reason === 'AlreadyExists');
    assert.equal(cluster.jobs.size, 1);
  });

  it('goes on when requests in the middle fail: deletes, patches, lists of events', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, at }) => (at > 2 && at < 12 && (verb === 'delete' || verb === 'merge' || verb === 'list') ? error('InternalError') : null);
    const { outcomes, error: thrown } = await run(cluster, itemsOf(numbered(12)), { parallel: 3 });
    assert.deepEqual([outcomes.length, thrown, cluster.most], [12, null, 3]);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('begins anew what others delete, and says so in the end', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      if (pull.node === 'n0' && pull.attempt === 1) pull.gone(2);
      else if (pull.node === 'n1') pull.gone(2);
      else pull.pulled(3);
    };
    const { outcomes } = await run(cluster, itemsOf(numbered(2)), { retries: 1 });
    assert.deepEqual(outcomes.toSorted(), ['n0 r.example/x:1: pulled Pulled', 'n1 r.example/x:1: failed Deleted']);
  });

  it('ends when its own Job is removed, and begins nothing any more', async () => {
    const cluster = new ScriptedCluster();
    cluster.onTime = (seconds) => {
      if (seconds === 5) void cluster.writer.delete({ group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }, RUN, { namespace: 'web', uid: 'uid-1' });
    };
    cluster.play = (pull) => pull.pulled(60);
    const { error: thrown } = await run(cluster, itemsOf(numbered(8)), { parallel: 2 });
    assert.match(String(thrown), /the run ab12c was removed/);
    assert.equal(created(cluster).length, 2);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('ends when its deadline has passed on the server: the machine slept', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => pull.pulled(60);
    cluster.onTime = (seconds) => {
      const job = cluster.jobs.get(RUN);
      if (seconds === 20 && job !== undefined) cluster.jobs.set(RUN, { ...job, status: { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] } });
    };
    assert.match(String((await run(cluster, itemsOf(numbered(2)))).error), /its deadline passed/);
  });

  it('moves the deadline as long as it lives, also while it waits', async () => {
    const cluster = new ScriptedCluster();
    let last = 0;
    cluster.onTime = (seconds) => {
      const job = cluster.jobs.get(RUN);
      if (job === undefined) return;
      const left = (numberAt(job, 'spec', 'activeDeadlineSeconds') ?? 0) - seconds;
      assert.ok(left >= 60 + 120 - 32, `${left} s are left at ${seconds} s`);
      last = seconds;
    };
    cluster.play = (pull) => pull.failing(1, 'dial tcp: i/o timeout');
    await run(cluster, itemsOf(['a']), { retries: 6, timeoutSeconds: 60 });
    assert.ok(last > 500);
  });

  it('ends at last when the API server does not come back', async () => {
    const cluster = new ScriptedCluster();
    cluster.onCall = ({ verb, at }) => (at > 5 && verb !== 'list' ? error('Unreachable', 'no route to host') : null);
    const { error: thrown, messages } = await run(cluster, itemsOf(numbered(30)), { timeoutSeconds: 60, parallel: 2 });
    assert.match(String(thrown), /no route to host/);
    assert.ok(cluster.seconds < 400);
    assert.match(messages.join('\n'), /could not be cleaned up.*the cluster does so by itself within 8m, and kubectl win prepull cleanup ab12c -n web at once/);
  });

  it('a node that is not Ready for minutes keeps its pull; one that is removed loses it', async () => {
    const cluster = new ScriptedCluster();
    cluster.objects['nodes'] = ['blink', 'gone', 'late'].map((name) => rawNode(name, { ready: name !== 'late' }));
    cluster.play = (pull) => (pull.node === 'gone' ? undefined : pull.pulled(400));
    cluster.later(5, () => {
      cluster.tell('nodes', { type: 'MODIFIED', object: rawNode('blink', { ready: false }) });
      cluster.tell('nodes', { type: 'DELETED', object: rawNode('gone') });
    });
    cluster.later(280, () => cluster.tell('nodes', { type: 'MODIFIED', object: rawNode('blink') }));
    // a Windows node that unpacks layers may be away for long
    cluster.later(20 * 60, () => cluster.tell('nodes', { type: 'MODIFIED', object: rawNode('late') }));
    const { outcomes, messages, events } = await run(cluster, itemsOf(['blink', 'gone', 'late']), { parallel: 2 });
    assert.deepEqual(outcomes, ['gone r.example/x:1: failed NodeLost', 'blink r.example/x:1: pulled Pulled', 'late r.example/x:1: pulled Pulled']);
    assert.ok(messages.includes('the node is gone'));
    // while nothing else goes on, that is said
    const paused = events.filter((event) => event.type === 'paused');
    assert.deepEqual(paused.map(({ message }) => message), ['late is not Ready, and the pulls that are left wait for that']);
    assert.deepEqual(events.filter(({ type }) => type === 'retry'), []);
  });

  it('a pull whose node is lost is tried again when the node is back, and given up at --timeout', async () => {
    const cluster = new ScriptedCluster();
    cluster.objects['nodes'] = ['back', 'dead'].map((name) => rawNode(name));
    cluster.play = (pull) => { if (pull.node === 'back' && (pull.attempt === 2 || pull.image === 'b:1')) pull.pulled(10); };
    cluster.later(5, () => ['back', 'dead'].forEach((name) => cluster.tell('nodes', { type: 'MODIFIED', object: rawNode(name, { ready: false }) })));
    cluster.later(900, () => cluster.tell('nodes', { type: 'MODIFIED', object: rawNode('back') }));
    const { outcomes, messages, events } = await run(cluster, itemsOf(['back', 'dead'], ['a:1', 'b:1']), { retries: 1 });
    assert.deepEqual(outcomes.toSorted(), ['back a:1: pulled Pulled', 'back b:1: pulled Pulled', 'dead a:1: failed NodeLost', 'dead b:1: failed NodeLost']);
    assert.deepEqual(events.flatMap((event) => (event.type === 'retry' ? [`${event.item.node} ${event.message}`] : [])), ['back the node has not been Ready for 5m', 'dead the node has not been Ready for 5m']);
    assert.equal(messages.filter((text) => text === 'the node has not been Ready for 45m (--timeout)').length, 2);
    assert.ok(cluster.seconds > 2700 && cluster.seconds < 2720);
  });

  it('what was pulled onto a node is lost where another one has come in its place, and is pulled again where such nodes are meant', async () => {
    const replaced = async (planNode: boolean): Promise<{ readonly cluster: ScriptedCluster; readonly ran: Ran; readonly planned: readonly string[] }> => {
      const cluster = new ScriptedCluster();
      const planned: string[] = [];
      cluster.play = (pull) => pull.pulled(pull.node === 'b' ? 300 : 10);
      cluster.later(60, () => cluster.tell('nodes', { type: 'DELETED', object: rawNode('a') }));
      cluster.later(120, () => cluster.tell('nodes', { type: 'ADDED', object: otherNode('a', false) }));
      cluster.later(140, () => cluster.tell('nodes', { type: 'MODIFIED', object: otherNode('a') }));
      cluster.later(160, () => cluster.tell('nodes', { type: 'MODIFIED', object: otherNode('a') }));
      const ran = await run(cluster, itemsOf(['a', 'b']), !planNode ? {} : {
        planNode: async (node) => {
          planned.push(stringAt(node, 'metadata', 'uid') ?? '');
          return stringAt(node, 'metadata', 'uid') === 'other-a' ? itemsOf(['a']) : [];
        },
      });
      return { cluster, ran, planned };
    };
    const alone = await replaced(false);
    assert.deepEqual(alone.ran.outcomes, ['a r.example/x:1: pulled Pulled', 'a r.example/x:1: failed NodeLost', 'b r.example/x:1: pulled Pulled']);
    assert.equal(alone.ran.messages[1], 'another node of this name has come in its place; --watch-nodes pulls onto such nodes, too');
    const again = await replaced(true);
    assert.deepEqual(again.ran.outcomes, ['a r.example/x:1: pulled Pulled', 'a r.example/x:1: failed NodeLost', 'a r.example/x:1: pulled Pulled', 'b r.example/x:1: pulled Pulled']);
    assert.deepEqual(again.planned, ['uid-a', 'uid-b', 'other-a']);
    assert.deepEqual(created(again.cluster), [`${RUN}-0`, `${RUN}-1`, `${RUN}-2`]);
  });

  it('what is lost with a node in the middle is no longer on record as done, and counts once', async () => {
    const cluster = new ScriptedCluster();
    const stop = new AbortController();
    cluster.play = (pull) => pull.pulled(pull.node === 'b' ? 300 : 10);
    cluster.later(60, () => cluster.tell('nodes', { type: 'RELISTED', objects: [otherNode('a'), rawNode('b')] }));
    cluster.later(90, () => stop.abort(new Error('Ctrl-C')));
    await run(cluster, itemsOf(['a', 'b']), { signal: stop.signal });
    const record = recordOf(cluster);
    assert.deepEqual(record?.results.map(({ node, result, reason }) => [node, result, reason]), [['a', 'failed', 'NodeLost']]);
    assert.equal(record?.planned, 2);
  });

  it('a node that goes in the middle of its pulls and comes back while the run lasts is pulled onto, where such nodes are meant', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => pull.pulled(pull.node === 'b' ? 300 : 30);
    cluster.later(5, () => cluster.tell('nodes', { type: 'DELETED', object: rawNode('a') }));
    cluster.later(100, () => cluster.tell('nodes', { type: 'ADDED', object: otherNode('a') }));
    const { outcomes, events } = await run(cluster, itemsOf(['a', 'b'], ['p:1', 'q:1']), { planNode: async (node) => (stringAt(node, 'metadata', 'uid') === 'other-a' ? itemsOf(['a'], ['p:1', 'q:1']) : []) });
    const last = new Map(outcomes.map((text) => text.split(': ') as [string, string]));
    assert.deepEqual(Object.fromEntries(last), { 'a p:1': 'pulled Pulled', 'a q:1': 'pulled Pulled', 'b p:1': 'pulled Pulled', 'b q:1': 'pulled Pulled' });
    assert.equal(events.filter(({ type }) => type === 'joined').length, 1);
    assert.equal(outcomes.filter((text) => text.includes('NodeLost')).length, 2);
  });

  it('gives up what no node takes, with the scheduler\'s words', async () => {
    const cluster = new ScriptedCluster();
    cluster.showsPods = false;
    cluster.play = (pull: PlayedPull) => pull.pod(0.5, { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: pull.node === 'n0' ? '0/9 nodes are available: 1 Too many pods.' : '0/9 nodes are available: 9 node(s) didn\'t match.' }] }, '');
    const { outcomes, messages } = await run(cluster, itemsOf(numbered(2)));
    assert.deepEqual(outcomes, ['n0 r.example/x:1: failed NodeFull', 'n1 r.example/x:1: failed Unschedulable']);
    assert.match(messages[0] ?? '', /the scheduler finds no place: .*Too many pods/);
  });

  it('looks into a Job whose pod does not come, again and again', async () => {
    const cluster = new ScriptedCluster();
    cluster.showsPods = false;
    cluster.play = (pull) => cluster.later(20, () => noPod(cluster, pull, 'Error creating: pods "x" is forbidden: violates PodSecurity'));
    const { outcomes, messages } = await run(cluster, itemsOf(['a']));
    assert.deepEqual(outcomes, ['a r.example/x:1: failed Refused']);
    assert.match(messages[0] ?? '', /violates PodSecurity/);
    // The Job controller may still make one while its Job goes: the place is kept a while.
    assert.ok(cluster.seconds < 70);
  });

  it('says at --timeout what was heard last', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => {
      pull.event(2, 'failed to create pod sandbox: no addresses', 'FailedCreatePodSandBox');
      pull.gone(100); // the Job controller, at the deadline
    };
    const { outcomes, messages } = await run(cluster, itemsOf(['a']), { timeoutSeconds: 100 });
    assert.deepEqual(outcomes, ['a r.example/x:1: failed Timeout']);
    assert.match(messages[0] ?? '', /no image within 100s \(--timeout\); the last that was said of it: failed to create pod sandbox/);
  });

  it('frees the place of a pod that does not go away', async () => {
    const cluster = new ScriptedCluster();
    cluster.removesPods = false;
    cluster.play = (pull) => (pull.node === 'n0' ? pull.failing(1, '401 Unauthorized') : pull.pulled(2));
    const { outcomes } = await run(cluster, itemsOf(numbered(2)), { parallel: 1 });
    assert.deepEqual(outcomes, ['n0 r.example/x:1: failed Unauthorized', 'n1 r.example/x:1: pulled Pulled']);
    assert.ok(cluster.seconds > 30 && cluster.seconds < 45);
  });

  it('writes results down before their Jobs go', async () => {
    const cluster = new ScriptedCluster();
    let checked = 0;
    cluster.onCall = ({ verb, name }) => {
      if (verb !== 'delete' || name === RUN || !cluster.jobs.has(RUN)) return null;
      const job = cluster.jobs.get(name);
      const record = recordOf(cluster);
      assert.ok(record?.results.some(({ node }) => node === stringAt(job, 'metadata', 'annotations', 'kubectl-win/node')), `${name} goes, and nothing is on record`);
      checked += 1;
      return null;
    };
    await run(cluster, itemsOf(numbered(20)), { parallel: 4 });
    assert.ok(checked >= 12, `${checked}`);
  });

  it('interrupted: its pulls go, what is done stays on record, and its requests have a signal of their own', async () => {
    const cluster = new ScriptedCluster();
    const stop = new AbortController();
    const { error: thrown, outcomes, events } = await run(cluster, itemsOf(numbered(6)), { parallel: 2, signal: stop.signal }, (event) => {
      if (event.type === 'started' && event.item.node === 'n3') stop.abort(new Error('Ctrl-C'));
    });
    assert.match(String(thrown), /Ctrl-C/);
    assert.equal(events.some(({ type }) => type === 'cleaned-up'), false);
    assert.deepEqual([...cluster.jobs.keys()], [RUN]);
    assert.equal(cluster.pods.size, 0);
    const record = recordOf(cluster);
    assert.deepEqual([record?.phase, record?.planned, record?.results.length], ['interrupted', 6, outcomes.length]);
    assert.ok(outcomes.length >= 2);
  });

  it('interrupted before anything is done: nothing stays', async () => {
    const cluster = new ScriptedCluster();
    const stop = new AbortController();
    await run(cluster, itemsOf(numbered(6)), { signal: stop.signal }, ({ type }) => { if (type === 'started') stop.abort(new Error('Ctrl-C')); });
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('interrupted while a Job is being made, or its answer lost: it is known, and goes', async () => {
    for (const victim of [RUN, `${RUN}-1`]) for (const answer of [null, { after: error('ConnectionLost', 'lost') }]) {
      const cluster = new ScriptedCluster();
      const stop = new AbortController();
      cluster.onCall = ({ verb, name }) => {
        if (verb !== 'create' || name !== victim) return null;
        stop.abort(new Error('Ctrl-C'));
        return answer;
      };
      const { error: thrown } = await run(cluster, itemsOf(numbered(3)), { signal: stop.signal });
      assert.match(String(thrown), /Ctrl-C|lost/, victim);
      assert.deepEqual([...cluster.jobs.keys()], [], victim);
    }
  });

  it('a consumer that goes away is an interruption', async () => {
    const cluster = new ScriptedCluster();
    cluster.objects['nodes'] = [rawNode('a')];
    for await (const event of runPulls(itemsOf(['a']), { run: 'ab12c', namespace: 'web', origin: 'test', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [], parallel: 1, retries: 0, signal: new AbortController().signal, refused: 0, skipped: 0 }, { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock })) if (event.type === 'started') break;
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('ends with the reason when pods may not be watched, and goes on without nodes and events', async () => {
    const without = async (resource: string): Promise<Ran> => {
      const cluster = new ScriptedCluster();
      cluster.onCall = (call) => (call.resource === resource && (call.verb === 'watch' || (call.verb === 'list' && resource !== 'pods')) ? error('Forbidden', `cannot watch ${resource}`, 403) : null);
      return run(cluster, itemsOf(['a']));
    };
    assert.match(String((await without('pods')).error), /cannot watch pods/);
    for (const resource of ['nodes', 'events']) {
      const { error: thrown, outcomes, messages } = await without(resource);
      assert.equal(thrown, null);
      assert.deepEqual(outcomes, [`a r.example/x:1: pulled ${resource === 'events' ? 'PulledOrPresent' : 'Pulled'}`]);
      assert.ok(messages.includes(`${resource} cannot be watched: cannot watch ${resource}`));
    }
  });

  it('sees pods that were removed while a watch was begun anew', async () => {
    const cluster = new ScriptedCluster();
    cluster.play = (pull) => { if (pull.attempt > 1) pull.pulled(1); };
    cluster.later(4, () => {
      cluster.pods.clear();
      cluster.tell('pods', { type: 'RELISTED', objects: [] });
    });
    assert.deepEqual((await run(cluster, itemsOf(['a']))).outcomes, ['a r.example/x:1: pulled Pulled']);
  });

  it('asks the events of a busy namespace for no more than where they end', async () => {
    const cluster = new ScriptedCluster();
    await run(cluster, itemsOf(numbered(5)));
    assert.deepEqual(cluster.calls.filter(({ verb, resource }) => verb === 'list' && resource === 'events').map(({ name }) => name), ['involvedObject.kind=Pod,reason=Pulled']);
  });

  it('of 1,000 nodes and 3 images takes about two requests for each', async () => {
    const cluster = new ScriptedCluster();
    const { outcomes } = await run(cluster, itemsOf(numbered(1_000), ['a:1', 'b:1', 'c:1']), { parallel: 200 });
    assert.equal(outcomes.length, 3_000);
    assert.ok(cluster.most <= 200);
    assert.ok(cluster.calls.length < 3_000 * 2.3, `${cluster.calls.length} requests`);
  });
});
