import assert from 'node:assert/strict';
import { cleanUp, type CleanedUp, type CleanUpOptions } from '../../../../src/app/prepull/clean-up.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { keepWarmDaemonSets } from '../../../../src/domain/prepull/keep-warm.ts';
import { IMAGE_PULL_JOBS, kruisePulls } from '../../../../src/domain/prepull/kruise-objects.ts';
import { pullJob, runJob, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { error, ScriptedCluster } from '../../../prepull/scripted-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const OPTIONS: RunOptions = { run: 'r1', namespace: 'web', origin: 'kubectl win test', timeoutSeconds: 600, serviceAccount: null, pullSecrets: [] };

function placed(object: KubeObject, uid: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid, namespace: 'web' } };
}

function pullOf(run: string, index: number): KubeObject {
  return pullJob({ ...OPTIONS, run }, { index, attempt: 1, node: `n${index}`, image: 'a:1', isRefreshed: false }, { name: `kubectl-win-prepull-${run}`, uid: `u-${run}` });
}

/** A run with four pulls each. */
function cluster(...runs: readonly string[]): ScriptedCluster {
  const made = new ScriptedCluster();
  for (const run of runs) {
    made.jobs.set(`kubectl-win-prepull-${run}`, placed(runJob({ ...OPTIONS, run }, '{}'), `u-${run}`));
    for (let index = 0; index < 4; index += 1) made.jobs.set(`kubectl-win-prepull-${run}-${index}`, placed(pullOf(run, index), `u-${run}-${index}`));
  }
  return made;
}

function clean(made: ScriptedCluster, options: Partial<CleanUpOptions> = {}): Promise<CleanedUp> {
  return cleanUp({ namespace: 'web', runs: 'all', signal: new AbortController().signal, ...options }, made);
}

const daemonSets = [...keepWarmDaemonSets([{ images: ['a:1'], terms: [[]] }], { ...OPTIONS, run: 'w1' })].map((one) => placed(one, 'u-w1'));
const imagePullJobs = kruisePulls([planItem({ node: 'n0' })], { ...OPTIONS, run: 'k1', parallel: 1, retries: 1 }, IMAGE_PULL_JOBS).map(({ job }) => placed(job, 'u-k1'));

/** With what --keep-warm and OpenKruise have made besides. */
function withAll(...runs: readonly string[]): ScriptedCluster {
  const made = cluster(...runs);
  made.objects['daemonsets'] = daemonSets;
  made.objects['imagepulljobs'] = imagePullJobs;
  return Object.assign(made, { reader: { ...made.reader, resources: async () => [IMAGE_PULL_JOBS] } });
}

describe('prepull cleanup', () => {
  it('removes the run\'s own Job first, then its pulls, and no other run', async () => {
    const made = cluster('r1', 'r2');
    const { removed, refusals, stoppedBy } = await clean(made, { runs: ['r1'] });
    assert.deepEqual([removed, refusals, stoppedBy], [[{ run: 'r1', namespace: 'web', jobs: 5, daemonSets: 0 }], [], null]);
    assert.equal(made.calls.find(({ verb }) => verb === 'delete')?.name, 'kubectl-win-prepull-r1');
    assert.deepEqual([...made.jobs.keys()].every((name) => name.includes('r2')), true);
    assert.equal(made.jobs.size, 5);
  });

  it('removes what the run began meanwhile', async () => {
    const made = cluster('r1');
    made.onCall = ({ verb, name }) => {
      if (verb === 'delete' && name === 'kubectl-win-prepull-r1-3') made.jobs.set('kubectl-win-prepull-r1-9', placed(pullOf('r1', 9), 'late'));
      return null;
    };
    assert.deepEqual((await clean(made)).removed, [{ run: 'r1', namespace: 'web', jobs: 6, daemonSets: 0 }]);
    assert.equal(made.jobs.size, 0);
  });

  it('removes what --keep-warm and OpenKruise have made, too', async () => {
    assert.deepEqual((await clean(withAll('r1'))).removed, [{ run: 'r1', namespace: 'web', jobs: 5, daemonSets: 0 }, { run: 'w1', namespace: 'web', jobs: 0, daemonSets: 1 }, { run: 'k1', namespace: 'web', jobs: 1, daemonSets: 0 }]);
  });

  it('tries again what passes, as long as the server asks for', async () => {
    const made = cluster('r1');
    let failures = 2;
    made.onCall = ({ verb, name }) => (verb === 'delete' && name.endsWith('-1') && (failures -= 1) >= 0 ? error('TooManyRequests', 'slow down', 429) : null);
    const { removed, refusals } = await clean(made);
    assert.deepEqual([removed[0]?.jobs, refusals, made.jobs.size], [5, [], 0]);
    assert.equal(made.seconds, 3);
  });

  it('goes on where something is refused, and tells of both', async () => {
    const made = withAll('r1');
    made.onCall = ({ verb, resource, name }) => (verb === 'delete' && (resource === 'daemonsets' || /-[12]$/.test(name)) ? error('Forbidden', `${resource} is forbidden: no`, 403) : null);
    const { removed, refusals, hasSeenAll } = await clean(made);
    assert.deepEqual(removed.map(({ run, jobs, daemonSets: own }) => [run, jobs, own]), [['r1', 3, 0], ['w1', 0, 0], ['k1', 1, 0]]);
    assert.deepEqual(refusals.map(({ message }) => message), [
      'jobs "kubectl-win-prepull-r1-1" and 1 more of the run r1 in web are not deleted: jobs is forbidden: no', 'daemonsets "kubectl-win-keep-warm-w1-0" of the run w1 in web is not deleted: daemonsets is forbidden: no',
    ]);
    assert.ok(hasSeenAll);
  });

  it('waits for a server that sheds everything no longer than once', async () => {
    const made = cluster('r1');
    made.onCall = ({ verb }) => (verb === 'delete' ? error('TooManyRequests', 'slow down', 429) : null);
    const { removed, refusals } = await clean(made);
    assert.deepEqual([removed, refusals.length], [[{ run: 'r1', namespace: 'web', jobs: 0, daemonSets: 0 }], 1]);
    assert.equal(made.seconds, 15);
  });

  it('looks for the rest where something may not be listed', async () => {
    const made = withAll('r1');
    made.onCall = ({ verb, resource }) => (verb === 'list' && (resource === 'jobs' || resource === 'daemonsets') ? error('Forbidden', `${resource} is forbidden`, 403) : null);
    const { removed, refusals, hasSeenAll, notes } = await clean(made);
    assert.deepEqual([removed.map(({ run }) => run), refusals.map(({ message }) => message), hasSeenAll, notes], [['k1'], ['jobs is forbidden'], false, ['daemonsets may not be listed: what --keep-warm made is not looked at']]);
  });

  it('tells what is removed when it is stopped in the middle', async () => {
    const made = cluster('r1');
    const controller = new AbortController();
    made.onCall = ({ verb, name }) => {
      if (verb === 'delete' && name === 'kubectl-win-prepull-r1') controller.abort(new Error('Ctrl-C'));
      return null;
    };
    const { removed, stoppedBy } = await clean(made, { signal: controller.signal });
    assert.deepEqual([removed, String(stoppedBy?.error)], [[{ run: 'r1', namespace: 'web', jobs: 1, daemonSets: 0 }], 'Error: Ctrl-C']);
  });

  it('of nothing is nothing', async () => assert.deepEqual((await clean(new ScriptedCluster())).removed, []));
});
