import assert from 'node:assert/strict';
import type { RunStatus } from '../../../../src/app/prepull/run-status.ts';
import { waitForRun, type Waited, type WaitOptions } from '../../../../src/app/prepull/wait-for-run.ts';
import { nameOf, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { error, ScriptedCluster } from '../../../prepull/scripted-cluster.ts';
import { jobsOfRun } from '../../../support/prepull-jobs.ts';

const active = [{ node: 'win-1', image: 'a:1' }, { node: 'win-2', image: 'a:1' }];
const FAILED = { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] };

/** A run that was detached, of two pulls. */
function cluster(): ScriptedCluster {
  const made = new ScriptedCluster();
  for (const job of jobsOfRun('r1', { isDetached: true, record: { planned: 2 }, active })) made.jobs.set(nameOf(job), job);
  return made;
}

function ends(made: ScriptedCluster, index: number, status: Readonly<Record<string, unknown>>): void {
  const name = `kubectl-win-prepull-r1-${index}`;
  made.jobs.set(name, { ...made.jobs.get(name), status } as KubeObject); // a Job, with another status
}

/** What happens after so many looks. */
async function wait(made: ScriptedCluster, looks: Readonly<Record<number, () => void>>, options: Partial<WaitOptions> = {}): Promise<{ readonly seen: readonly string[]; readonly waited: Waited | null; readonly error: unknown; readonly seconds: number }> {
  let slept = 0;
  let now = Date.parse('2026-11-30T11:50:00Z');
  const clock = { now: () => new Date(now), sleep: async (milliseconds: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    now += milliseconds;
    slept += 1;
    looks[slept]?.();
  } };
  const seen: string[] = [];
  const text = ({ phase, counts: { pulled, failed }, active: own }: RunStatus): string => `${phase} ${pulled} ${failed} ${own.length}`;
  const result = (waited: Waited | null, problem: unknown): Awaited<ReturnType<typeof wait>> => ({ seen, waited, error: problem, seconds: (now - Date.parse('2026-11-30T11:50:00Z')) / 1000 });
  try {
    const statuses = waitForRun(made.reader, clock, { namespace: 'default', run: 'r1', timeoutSeconds: null, signal: new AbortController().signal, ...options });
    for (;;) {
      const { done, value } = await statuses.next();
      if (done === true) return result(value, null);
      seen.push(text(value));
    }
  } catch (problem) {
    return result(null, problem);
  }
}

describe('waitForRun', () => {
  it('looks until all pulls have ended, and tells of changes', async () => {
    const made = cluster();
    const { seen, waited, seconds } = await wait(made, { 2: () => ends(made, 0, { succeeded: 1 }), 7: () => ends(made, 1, FAILED) });
    assert.deepEqual([seen, waited?.hasEnded, waited?.status?.phase, waited?.status?.counts.failed, seconds], [['running 0 0 2', 'running 1 0 1'], true, 'failed', 1, 35]);
  });

  it('no longer than it may', async () => {
    const { waited, seconds } = await wait(cluster(), {}, { timeoutSeconds: 13 });
    assert.deepEqual([waited?.hasEnded, waited?.status?.phase, seconds], [false, 'running', 13]);
  });

  it('looks again where the API server is away for a while, and gives up where that lasts', async () => {
    const made = cluster();
    const away = (): void => void (made.onCall = () => error('Unreachable'));
    const back = await wait(made, { 1: away, 60: () => (made.onCall = () => null), 61: () => [0, 1].forEach((index) => ends(made, index, { succeeded: 1 })) });
    assert.deepEqual([back.error, back.waited?.status?.phase], [null, 'succeeded']);
    const gone = await wait(cluster(), {}, {});
    assert.equal(gone.error, null); // the run ends at its deadline, seen or not
    const other = cluster();
    assert.match(String((await wait(other, { 1: () => void (other.onCall = () => error('Unreachable')) })).error), /Unreachable/);
  });

  it('ends at once where there is none, or it may not look', async () => {
    const none = await wait(cluster(), {}, { run: 'other' });
    assert.deepEqual([none.waited?.status, none.waited?.runs, none.seconds], [null, [], 0]);
    const refused = cluster();
    refused.onCall = () => error('Forbidden', 'no', 403);
    assert.deepEqual(await wait(refused, {}).then(({ error: problem, seconds }) => [String(problem), seconds]), ['ClusterError: no', 0]);
  });

  it('does not take a run that goes in the meantime for one that went well', async () => {
    const made = cluster();
    assert.match(String((await wait(made, { 1: () => made.jobs.clear() })).error), /no longer on record/);
  });

  it('waits for what stands until it is all warm', async () => {
    const made = new ScriptedCluster();
    const standing = (ready: number): readonly KubeObject[] => [{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'kubectl-win-keep-warm-r1-0', namespace: 'default', labels: { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'prepull', 'kubectl-win/run': 'r1', 'kubectl-win/role': 'keep-warm' } }, status: { desiredNumberScheduled: 2, numberReady: ready } }];
    made.objects['daemonsets'] = standing(1);
    const { waited, seconds } = await wait(made, { 3: () => void (made.objects['daemonsets'] = standing(2)) });
    assert.deepEqual([waited?.status?.phase, waited?.status?.ready, seconds], ['standing', 2, 15]);
  });
});
