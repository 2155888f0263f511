/** Runs the pulls of a plan: a window over nodes × images, retries with back-off, proof by the status of pods, and nothing left behind. */
import { nameOf, stringAt, valueAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { EVENTS, JOBS, NODES, PODS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { PrepullEvent, PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { pullStateOf, readPulledEvent, type PulledEvent, type PullState } from '../../domain/prepull/pull-state.ts';
import { DEADLINE_MARGIN_SECONDS, pullJob, RECORD_ANNOTATION, runJob, runJobName, RUN_LABEL, type RunOptions, type RunOwner } from '../../domain/prepull/run-objects.ts';
import { writeRecord, type RecordedResult, type RunRecord } from '../../domain/prepull/run-record.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter, WatchEvent } from '../ports.ts';
import { EventQueue } from './event-queue.ts';

/** Time as the run sees it; tests bring one that does not wait. */
export interface RunClock {
  now(): Date;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface PullsOptions extends RunOptions {
  /** Pulls at a time over all nodes; 0 for all at once. */
  readonly parallel: number;
  /** Attempts after the first one. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Of the plan, for the record. */
  readonly refused: number;
  readonly skipped: number;
}

export interface PullsCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

/** Milliseconds between looks at what no event tells: deadlines, back-offs. */
const TICK_MS = 1_000;
const FIRST_BACKOFF_SECONDS = 10;
const LONGEST_BACKOFF_SECONDS = 300;
/** A pod that no node takes for so long is given up: it is cordoned off by something that does not pass by itself. */
const UNSCHEDULABLE_SECONDS = 60;
/** A Job whose pod does not come is looked into after this. */
const NO_POD_SECONDS = 15;
/** What was done is written down at most so often. */
const RECORD_EVERY_MS = 1_000;
/** The run's deadline is moved when less than this share of it is left. */
const EXTEND_EVERY_SECONDS = 30;
/** A pod that is being removed from a node that does not answer holds its place no longer. */
const LEAVING_SECONDS = 30;

type Input =
  | { readonly kind: 'pod'; readonly type: WatchEvent['type']; readonly pod: KubeObject }
  | { readonly kind: 'pods'; readonly pods: readonly KubeObject[] }
  | { readonly kind: 'node'; readonly name: string; readonly isReady: boolean }
  | { readonly kind: 'event'; readonly pod: string; readonly reason: string; readonly message: string }
  | { readonly kind: 'tick' };

interface Pull {
  readonly index: number;
  readonly item: PlanItem;
  attempt: number;
  notBefore: number;
}

interface Running {
  readonly pull: Pull;
  readonly job: RunOwner;
  readonly startedAt: number;
  scheduledAt: number | null;
  pendingSince: number;
  pendingMessage: string | null;
  pod: string | null;
  podIsGone: boolean;
  pulledEvent: PulledEvent | null;
  /** When its Job was deleted; the place is free once the pod is gone. */
  leavingSince: number | null;
  hasLookedForPod: boolean;
}

/** The items to pull are those with the actions pull and unknown. Yields what happens and ends when all are done, or the signal is aborted. */
export function runPulls(items: readonly PlanItem[], options: PullsOptions, cluster: PullsCluster): AsyncGenerator<PrepullEvent, void, undefined> {
  return new PullRun(items, options, cluster).events();
}

class PullRun {
  readonly #options: PullsOptions;
  readonly #cluster: PullsCluster;
  readonly #queued: Pull[];
  readonly #running = new Map<string, Running>();
  readonly #results: RecordedResult[] = [];
  readonly #inbox = new EventQueue<Input>();
  readonly #stop = new AbortController();
  readonly #notReady = new Set<string>();
  readonly #startedAt: string;
  readonly #out: PrepullEvent[] = [];
  #owner: RunOwner | null = null;
  #pausedUntil = 0;
  #deadlineSetAt = 0;
  #recordedAt = 0;
  #isRecordDue = false;

  constructor(items: readonly PlanItem[], options: PullsOptions, cluster: PullsCluster) {
    this.#options = options;
    this.#cluster = cluster;
    this.#queued = items.filter(({ action }) => action === 'pull' || action === 'unknown').map((item, index) => ({ index, item, attempt: 1, notBefore: 0 }));
    this.#startedAt = cluster.clock.now().toISOString();
  }

  async* events(): AsyncGenerator<PrepullEvent, void, undefined> {
    const { signal, run, namespace } = this.#options;
    if (this.#queued.length === 0) return;
    const created = await this.#cluster.writer.create(JOBS, runJob(this.#options, this.#record('running')), { namespace, signal });
    this.#owner = { name: runJobName(run), uid: stringAt(created, 'metadata', 'uid') ?? '' };
    this.#deadlineSetAt = this.#now();
    yield { type: 'began', run, namespace, items: this.#queued.length };
    const sources = [this.#watchPods(), this.#watchNodes(), this.#watchEvents(), this.#tick()];
    let isDone = false;
    try {
      while (this.#queued.length > 0 || this.#running.size > 0) {
        await this.#startWhatFits();
        await this.#keepRecord();
        yield* this.#out.splice(0);
        for (const input of await this.#inbox.take()) await this.#take(input);
        signal.throwIfAborted();
        yield* this.#out.splice(0);
      }
      isDone = true;
    } finally {
      this.#stop.abort(new Error('the run is over'));
      await Promise.allSettled(sources);
      await this.#leave(isDone);
    }
    yield* this.#out.splice(0);
    yield { type: 'cleaned-up' };
  }

  #now(): number {
    return this.#cluster.clock.now().getTime();
  }

  /** Places that are taken: also by a pod that is still being removed. */
  get #isFull(): boolean {
    const { parallel } = this.#options;
    return parallel > 0 && this.#running.size >= parallel;
  }

  async #startWhatFits(): Promise<void> {
    // One image at a time on a node: its kubelet pulls one after the other anyway, and places are for nodes.
    const busy = new Set([...this.#running.values()].map(({ pull }) => pull.item.node));
    for (let place = 0; place < this.#queued.length && !this.#isFull && this.#now() >= this.#pausedUntil;) {
      const pull = this.#queued[place];
      if (pull === undefined || pull.notBefore > this.#now() || busy.has(pull.item.node)) {
        place += 1;
        continue;
      }
      this.#queued.splice(place, 1);
      if (this.#notReady.has(pull.item.node)) {
        this.#finish(pull, { result: 'failed', reason: 'NodeLost', message: 'the node is not Ready any more', seconds: null, sizeBytes: null, digest: null });
        continue;
      }
      busy.add(pull.item.node);
      if (!(await this.#start(pull))) return;
    }
  }

  /** false when nothing more is to be started for now. */
  async #start(pull: Pull): Promise<boolean> {
    const { namespace, signal } = this.#options;
    const { item, index, attempt } = pull;
    const owner = this.#owner as RunOwner; // made before the first start
    const job = pullJob(this.#options, { index, attempt, node: item.node, image: item.image, isRefreshed: item.reason === 'TagMoved' }, owner);
    let uid: string;
    try {
      await this.#extendDeadline();
      uid = stringAt(await this.#cluster.writer.create(JOBS, job, { namespace, signal }), 'metadata', 'uid') ?? '';
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // An answer that was lost on the way: the Job is there.
      if (error.reason === 'AlreadyExists') uid = stringAt(await this.#cluster.reader.get(JOBS, nameOf(job), { namespace, signal }), 'metadata', 'uid') ?? '';
      else return this.#postpone(pull, error);
    }
    const now = this.#now();
    this.#running.set(nameOf(job), {
      pull, job: { name: nameOf(job), uid }, startedAt: now, scheduledAt: null, pendingSince: now, pendingMessage: null, pod: null, podIsGone: false, pulledEvent: null, leavingSince: null, hasLookedForPod: false,
    });
    this.#out.push({ type: 'started', item, attempt });
    return true;
  }

  /** The API server does not take the Job: for a while, or for good. */
  #postpone(pull: Pull, error: ClusterError): boolean {
    const isForGood = error.reason === 'Invalid' || error.reason === 'BadRequest' || error.reason === 'NotFound' || (error.reason === 'Forbidden' && !/exceeded quota/i.test(error.message));
    if (isForGood) {
      this.#finish(pull, { result: 'failed', reason: error.reason, message: error.message, seconds: null, sizeBytes: null, digest: null });
      return true;
    }
    this.#queued.unshift(pull);
    this.#pause(FIRST_BACKOFF_SECONDS, error.message);
    return false;
  }

  #pause(seconds: number, message: string): void {
    const until = this.#now() + seconds * 1000;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#out.push({ type: 'paused', seconds, message });
  }

  async #take(input: Input): Promise<void> {
    switch (input.kind) {
      case 'pod':
        return this.#takePod(input.pod, input.type === 'DELETED');
      case 'pods': {
        const seen = new Set(input.pods.map((pod) => jobOf(pod)));
        for (const pod of input.pods) await this.#takePod(pod, false);
        // Pods that were removed while nobody watched.
        for (const [job, running] of this.#running) if (running.pod !== null && !seen.has(job)) await this.#podGone(job, running);
        return;
      }
      case 'node':
        if (input.isReady) this.#notReady.delete(input.name);
        else this.#notReady.add(input.name);
        return;
      case 'event':
        return this.#takeEvent(input.pod, input.reason, input.message);
      case 'tick':
        return this.#lookAround();
    }
  }

  async #takePod(pod: KubeObject, isDeleted: boolean): Promise<void> {
    const job = jobOf(pod);
    const running = job === null ? undefined : this.#running.get(job);
    if (job === null || running === undefined) return;
    running.pod = nameOf(pod);
    const phase = stringAt(pod, 'status', 'phase');
    const isOver = isDeleted || phase === 'Succeeded' || phase === 'Failed';
    if (running.leavingSince === null) {
      const state = pullStateOf(pod);
      if (state.state === 'pulled') await this.#pulled(running, state.digest);
      else if (state.state === 'failed') await this.#failed(running, state);
      else if (isDeleted) await this.#podGone(job, running);
      else this.#waiting(running, state);
    }
    if (isOver && running.leavingSince !== null) this.#running.delete(job);
  }

  #waiting(running: Running, state: PullState): void {
    if (state.state === 'pending') {
      running.pendingMessage = state.message;
      return;
    }
    if (running.scheduledAt !== null) return;
    running.scheduledAt = this.#now();
    this.#out.push({ type: 'scheduled', item: running.pull.item });
  }

  #takeEvent(pod: string, reason: string, message: string): void {
    const running = [...this.#running.values()].find((one) => one.pod === pod) ?? [...this.#running.values()].find(({ job }) => pod.startsWith(`${job.name}-`));
    if (running !== undefined && reason === 'Pulled') running.pulledEvent = readPulledEvent(message);
  }

  async #pulled(running: Running, digest: string | null): Promise<void> {
    const { pull, scheduledAt, startedAt, pulledEvent } = running;
    const event = pulledEvent ?? await this.#pulledEventOf(running);
    const isPresent = event !== null && !event.wasPulled;
    this.#finish(pull, {
      result: isPresent ? 'present' : 'pulled', reason: isPresent ? 'AlreadyPresent' : 'Pulled', message: isPresent ? 'it was on the node' : 'pulled', digest,
      seconds: isPresent ? null : event?.seconds ?? (this.#now() - (scheduledAt ?? startedAt)) / 1000, sizeBytes: event?.sizeBytes ?? null,
    });
    await this.#remove(running);
  }

  /** The event may come after the status, or not at all. */
  async #pulledEventOf({ pod }: Running): Promise<PulledEvent | null> {
    if (pod === null) return null;
    const { namespace, signal } = this.#options;
    try {
      for await (const { items } of this.#cluster.reader.list(EVENTS, { namespace, fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod},reason=Pulled`, signal })) {
        for (const event of items) {
          const read = readPulledEvent(stringAt(event, 'message') ?? '');
          if (read !== null) return read;
        }
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    return null;
  }

  async #failed(running: Running, state: PullState & { readonly state: 'failed' }): Promise<void> {
    const { pull } = running;
    if (state.isPassing && pull.attempt <= this.#options.retries) {
      const seconds = Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (pull.attempt - 1));
      // A registry that limits pulls means all nodes.
      if (state.reason === 'TooManyRequests') this.#pause(seconds, state.message);
      this.#out.push({ type: 'retry', item: pull.item, attempt: pull.attempt, seconds, message: state.message });
      this.#queued.push({ ...pull, attempt: pull.attempt + 1, notBefore: this.#now() + seconds * 1000 });
    } else {
      this.#finish(pull, { result: 'failed', reason: state.reason, message: state.message, seconds: null, sizeBytes: null, digest: null });
    }
    await this.#remove(running);
  }

  async #podGone(job: string, running: Running): Promise<void> {
    if (running.leavingSince === null) {
      const hasTimedOut = this.#now() - running.startedAt >= this.#options.timeoutSeconds * 1000 - TICK_MS;
      await this.#failed(running, hasTimedOut
        ? { state: 'failed', reason: 'Timeout', message: `no image within ${this.#options.timeoutSeconds} s (--timeout)`, isPassing: false }
        : { state: 'failed', reason: 'Deleted', message: 'its pod was deleted by somebody else', isPassing: true });
    }
    this.#running.delete(job);
  }

  #finish({ item }: Pull, outcome: PrepullOutcome): void {
    this.#out.push({ type: 'finished', item, outcome });
    if (outcome.result === 'pulled' || outcome.result === 'present' || outcome.result === 'failed') {
      this.#results.push({ node: item.node, image: item.image, result: outcome.result, reason: outcome.result === 'failed' ? outcome.reason : null });
      this.#isRecordDue = true;
    }
  }

  /** What is done is written down before its Job goes, so that no moment is without either. */
  async #remove(running: Running): Promise<void> {
    running.leavingSince = this.#now();
    await this.#keepRecord();
    await this.#delete(running.job);
  }

  async #delete({ name, uid }: RunOwner): Promise<void> {
    const { namespace, signal } = this.#options;
    try {
      await this.#cluster.writer.delete(JOBS, name, { namespace, uid, signal });
    } catch (error) {
      // The run's Job owns it, and its own time is limited.
      if (!(error instanceof ClusterError)) throw error;
    }
  }

  async #lookAround(): Promise<void> {
    const now = this.#now();
    for (const [job, running] of this.#running) {
      if (running.leavingSince !== null) {
        if (now - running.leavingSince > LEAVING_SECONDS * 1000) this.#running.delete(job);
      } else if (this.#notReady.has(running.pull.item.node)) {
        await this.#failed(running, { state: 'failed', reason: 'NodeLost', message: 'the node became NotReady', isPassing: false });
      } else if (running.pod === null && !running.hasLookedForPod && now - running.startedAt > NO_POD_SECONDS * 1000) {
        running.hasLookedForPod = true;
        const refusal = await this.#refusalOf(running);
        if (refusal !== null) await this.#failed(running, { state: 'failed', reason: 'Refused', message: refusal, isPassing: /exceeded quota/i.test(refusal) });
      } else if (running.scheduledAt === null && running.pendingMessage !== null && now - running.pendingSince > UNSCHEDULABLE_SECONDS * 1000) {
        await this.#failed(running, { state: 'failed', reason: 'Refused', message: `the scheduler finds no place: ${running.pendingMessage}`, isPassing: false });
      } else if (now - running.startedAt > (this.#options.timeoutSeconds + LEAVING_SECONDS) * 1000) {
        await this.#podGone(job, running);
      }
    }
  }

  /** Why the Job controller could make no pod. */
  async #refusalOf({ job }: Running): Promise<string | null> {
    const { namespace, signal } = this.#options;
    try {
      for await (const { items } of this.#cluster.reader.list(EVENTS, { namespace, fieldSelector: `involvedObject.kind=Job,involvedObject.name=${job.name},reason=FailedCreate`, signal })) {
        const last = items.at(-1);
        if (last !== undefined) return stringAt(last, 'message') ?? 'its pod could not be made';
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    return null;
  }

  /** The run's own Job must outlive the pull that is started last, and not by much: nobody else ends it when this program dies. */
  async #extendDeadline(): Promise<void> {
    const now = this.#now();
    if (now - this.#deadlineSetAt < EXTEND_EVERY_SECONDS * 1000) return;
    const { namespace, signal, timeoutSeconds } = this.#options;
    const seconds = Math.ceil((now - Date.parse(this.#startedAt)) / 1000) + timeoutSeconds + DEADLINE_MARGIN_SECONDS;
    await this.#cluster.writer.merge(JOBS, this.#owner?.name ?? '', { spec: { activeDeadlineSeconds: seconds } }, { namespace, signal });
    this.#deadlineSetAt = now;
  }

  #record(phase: RunRecord['phase']): string {
    return writeRecord({ startedAt: this.#startedAt, phase, planned: this.#queued.length + this.#running.size + this.#results.length, refused: this.#options.refused, skipped: this.#options.skipped, results: this.#results });
  }

  async #keepRecord(): Promise<void> {
    const now = this.#now();
    if (!this.#isRecordDue || now - this.#recordedAt < RECORD_EVERY_MS) return;
    await this.#writeRecord('running');
  }

  async #writeRecord(phase: RunRecord['phase'], signal: AbortSignal = this.#options.signal): Promise<void> {
    try {
      await this.#cluster.writer.merge(JOBS, this.#owner?.name ?? '', { metadata: { annotations: { [RECORD_ANNOTATION]: this.#record(phase) } } }, { namespace: this.#options.namespace, signal });
      this.#recordedAt = this.#now();
      this.#isRecordDue = false;
    } catch (error) {
      // Written with the next one; the Jobs of what is not written down stay for a while.
      if (!(error instanceof ClusterError)) throw error;
    }
  }

  /** With a signal of its own, since the run's may be aborted. */
  async #leave(isDone: boolean): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const owner = this.#owner;
    if (owner === null) return;
    const { namespace } = this.#options;
    try {
      if (isDone) {
        await this.#cluster.writer.delete(JOBS, owner.name, { namespace, uid: owner.uid, signal });
        return;
      }
      // The record stays until the deadline, for whoever takes up the rest; the pulls go.
      await this.#writeRecord('interrupted', signal);
      await Promise.allSettled([...this.#running.values()].map(({ job }) => this.#cluster.writer.delete(JOBS, job.name, { namespace, uid: job.uid, signal })));
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#out.push({ type: 'note', message: `the run ${this.#options.run} could not be cleaned up (${error.message}); the cluster does so by itself within ${this.#options.timeoutSeconds + DEADLINE_MARGIN_SECONDS} s` });
    }
  }

  async #watchPods(): Promise<void> {
    await this.#follow(PODS, { namespace: this.#options.namespace, labelSelector: `${RUN_LABEL}=${this.#options.run}` }, (event) => {
      this.#inbox.push(event.type === 'RELISTED' ? { kind: 'pods', pods: event.objects } : { kind: 'pod', type: event.type, pod: event.object });
    }, true);
  }

  async #watchNodes(): Promise<void> {
    await this.#follow(NODES, { labelSelector: 'kubernetes.io/os=windows' }, (event) => {
      for (const node of event.type === 'RELISTED' ? event.objects : [event.object]) this.#inbox.push({ kind: 'node', name: nameOf(node), isReady: event.type !== 'DELETED' && isReady(node) });
    }, false);
  }

  async #watchEvents(): Promise<void> {
    await this.#follow(EVENTS, { namespace: this.#options.namespace, fieldSelector: 'involvedObject.kind=Pod,reason=Pulled' }, (event) => {
      for (const object of event.type === 'RELISTED' ? event.objects : event.type === 'DELETED' ? [] : [event.object]) {
        this.#inbox.push({ kind: 'event', pod: stringAt(object, 'involvedObject', 'name') ?? '', reason: stringAt(object, 'reason') ?? '', message: stringAt(object, 'message') ?? '' });
      }
    }, false);
  }

  /** Lists, then watches until the run is over. `isNeeded`: without it the run cannot go on. */
  async #follow(resource: Resource, scope: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string }, handle: (event: WatchEvent) => void, isNeeded: boolean): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, this.#stop.signal]);
    try {
      let resourceVersion = '';
      const objects: KubeObject[] = [];
      for await (const page of this.#cluster.reader.list(resource, { ...scope, signal })) {
        objects.push(...page.items);
        resourceVersion = page.resourceVersion;
      }
      handle({ type: 'RELISTED', objects });
      for await (const event of this.#cluster.reader.watch(resource, { ...scope, resourceVersion, signal })) handle(event);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (isNeeded || this.#options.signal.aborted) this.#inbox.fail(error);
      else if (error instanceof ClusterError) this.#out.push({ type: 'note', message: `${resource.plural} cannot be watched: ${error.message}` });
      else this.#inbox.fail(error);
    }
  }

  async #tick(): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, this.#stop.signal]);
    try {
      for (;;) {
        await this.#cluster.clock.sleep(TICK_MS, signal);
        this.#inbox.push({ kind: 'tick' });
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#inbox.fail(this.#options.signal.aborted ? this.#options.signal.reason : error);
    }
  }
}

/** The Job that a pod belongs to, by its label. */
function jobOf(pod: KubeObject): string | null {
  return stringAt(pod, 'metadata', 'labels', 'batch.kubernetes.io/job-name') ?? stringAt(pod, 'metadata', 'labels', 'job-name') ?? null;
}

function isReady(node: KubeObject): boolean {
  const conditions = valueAt(node, 'status', 'conditions');
  return Array.isArray(conditions) && conditions.some((condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True');
}

