/** What is left of a run whose program is killed or interrupted at any moment, and what the next run makes of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { OpenCluster } from '../../src/adapters/kube/cluster.ts';
import { runStatuses } from '../../src/app/prepull/run-status.ts';
import { stringAt } from '../../src/domain/kubernetes/object.ts';
import { PODS } from '../../src/domain/kubernetes/resource.ts';
import { IMAGE_ANNOTATION } from '../../src/domain/prepull/run-objects.ts';
import { NODE_ANNOTATION } from '../../src/domain/runs/run-labels.ts';
import { leftIn, nothingLeft, open, PLAYED } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { optionsFor, PLAYED_CLUSTER, prepull } from './played-cluster.ts';

const LANES = 8;
const NODES_OF_LANE = 5;
const KILLS = 104;
/** Of the runs that are killed: their deadline and what they leave end within 20 seconds. */
const SHORT = { timeoutSeconds: 8, marginSeconds: 8, recordTtlSeconds: 4, parallel: 3, retries: 0 } as const;
const LAST_SECONDS = SHORT.timeoutSeconds + SHORT.marginSeconds + SHORT.recordTtlSeconds;

/** Pulls that have ended well in a namespace, by what the played kubelets report. */
class Pulled {
  readonly #cluster: OpenCluster;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** `NODE IMAGE`, and how often. */
  readonly times = new Map<string, Set<string>>();

  constructor(cluster: OpenCluster, namespace: string, round: string, resourceVersion: string) {
    this.#cluster = cluster;
    this.#done = this.#follow(namespace, round, resourceVersion).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  async #follow(namespace: string, round: string, resourceVersion: string): Promise<void> {
    for await (const event of this.#cluster.watch(PODS, { namespace, resourceVersion, signal: this.#stop.signal })) {
      if (event.type === 'RELISTED' || stringAt(event.object, 'status', 'phase') !== 'Succeeded') continue;
      const key = `${stringAt(event.object, 'metadata', 'annotations', NODE_ANNOTATION) ?? ''} ${stringAt(event.object, 'metadata', 'annotations', IMAGE_ANNOTATION) ?? ''}`;
      // Pulls of the round before may still be under way.
      if (!key.includes(`-${round}:`)) continue;
      const pods = this.times.get(key) ?? new Set();
      this.times.set(key, pods.add(stringAt(event.object, 'metadata', 'uid') ?? ''));
    }
  }

  static async in(cluster: OpenCluster, namespace: string, round: string): Promise<Pulled> {
    let resourceVersion = '';
    for await (const page of cluster.list(PODS, { namespace })) resourceVersion = page.resourceVersion;
    return new Pulled(cluster, namespace, round, resourceVersion);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('seen enough'));
    await this.#done;
  }
}

interface Round {
  readonly pulled: Pulled;
  readonly namespace: string;
  readonly options: Omit<Parameters<typeof optionsFor>[0], 'run'>;
  readonly named: readonly string[];
  readonly name: string;
  readonly signal: 'SIGKILL' | 'SIGINT';
  readonly delay: number;
  readonly reader: OpenCluster;
  readonly counts: Counts;
}

interface Counts {
  rounds: number;
  /** Killed with some of it done and some not. */
  middle: number;
  skipped: number;
  beforeAnything: number;
}

describe('a run of prepull whose program ends before it', function () {
  this.timeout(600_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const seed = testSeed();
  const nodes = Array.from({ length: LANES * NODES_OF_LANE }, (_, index) => `kill-${index % LANES}-${Math.floor(index / LANES)}`);

  before(async () => {
    await cluster().loadNodes(nodes.map((name) => rawNode(name)), { room: true, labels: { ...PLAYED, suite: 'kills' } });
  });
  after(async () => {
    await cluster().kubectl(['delete', 'nodes', '-l', 'suite=kills', '--wait=false']);
  });

  async function round(lane: number, name: string, signal: 'SIGKILL' | 'SIGINT', delay: number, reader: OpenCluster, counts: Counts): Promise<void> {
    const namespace = `kill-${lane}`;
    const named = [`r.example/ok-a-${name}:1-500ms`, `r.example/ok-b-${name}:1-350ms`];
    const options = { ...SHORT, named, namespace, nodes: nodes.filter((node) => node.startsWith(`kill-${lane}-`)) };
    const pulled = await Pulled.in(reader, namespace, name);
    try {
      await roundOf({ pulled, namespace, options, named, name, signal, delay, reader, counts });
    } finally {
      await pulled.stop();
    }
  }

  async function roundOf({ pulled, namespace, options, named, name, signal, delay, reader, counts }: Round): Promise<void> {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('./driver.ts')), JSON.stringify({ kubeconfig: cluster().kubeconfig, options: { ...options, run: `${name}a` } })], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    let isDone = false;
    child.stderr.on('data', (chunk: Buffer) => { errors += chunk.toString(); });
    const ended = new Promise<void>((resolve) => { child.once('close', () => resolve()); });
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('cleaned-up')) isDone = true;
        resolve();
      });
      child.once('close', () => resolve());
    });
    await sleep(delay);
    // An interrupted run still sees to its end: what is done meanwhile may be on record or not.
    const doneAtSignal = new Set(pulled.times.keys());
    child.kill(signal);
    await ended;
    assert.equal(errors, '');
    await sleep(30); // the watch of the test is not behind by more
    const doneBefore = signal === 'SIGINT' ? doneAtSignal : new Set(pulled.times.keys());
    const [status] = await runStatuses(reader, { namespace, run: `${name}a`, now: new Date() });
    // On a busy machine the watch of the test is behind.
    const isSeen = async (keys: readonly string[]): Promise<boolean> => {
      for (let look = 0; look < 200 && !keys.every((one) => pulled.times.has(one)); look += 1) await sleep(25);
      return keys.every((one) => pulled.times.has(one));
    };
    if (isDone) assert.ok(await isSeen(options.nodes?.flatMap((node) => named.map((image) => `${node} ${image}`)) ?? []), `${name}: ended, and not all is done`);
    else if (status !== undefined) {
      const said = status.results.map(({ node, image, result }) => `${result === 'failed' ? 'failed ' : ''}${node} ${image}`);
      for (const one of doneBefore) assert.ok(said.includes(one), `${name}: ${one} is done, and status does not say so`);
      assert.ok(await isSeen(said), `${name}: status says what is not done: ${said.filter((one) => !pulled.times.has(one)).join(', ')}`);
      assert.equal(status.planned, 10);
      assert.equal(status.phase, signal === 'SIGINT' ? 'interrupted' : 'running');
      if (signal === 'SIGKILL') {
        const [later] = await runStatuses(reader, { namespace, run: `${name}a`, now: new Date(Date.now() + 200_000) });
        assert.ok(later === undefined || later.phase === 'abandoned', JSON.stringify(later));
      } else assert.deepEqual([...status.active, ...(await leftIn(cluster(), namespace)).filter((one) => one.includes(`${name}a-`) && one.startsWith('job'))], [], `${name}: pulls go on after an interruption`);
      // Ended, and killed before it said so.
    } else assert.ok(doneBefore.size === 0 || doneBefore.size === 10, `${name}: ${doneBefore.size} done, and no record`);
    if (doneBefore.size > 0 && doneBefore.size < 10) counts.middle += 1;
    if (status === undefined && doneBefore.size === 0) counts.beforeAnything += 1;

    const doneAtRerun = isDone || status === undefined ? new Set<string>() : signal === 'SIGINT' ? doneAtSignal : new Set(pulled.times.keys());
    const { report, steps, error } = await prepull(cluster().kubeconfig, optionsFor({ ...options, run: `${name}b` }));
    assert.equal(error, null, String(error));
    assert.equal(report?.phase, 'succeeded', JSON.stringify(report?.items.map(({ node, image, action, result, message, outcome }) => [node, image, action, result, outcome?.message ?? message])));
    for (const step of steps) if (step.type === 'started') assert.ok(!doneAtRerun.has(`${step.item.node} ${step.item.image}`), `${name}: ${step.item.node} ${step.item.image} is pulled once more`);
    counts.skipped += report?.items.filter(({ result }) => result === 'skipped').length ?? 0;
    counts.rounds += 1;
  }

  async function rounds(signal: 'SIGKILL' | 'SIGINT', total: number, prefix: string, longest: number): Promise<Counts> {
    const counts: Counts = { rounds: 0, middle: 0, skipped: 0, beforeAnything: 0 };
    const random = seededRandom(seed);
    const reader = await open(cluster().kubeconfig);
    const moments = Array.from({ length: total }, () => random.below(longest));
    try {
      const settled = await Promise.allSettled(Array.from({ length: LANES }, async (_, lane) => {
        for (let index = lane; index < total; index += LANES) await round(lane, `${prefix}${index}`, signal, moments[index] ?? 0, reader, counts);
      }));
      for (const one of settled) if (one.status === 'rejected') throw one.reason;
    } finally {
      await reader.close();
    }
    return counts;
  }

  before(async () => {
    for (let lane = 0; lane < LANES; lane += 1) await cluster().createNamespace(`kill-${lane}`);
  });

  it(`kill -9 at ${KILLS} random moments: status tells the truth, the next run finishes the rest and repeats nothing, nothing is left after the deadline (KUBECTL_WIN_SEED=${seed})`, async () => {
    const began = Date.now();
    const counts = await rounds('SIGKILL', KILLS, 'k', 3_000);
    assert.equal(counts.rounds, KILLS);
    assert.ok(counts.middle >= KILLS / 4 && counts.skipped >= KILLS, JSON.stringify(counts));
    process.stdout.write(`      ${KILLS} kills in ${((Date.now() - began) / 1000).toFixed(0)} s: ${counts.middle} in the middle, ${counts.beforeAnything} before anything was created, ${counts.skipped} of ${KILLS * 10} pulls not repeated\n`);
    await Promise.all(Array.from({ length: LANES }, (_, lane) => nothingLeft(cluster(), `kill-${lane}`, LAST_SECONDS + 30)));
  });

  it('Ctrl-C at 24 random moments: its pulls are gone at once, its record stays until the deadline', async () => {
    const counts = await rounds('SIGINT', 24, 'i', 3_000);
    assert.equal(counts.rounds, 24);
    assert.ok(counts.middle >= 4, JSON.stringify(counts));
    await Promise.all(Array.from({ length: LANES }, (_, lane) => nothingLeft(cluster(), `kill-${lane}`, LAST_SECONDS + 30)));
  });
});
