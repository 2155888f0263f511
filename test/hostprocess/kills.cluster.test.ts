/** What is left of a run whose program is killed or interrupted at any moment: it is on record, and the cluster ends all of it by itself. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLocalRuns } from '../../src/adapters/files/local-runs.ts';
import type { LocalRun } from '../../src/app/ports.ts';
import { deadlinesOf, ENDED_TTL_SECONDS } from '../../src/domain/hostprocess/run-objects.ts';
import { nameOf, stringAt } from '../../src/domain/kubernetes/object.ts';
import { RUN_LABEL } from '../../src/domain/runs/run-labels.ts';
import { leftIn, nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { commandOf } from '../support/exec-run.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import type { LiveExecOptions } from './live-exec.ts';
import { loadPlayedNodes, objectsOfRuns, PLAYED_CLUSTER } from './played-cluster.ts';

const LANES = 8;
const NODES_OF_LANE = 4;
const KILLS = 104;
const INTERRUPTIONS = 24;
const SHORT = { timeoutSeconds: 4, startTimeoutSeconds: 6, parallel: 2 } as const;
const LAST_SECONDS = deadlinesOf({ ...SHORT, isLeased: false }).deadlineSeconds + ENDED_TTL_SECONDS;
/** Steps of a run: planned, began, three for each of the nodes and more for those that pull, cleaned-up. */
const STEPS = 3 + NODES_OF_LANE * 4;

/** Commands that do not end by themselves do so after their time, which is not waited for: their first steps alone are of interest. */
const SLOW_STEPS = 8;

function atStep(step: number, isSlow: boolean): { readonly atStep: number; readonly isSlow: boolean } {
  return { atStep: isSlow ? Math.min(step, 1 + (step % SLOW_STEPS)) : step, isSlow };
}

interface Ended {
  /** Types of the steps that were seen. */
  readonly steps: readonly string[];
  readonly seconds: number;
  readonly code: number | null;
}

describe('a run of hostprocess exec whose program ends before it', function () {
  this.timeout(900_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const seed = testSeed();
  const nodesOf = (lane: number): readonly string[] => Array.from({ length: NODES_OF_LANE }, (_, index) => `kill-${lane}-${index}`);
  const nodes = Array.from({ length: LANES }, (_, lane) => nodesOf(lane)).flat();
  let folder = '';
  const records = (): string => join(folder, 'kubectl-win', 'runs');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-kills-'));
    await loadPlayedNodes(cluster(), nodes);
    for (let lane = 0; lane < LANES; lane += 1) {
      await cluster().createNamespace(`kill-${lane}`);
      // somebody else's, on a node that the runs use
      await cluster().api.create(`/api/v1/namespaces/kill-${lane}/pods`, { metadata: { name: 'bystander', labels: { app: 'other' } }, spec: { nodeName: `kill-${lane}-0`, containers: [{ name: 'c', image: 'r.example/x' }] } });
    }
  });
  after(async () => {
    for (let lane = 0; lane < LANES; lane += 1) await cluster().api.delete(`/api/v1/namespaces/kill-${lane}/pods/bystander`);
    for (const node of nodes) await cluster().api.delete(`/api/v1/nodes/${node}`);
    await rm(folder, { recursive: true, force: true });
  });

  /** Ends it so long after a step; `atStep` 0: after its start. */
  async function run(lane: number, name: string, { signal, atStep, delay, isSlow }: { readonly signal: 'SIGKILL' | 'SIGINT'; readonly atStep: number; readonly delay: number; readonly isSlow: boolean }): Promise<Ended> {
    const options: LiveExecOptions = { ...SHORT, run: name, all: false, targets: nodesOf(lane).map((node) => ({ kind: 'node', name: node })), namespace: { given: `kill-${lane}`, configured: null }, command: isSlow ? commandOf('sleep', '60') : commandOf('echo', 'hello') };
    const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('./driver.ts')), JSON.stringify({ kubeconfig: cluster().kubeconfig, records: records(), options })], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    const steps: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => { errors += chunk.toString(); });
    const ended = new Promise<number | null>((resolve) => { child.once('close', (code) => resolve(code)); });
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        steps.push(...chunk.toString().split('\n').filter((line) => line !== ''));
        if (steps.length >= atStep) resolve();
      });
      child.once('close', () => resolve());
      if (atStep === 0) resolve();
    });
    await sleep(delay);
    const at = performance.now();
    child.kill(signal);
    const code = await ended;
    assert.equal(errors, '', name);
    return { steps, code, seconds: (performance.now() - at) / 1000 };
  }

  async function recordOf(name: string): Promise<LocalRun | undefined> {
    return (await openLocalRuns(records(), { onNotice: assert.fail }).all()).find((one) => one.run === name);
  }

  async function objectsOf(lane: number, name: string): Promise<readonly string[]> {
    return (await objectsOfRuns(cluster(), `kill-${lane}`)).filter((object) => stringAt(object, 'metadata', 'labels', RUN_LABEL) === name && object.kind === 'Job').map(nameOf);
  }

  async function inLanes(total: number, work: (lane: number, index: number) => Promise<void>): Promise<void> {
    const settled = await Promise.allSettled(Array.from({ length: LANES }, async (_, lane) => {
      for (let index = lane; index < total; index += LANES) await work(lane, index);
    }));
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
  }

  it(`kill -9 at ${KILLS} moments: what is there is on record (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    const moments = Array.from({ length: KILLS }, (_, index) => ({ signal: 'SIGKILL', ...atStep(index % (STEPS + 1), random.chance(30)), delay: random.below(index % (STEPS + 1) === 0 ? 600 : 40) }) as const);
    const counts = { withObjects: 0, beforeAnything: 0, atTheEnd: 0 };
    const stages = new Set<string>();
    const began = performance.now();
    await inLanes(KILLS, async (lane, index) => {
      const name = `k${index}`;
      const { steps } = await run(lane, name, moments[index] ?? assert.fail());
      stages.add(steps.join(' '));
      const [objects, record] = [await objectsOf(lane, name), await recordOf(name)];
      if (steps.includes('cleaned-up')) {
        counts.atTheEnd += 1;
        assert.deepEqual(objects, [], `${name} said that nothing is left`);
        assert.equal(record, undefined, `${name} is still on record`);
      } else if (objects.length > 0) {
        counts.withObjects += 1;
        assert.ok(record !== undefined, `${name} has left ${objects.join(', ')}, and no record of them`);
        for (const object of objects) assert.ok(record.objects.some((one) => one.name === object), `${name}: ${object} is not on record`);
      } else counts.beforeAnything += 1;
    });
    process.stdout.write(`      ${KILLS} kills in ${((performance.now() - began) / 1000).toFixed(0)} s at ${stages.size} different stages: ${counts.withObjects} with objects in the cluster, ${counts.beforeAnything} without, ${counts.atTheEnd} after the end\n`);
    assert.ok(counts.withObjects >= KILLS / 3, JSON.stringify(counts));
  });

  it(`Ctrl-C at ${INTERRUPTIONS} moments: nothing is left when the program has ended, which is soon`, async () => {
    const random = seededRandom(seed + 1);
    const moments = Array.from({ length: INTERRUPTIONS }, (_, index) => ({ signal: 'SIGINT', ...atStep(1 + (index % STEPS), random.chance(60)), delay: random.below(40) }) as const);
    let longest = 0;
    await inLanes(INTERRUPTIONS, async (lane, index) => {
      const name = `i${index}`;
      const { seconds, steps } = await run(lane, name, moments[index] ?? assert.fail());
      longest = Math.max(longest, seconds);
      assert.deepEqual(await objectsOf(lane, name), [], `${name} after ${steps.join(' ')}`);
      assert.equal(await recordOf(name), undefined, `${name} after ${steps.join(' ')}`);
    });
    process.stdout.write(`      ${INTERRUPTIONS} interruptions, the longest clean-up took ${longest.toFixed(1)} s\n`);
    // what kills have left may be there still
    for (let lane = 0; lane < LANES; lane += 1) assert.deepEqual((await leftIn(cluster(), `kill-${lane}`)).filter((name) => /-i\d+-/.test(name)), []);
    assert.ok(longest < 30, `${longest} s`);
  });

  it('nothing is left of what was killed after the deadlines, and what is somebody else\'s stays', async () => {
    await Promise.all(Array.from({ length: LANES }, (_, lane) => nothingLeft(cluster(), `kill-${lane}`, LAST_SECONDS + 45)));
    for (let lane = 0; lane < LANES; lane += 1) assert.equal(stringAt(await cluster().api.get(`/api/v1/namespaces/kill-${lane}/pods/bystander`), 'metadata', 'deletionTimestamp'), undefined);
  });
});
