/** Runs the pulls of a plan: a window over nodes × images, retries with back-off, proof by the status of pods, and nothing left behind. */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { PODS } from '../../domain/kubernetes/resource.ts';
import type { PrepullEvent, PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import { isToPull, type PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { pullStateOf, type PulledEvent } from '../../domain/prepull/pull-state.ts';
import { PULL_CONTAINER, type RunOptions } from '../../domain/prepull/run-objects.ts';
import { RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { EventQueue } from '../runs/event-queue.ts';
import { EventMessages } from '../runs/event-messages.ts';
import { refusalOf } from '../runs/job-refusal.ts';
import { reasonOfRefusal } from './refusal-reason.ts';
import { afterwards } from '../runs/patience.ts';
import { PullJobs } from './pull-jobs.ts';
import { PullWindow, type Pause, type Pull, type PullFailure } from './pull-window.ts';
import type { RunClock } from '../runs/run-clock.ts';
import { RunJob } from './run-job.ts';
import { RunLedger } from './run-ledger.ts';
import { RunSources, type Input } from './run-sources.ts';
import type { SecretCopies } from './secret-copies.ts';
import { isHeld, jobOf, outcomeOf, pulledEventOf, runningPull, type Running } from './running-pull.ts';
import { RunningPulls } from './running-pulls.ts';


export interface PullsOptions extends RunOptions {
  /** Pulls at a time over all nodes; 0 for all at once. */
  readonly parallel: number;
  /** Attempts after the first one. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Of the plan, for the record. */
  readonly refused: number;
  readonly skipped: number;
  /** Plans a node that has become Ready, or that has come in place of another one of its name; it gives nothing for one that was planned for, or is not meant. Absent: such nodes are left alone. */
  readonly planNode?: (node: KubeObject) => Promise<readonly PlanItem[]>;
  /** Pull secrets that are copied for the run, and removed with it. */
  readonly secrets?: SecretCopies;
}

export interface PullsCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

/** After an interruption, requests that create something are waited for, so that what they made is known. */
const CREATE_GRACE_MS = 3_000;
const CLEAN_UP_MS = 10_000;

/** The items to pull are those with the actions pull and unknown. Yields what happens and ends when all are done, or the signal is aborted. */
export function runPulls(items: readonly PlanItem[], options: PullsOptions, cluster: PullsCluster): AsyncGenerator<PrepullEvent, void, undefined> {
  return new PullRun(items, options, cluster).events();
}

class PullRun {
  readonly #options: PullsOptions;
  readonly #cluster: PullsCluster;
  /** Of requests that create something. */
  readonly #creating: AbortSignal;
  readonly #window: PullWindow;
  readonly #ledger: RunLedger;
  readonly #job: RunJob;
  readonly #jobs: PullJobs;
  readonly #running: RunningPulls;
  readonly #sources: RunSources;
  readonly #inbox = new EventQueue<Input>();
  readonly #out: PrepullEvent[] = [];
  /** UIDs of nodes that were looked at as they became Ready. */
  readonly #lookedAt = new Set<string>();
  /** Pods that stay. */
  #held = 0;

  constructor(items: readonly PlanItem[], options: PullsOptions, cluster: PullsCluster) {
    const say = (event: PrepullEvent): void => void this.#out.push(event);
    const creating = afterwards(options.signal, CREATE_GRACE_MS);
    this.#options = options;
    this.#cluster = cluster;
    this.#creating = creating;
    this.#window = new PullWindow(options);
    this.#ledger = new RunLedger(cluster.clock.now().toISOString(), options);
    this.#job = new RunJob({ ...options, creating }, cluster, this.#ledger, say);
    this.#jobs = new PullJobs({ ...options, creating }, cluster);
    this.#sources = new RunSources(options, cluster, this.#inbox, say);
    this.#running = new RunningPulls({
      timeoutSeconds: options.timeoutSeconds, events: new EventMessages(cluster.reader, { ...options, container: PULL_CONTAINER }), now: () => this.#now(), say,
      notReadySince: (node) => this.#window.nodes.notReadySince(node), requireRun: () => this.#job.requireThere(),
      onPulled: (running, event) => this.#pulled(running, event), onFailed: (running, failure) => this.#failed(running, failure), onLetThrough: ({ pull }) => this.#window.served(pull, true),
    });
    this.#add(items);
  }

  /** Those that are to be pulled; they come after what waits. */
  #add(items: readonly PlanItem[]): void {
    const toPull = items.filter(isToPull);
    this.#window.add(toPull);
    this.#ledger.plan(toPull);
  }

  async* events(): AsyncGenerator<PrepullEvent, void, undefined> {
    const { signal, run, namespace } = this.#options;
    if (this.#window.queued.length === 0) return;
    let isDone = false;
    try {
      try {
        await this.#job.begin();
        await this.#options.secrets?.make(this.#job.owner, this.#creating);
        yield { type: 'began', run, namespace, items: this.#ledger.planned };
        this.#sources.start();
        while (this.#window.queued.length > 0 || this.#running.size > 0) {
          const mayStartMore = await this.#startWhatFits();
          await this.#job.writeWhatIsDue();
          await this.#jobs.deleteWhatIsDue(this.#job.isBehind, this.#now());
          yield* this.#out.splice(0);
          for (const input of mayStartMore ? this.#inbox.takeNow() : await this.#inbox.take()) await this.#take(input);
          signal.throwIfAborted();
          yield* this.#out.splice(0);
        }
        isDone = true;
      } finally {
        await this.#sources.stop();
        await this.#leave(isDone);
      }
    } catch (error) {
      yield* this.#out.splice(0);
      throw error;
    }
    yield* this.#out.splice(0);
    yield { type: 'cleaned-up' };
  }

  #now(): number {
    return this.#cluster.clock.now().getTime();
  }

  /** true when more may fit at once. */
  async #startWhatFits(): Promise<boolean> {
    const batch = this.#window.next(this.#now(), new Set(this.#running.all.map(({ pull }) => pull.item.node)));
    if (batch.length === 0) return false;
    await this.#job.extendDeadline();
    const settled = await Promise.allSettled(batch.map((pull) => this.#start(pull)));
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
    const refused = settled.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
    if (refused.length < batch.length) this.#window.accepted();
    if (refused.length > 0) this.#refused(refused);
    return refused.length === 0;
  }

  /** Gives why the API server did not take its Job; null where it did. */
  async #start(pull: Pull): Promise<{ readonly pull: Pull; readonly error: ClusterError } | null> {
    try {
      const { job, pods } = await this.#jobs.create(pull, this.#job.owner);
      this.#running.add(runningPull(pull, job, this.#now()));
      for (const pod of pods) this.#inbox.push({ kind: 'pod', pod, isDeleted: false });
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return { pull, error };
    }
    this.#out.push({ type: 'started', item: pull.item, attempt: pull.attempt });
    return null;
  }

  #refused(refused: readonly { readonly pull: Pull; readonly error: ClusterError }[]): void {
    const again: { readonly pull: Pull; readonly error: ClusterError }[] = [];
    for (const one of refused) {
      const { pull, error } = one;
      const kind = refusalOf(error);
      if (kind === 'run') throw error;
      if (kind === 'again') again.push(one);
      else {
        this.#window.served(pull, null);
        this.#finish(pull, failed({ reason: reasonOfRefusal(error), message: error.message }));
      }
    }
    if (again.length === 0) return;
    const { pause, givenUp } = this.#window.refused(again, this.#now());
    this.#sayPause(pause);
    for (const { pull, failure } of givenUp) this.#finish(pull, failed(failure));
  }

  #sayPause(pause: Pause | null): void {
    if (pause !== null) this.#out.push({ type: 'paused', ...pause });
  }

  async #take(input: Input): Promise<void> {
    switch (input.kind) {
      case 'pod':
        return this.#running.takePod(input.pod, input.isDeleted);
      case 'pods':
        return this.#running.takePods(input.pods);
      case 'node':
        return this.#takeNode(input.node, input.isDeleted);
      case 'nodes': {
        const seen = new Set(input.nodes.map(nameOf));
        for (const node of input.nodes) await this.#takeNode(node, false);
        const meant = [...this.#window.queued, ...this.#running.all.map(({ pull }) => pull)].map(({ item }) => item.node);
        for (const name of new Set([...meant, ...this.#window.nodes.names()])) if (!seen.has(name)) this.#nodeGone(name, '');
        return;
      }
      case 'told':
        return this.#running.takeTold(input.event);
      case 'tick':
        return this.#lookAround();
    }
  }

  async #lookAround(): Promise<void> {
    await this.#job.extendDeadline();
    await this.#running.lookAround();
    for (const { pull, failure } of this.#window.giveUp(this.#now())) this.#finish(pull, failed(failure));
    if (this.#running.size === 0) this.#sayPause(this.#window.waitForNodes(this.#now()));
  }

  async #takeNode(node: KubeObject, isDeleted: boolean): Promise<void> {
    const name = nameOf(node);
    const uid = stringAt(node, 'metadata', 'uid') ?? '';
    if (isDeleted) {
      this.#nodeGone(name, uid);
      return;
    }
    const isReady = arrayAt(node, 'status', 'conditions').some((condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True');
    if (this.#window.nodes.take(name, uid, isReady ? 'ready' : 'not-ready', this.#now())) this.#nodeReplaced(name);
    if (isReady) await this.#planNode(node, uid === '' ? name : uid);
  }

  #nodeGone(name: string, uid: string): void {
    this.#window.nodes.take(name, uid, 'gone', this.#now());
    this.#loseNode(name, 'the node is gone');
  }

  /** What was pulled onto the one before is not there. */
  #nodeReplaced(name: string): void {
    const message = `another node of this name has come in its place${this.#options.planNode === undefined ? '; --watch-nodes pulls onto such nodes, too' : ''}`;
    this.#loseNode(name, message);
    for (const item of this.#ledger.warmOn(name)) this.#finishItem(item, failed({ reason: 'NodeLost', message }));
  }

  #loseNode(name: string, message: string): void {
    const failure = { reason: 'NodeLost', message, isPassing: false };
    for (const pull of this.#window.withdraw(name)) this.#finish(pull, failed(failure));
    for (const running of this.#running.all) if (running.pull.item.node === name && running.leavingSince === null) {
      if (running.pulled === null) this.#failed(running, failure);
      else this.#pulled(running, pulledEventOf(running));
    }
  }

  /** Once each: what it is to pull comes after what waits. */
  async #planNode(node: KubeObject, key: string): Promise<void> {
    if (this.#options.planNode === undefined || this.#lookedAt.has(key)) return;
    this.#lookedAt.add(key);
    const items = await this.#options.planNode(node);
    if (items.length === 0) return;
    this.#add(items);
    this.#job.changed();
    this.#out.push({ type: 'joined', node: nameOf(node), items });
  }

  #pulled(running: Running, event: PulledEvent | null): void {
    const { holdSeconds = 0 } = this.#options;
    const { pull, job } = running;
    this.#window.served(pull, event?.wasPulled === true ? true : null);
    this.#finish(pull, outcomeOf(running, event, holdSeconds));
    if (isHeld(running, holdSeconds)) {
      // Its pod stays, and keeps no other from its turn.
      this.#running.remove(running);
      this.#held += 1;
      return;
    }
    running.leavingSince = this.#now();
    this.#jobs.giveUp(job, true);
    this.#running.freePlace(running);
  }

  #failed(running: Running, failure: PullFailure): void {
    const { pull, job } = running;
    const { retrySeconds, pause } = this.#window.failed(pull, failure, this.#now());
    this.#sayPause(pause);
    if (retrySeconds === null) this.#finish(pull, failed(failure));
    else this.#out.push({ type: 'retry', item: pull.item, attempt: pull.attempt, seconds: retrySeconds, message: failure.message });
    running.leavingSince = this.#now();
    this.#jobs.giveUp(job, retrySeconds === null);
    this.#running.freePlace(running);
  }

  #finish({ item }: Pull, outcome: PrepullOutcome): void {
    this.#finishItem(item, outcome);
  }

  #finishItem(item: PlanItem, outcome: PrepullOutcome): void {
    this.#out.push({ type: 'finished', item, outcome });
    this.#ledger.finish(item, outcome);
    this.#job.changed();
  }

  /** With a signal of its own, since the run's may be aborted. */
  async #leave(isDone: boolean): Promise<void> {
    const signal = AbortSignal.timeout(CLEAN_UP_MS + 20 * this.#running.size);
    const failures: unknown[] = [];
    const tried = (work: () => Promise<void>): Promise<void> => work().catch((error: unknown) => void failures.push(error));
    await tried(async () => {
      if (!(await this.#job.find(signal))) return;
      if (!isDone && !this.#job.isRemoved) await tried(() => this.#lookOnce(signal));
      // Without results there is nothing to take up.
      const isKept = !isDone && !this.#job.isRemoved && !this.#ledger.isEmpty;
      await tried(() => (isDone && this.#held > 0 ? this.#job.leaveHolding(this.#held, signal) : isKept ? this.#job.leaveInterrupted(signal) : this.#job.remove(signal)));
      // No pull needs them any more.
      await tried(async () => this.#options.secrets?.remove(signal));
      // Pulls end in any case.
      await this.#jobs.deleteAll(this.#running.all.map(({ job }) => job), this.#job.owner, !isDone, signal);
    });
    for (const error of failures) if (!(error instanceof ClusterError) && !signal.aborted) throw error;
    const [failure] = failures;
    if (failure !== undefined && !this.#job.isRemoved) this.#out.push(this.#job.notCleanedUp(failure instanceof ClusterError ? failure.message : 'the API server does not answer'));
  }

  /** What has been pulled by now is a result, whether its event came or not. */
  async #lookOnce(signal: AbortSignal): Promise<void> {
    const { namespace, run, holdSeconds = 0 } = this.#options;
    const running = new Map(this.#running.all.filter(({ leavingSince }) => leavingSince === null).map((one) => [one.job.uid, one]));
    try {
      for await (const { items } of this.#cluster.reader.list(PODS, { namespace, labelSelector: `${RUN_LABEL}=${run}`, signal })) {
        for (const pod of items) {
          const one = running.get(jobOf(pod)?.uid ?? '');
          const state = pullStateOf(pod);
          if (one !== undefined && state.state === 'pulled') one.pulled ??= { digest: state.digest, at: this.#now(), isRunning: false };
        }
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    for (const one of running.values()) if (one.pulled !== null) this.#finish(one.pull, outcomeOf(one, pulledEventOf(one), holdSeconds));
  }
}

function failed({ reason, message }: { readonly reason: string; readonly message: string }): PrepullOutcome {
  return { result: 'failed', reason, message, seconds: null, sizeBytes: null, digest: null };
}
