/** Runs the pulls of a plan: a window over nodes × images, retries with back-off, proof by the status of pods, and nothing left behind. */
import { parseReference } from '../../domain/image/reference.ts';
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { EVENTS, JOBS, NODES, PODS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { PrepullEvent, PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { pullFailure, pullStateOf, readPulledEvent, type PulledEvent, type PullFailed, type PullState } from '../../domain/prepull/pull-state.ts';
import {
  DEADLINE_MARGIN_SECONDS, deadlineSeconds, PULL_CONTAINER, pullJob, RECORD_ANNOTATION, RECORD_TTL_SECONDS, ROLE_LABEL, runJob, runJobName, RUN_LABEL, type RunOptions, type RunOwner,
} from '../../domain/prepull/run-objects.ts';
import { RECORD_LIMIT_BYTES, writeRecord, type RecordedResult, type RunRecord } from '../../domain/prepull/run-record.ts';
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
  /** Plans a node that has become Ready; it gives nothing for one that was planned for, or is not meant. Absent: nodes that join are left alone. */
  readonly planNode?: (node: KubeObject) => Promise<readonly PlanItem[]>;
}

export interface PullsCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

/** Milliseconds between looks at what no event tells: deadlines, back-offs. */
const TICK_MS = 500;
const FIRST_BACKOFF_SECONDS = 10;
const LONGEST_BACKOFF_SECONDS = 300;
/** A pod that no node takes for so long is given up: it is kept off by something that does not pass by itself. */
const UNSCHEDULABLE_SECONDS = 60;
/** A pull that takes longer is told of, and so often: a base image of Windows takes minutes, and a log without a line is taken for a program that hangs. */
const SLOW_SECONDS = 300;
/** A Job whose pod does not come is looked into so often. */
const NO_POD_SECONDS = 15;
/** A kubelet that is at the end of its strength while it unpacks layers comes back; one that does not has lost the pull. */
const NOT_READY_SECONDS = 60;
/** What was done is written down at most so often; a record that fills its annotation, more seldom. */
const RECORD_EVERY_MS = 250;
const FULL_RECORD_EVERY_MS = 2_000;
/** The run's deadline is moved so often, and always long before it ends. */
const EXTEND_EVERY_SECONDS = 30;
/** A pod that is being removed from a node that does not answer holds its place no longer. */
const LEAVING_SECONDS = 30;
/** The kubelet's event comes with the status, or a little later; where many come late, this one is among those to come. */
const EVENT_WAIT_MS = 1_500;
const LONGEST_EVENT_WAIT_MS = 5_000;
/** Pods that hold have ended by themselves so long before the run's own Job does. */
const HOLD_MARGIN_SECONDS = 30;
const REQUESTS_AT_ONCE = 8;
/** A list that failed is tried again. */
const LIST_AGAIN_MS = 2_000;
/** After an interruption, requests that create something are waited for, so that what they made is known. */
const CREATE_GRACE_MS = 3_000;
const CLEAN_UP_MS = 10_000;

type Input =
  | { readonly kind: 'pod'; readonly type: WatchEvent['type']; readonly pod: KubeObject }
  | { readonly kind: 'pods'; readonly pods: readonly KubeObject[] }
  | { readonly kind: 'node'; readonly name: string; readonly state: 'ready' | 'not-ready' | 'gone' }
  | { readonly kind: 'nodes'; readonly nodes: readonly { readonly name: string; readonly state: 'ready' | 'not-ready' }[] }
  | { readonly kind: 'ready-node'; readonly node: KubeObject }
  | { readonly kind: 'event'; readonly pod: string; readonly message: string }
  | { readonly kind: 'tick' };

interface Pull {
  readonly index: number;
  readonly item: PlanItem;
  readonly attempt: number;
  readonly notBefore: number;
}

interface Running {
  readonly pull: Pull;
  readonly job: RunOwner;
  readonly startedAt: number;
  scheduledAt: number | null;
  /** When it was last told of, once a node has it. */
  toldAt: number;
  pendingMessage: string | null;
  pod: string | null;
  /** Whether its pod has ended, or is gone. */
  podIsOver: boolean;
  pulledEvent: PulledEvent | null;
  /** The image is there; what the kubelet says of the pull is waited for. */
  pulled: { readonly digest: string | null; readonly at: number; readonly isRunning: boolean } | null;
  /** When its Job was given up; the place is free once the pod is over. */
  leavingSince: number | null;
  lookedForPodAt: number;
}

/** A Job that is to be deleted. */
interface Leaving {
  readonly job: RunOwner;
  /** What it did has to be written down first. */
  readonly isResult: boolean;
  notBefore: number;
}

/** The items to pull are those with the actions pull and unknown. Yields what happens and ends when all are done, or the signal is aborted. */
export function runPulls(items: readonly PlanItem[], options: PullsOptions, cluster: PullsCluster): AsyncGenerator<PrepullEvent, void, undefined> {
  return new PullRun(items, options, cluster).events();
}

class PullRun {
  readonly #options: PullsOptions;
  readonly #cluster: PullsCluster;
  readonly #queued: Pull[];
  #planned: number;
  readonly #lookedAt = new Set<string>();
  readonly #running = new Map<string, Running>();
  readonly #leaving = new Map<string, Leaving>();
  readonly #results: RecordedResult[] = [];
  readonly #inbox = new EventQueue<Input>();
  readonly #stop = new AbortController();
  readonly #creating: AbortSignal;
  readonly #notReady = new Map<string, { readonly since: number; readonly isGone: boolean }>();
  readonly #pausedRegistries = new Map<string, number>();
  readonly #startedAt: string;
  readonly #out: PrepullEvent[] = [];
  #owner: RunOwner | null = null;
  /** Pods that stay. */
  #held = 0;
  #isRemoved = false;
  #mayExist = false;
  #seesEvents = true;
  #lastEventAt = 0;
  #pausedUntil = 0;
  #deadlineSetAt = 0;
  #deadlineTriedAt = 0;
  #recordTriedAt = 0;
  #recordBytes = 0;
  #isRecordDue = false;

  constructor(items: readonly PlanItem[], options: PullsOptions, cluster: PullsCluster) {
    this.#options = options;
    this.#cluster = cluster;
    this.#queued = items.filter(({ action }) => action === 'pull' || action === 'unknown').map((item, index) => ({ index, item, attempt: 1, notBefore: 0 }));
    this.#planned = this.#queued.length;
    this.#startedAt = cluster.clock.now().toISOString();
    this.#creating = afterwards(options.signal, CREATE_GRACE_MS);
  }

  async* events(): AsyncGenerator<PrepullEvent, void, undefined> {
    const { signal, run, namespace } = this.#options;
    if (this.#queued.length === 0) return;
    let sources: readonly Promise<void>[] = [];
    let isDone = false;
    try {
      try {
        await this.#begin();
        yield { type: 'began', run, namespace, items: this.#planned };
        sources = [this.#watchPods(), this.#watchNodes(), this.#watchEvents(), this.#tick()];
        while (this.#queued.length > 0 || this.#running.size > 0) {
          const mayStartMore = await this.#startWhatFits();
          await this.#writeAndDelete();
          yield* this.#out.splice(0);
          for (const input of mayStartMore ? this.#inbox.takeNow() : await this.#inbox.take()) await this.#take(input);
          signal.throwIfAborted();
          yield* this.#out.splice(0);
        }
        isDone = true;
      } finally {
        this.#stop.abort(new Error('the run is over'));
        await Promise.allSettled(sources);
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

  async #begin(): Promise<void> {
    const { run, namespace, signal } = this.#options;
    signal.throwIfAborted();
    const record = this.#record('running');
    let made: KubeObject;
    this.#mayExist = true;
    try {
      made = await this.#cluster.writer.create(JOBS, runJob(this.#options, record), { namespace, signal: this.#creating });
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'AlreadyExists') throw error;
      // An answer that was lost on the way, unless it is somebody else's.
      made = await this.#cluster.reader.get(JOBS, runJobName(run), { namespace, signal });
      if (stringAt(made, 'metadata', 'annotations', RECORD_ANNOTATION) !== record) {
        this.#mayExist = false;
        throw error;
      }
    }
    this.#owner = ownerOf(made, runJobName(run));
    this.#deadlineSetAt = this.#now();
    this.#deadlineTriedAt = this.#deadlineSetAt;
    signal.throwIfAborted();
  }

  /** Places that are taken, also by a pod that is still being removed. */
  #isFull(more: number): boolean {
    const { parallel } = this.#options;
    return parallel > 0 && this.#running.size + more >= parallel;
  }

  /** true when more may fit at once. */
  async #startWhatFits(): Promise<boolean> {
    const now = this.#now();
    // One image at a time on a node: its kubelet pulls one after the other anyway, and places are for nodes.
    const busy = new Set([...this.#running.values()].map(({ pull }) => pull.item.node));
    const batch: Pull[] = [];
    for (let place = 0; place < this.#queued.length && batch.length < REQUESTS_AT_ONCE && !this.#isFull(batch.length) && now >= this.#pausedUntil;) {
      const pull = this.#queued[place] as Pull; // place is below the length
      const { node } = pull.item;
      const lost = this.#notReady.get(node);
      if (lost !== undefined && this.#isLost(lost) && !busy.has(node)) {
        this.#queued.splice(place, 1);
        this.#finish(pull, failed('NodeLost', lostMessage(lost.isGone)));
      } else if (pull.notBefore > now || busy.has(node) || lost !== undefined || (this.#pausedRegistries.get(registryOf(pull.item.image)) ?? 0) > now) {
        place += 1;
      } else {
        this.#queued.splice(place, 1);
        busy.add(node);
        batch.push(pull);
      }
    }
    if (batch.length === 0) return false;
    await this.#extendDeadline();
    const settled = await Promise.allSettled(batch.map((pull) => this.#start(pull)));
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
    return batch.length === REQUESTS_AT_ONCE;
  }

  #isLost({ since, isGone }: { readonly since: number; readonly isGone: boolean }): boolean {
    return isGone || this.#now() - since >= NOT_READY_SECONDS * 1000;
  }

  async #start(pull: Pull): Promise<void> {
    const { namespace } = this.#options;
    const { item, index, attempt } = pull;
    const owner = this.#owner as RunOwner; // made before the first start
    const job = pullJob(this.#options, { index, attempt, node: item.node, image: item.image, isRefreshed: item.reason === 'TagMoved' }, owner);
    let made: KubeObject;
    try {
      made = await this.#cluster.writer.create(JOBS, job, { namespace, signal: this.#creating })
        .catch((error: unknown) => (error instanceof ClusterError && error.reason === 'AlreadyExists' ? this.#found(job) : Promise.reject(error as Error)));
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#postpone(pull, error);
      return;
    }
    this.#running.set(nameOf(job), {
      pull, job: ownerOf(made, nameOf(job)), startedAt: this.#now(), scheduledAt: null, toldAt: 0, pendingMessage: null, pod: null, podIsOver: false, pulledEvent: null, pulled: null, leavingSince: null, lookedForPodAt: this.#now(),
    });
    this.#out.push({ type: 'started', item, attempt });
  }

  /** An answer was lost on the way: the Job is there, and what its pod did meanwhile has been passed over. */
  async #found(job: KubeObject): Promise<KubeObject> {
    const { namespace, run, signal } = this.#options;
    const found = await this.#cluster.reader.get(JOBS, nameOf(job), { namespace, signal });
    for await (const { items } of this.#cluster.reader.list(PODS, { namespace, labelSelector: `${RUN_LABEL}=${run},batch.kubernetes.io/job-name=${nameOf(job)}`, signal })) {
      for (const pod of items) this.#inbox.push({ kind: 'pod', type: 'MODIFIED', pod });
    }
    return found;
  }

  /** The API server does not take the Job: for a while, or for good. */
  #postpone(pull: Pull, error: ClusterError): void {
    const isForGood = error.reason === 'Invalid' || error.reason === 'BadRequest' || error.reason === 'NotFound' || (error.reason === 'Forbidden' && !/exceeded quota/i.test(error.message));
    if (isForGood) {
      this.#finish(pull, failed(error.reason, error.message));
      return;
    }
    // First in the line: where the Job was made all the same, no other takes its place.
    this.#queued.unshift(pull);
    const until = this.#now() + FIRST_BACKOFF_SECONDS * 1000;
    if (this.#pausedUntil < this.#now()) this.#out.push({ type: 'paused', seconds: FIRST_BACKOFF_SECONDS, message: error.message });
    this.#pausedUntil = Math.max(until, this.#pausedUntil);
  }

  async #take(input: Input): Promise<void> {
    switch (input.kind) {
      case 'pod':
        return this.#takePod(input.pod, input.type === 'DELETED');
      case 'pods': {
        const seen = new Set(input.pods.map((pod) => jobOf(pod)));
        for (const pod of input.pods) await this.#takePod(pod, false);
        // Pods that were removed while nobody watched.
        for (const [job, running] of this.#running) if (running.pod !== null && !seen.has(job)) await this.#podGone(running);
        return;
      }
      case 'node':
        return this.#takeNode(input.name, input.state);
      case 'nodes': {
        const seen = new Set(input.nodes.map(({ name }) => name));
        for (const { name, state } of input.nodes) this.#takeNode(name, state);
        for (const node of new Set([...this.#queued, ...[...this.#running.values()].map(({ pull }) => pull)].map(({ item }) => item.node))) if (!seen.has(node)) this.#takeNode(node, 'gone');
        return;
      }
      case 'ready-node':
        return this.#takeReadyNode(input.node);
      case 'event':
        return this.#takeEvent(input.pod, input.message);
      case 'tick':
        return this.#lookAround();
    }
  }

  #takeNode(name: string, state: 'ready' | 'not-ready' | 'gone'): void {
    if (state === 'ready') this.#notReady.delete(name);
    else if (state === 'gone' || !this.#notReady.has(name)) this.#notReady.set(name, { since: this.#now(), isGone: state === 'gone' });
  }

  /** Once each: what it is to pull comes after what waits. */
  async #takeReadyNode(node: KubeObject): Promise<void> {
    if (this.#lookedAt.has(nameOf(node))) return;
    this.#lookedAt.add(nameOf(node));
    const items = await this.#options.planNode?.(node) ?? [];
    if (items.length === 0) return;
    const toPull = items.filter(({ action }) => action === 'pull' || action === 'unknown');
    this.#queued.push(...toPull.map((item, at) => ({ index: this.#planned + at, item, attempt: 1, notBefore: 0 })));
    this.#planned += toPull.length;
    this.#isRecordDue = true;
    this.#out.push({ type: 'joined', node: nameOf(node), items });
  }

  async #takePod(pod: KubeObject, isDeleted: boolean): Promise<void> {
    const job = jobOf(pod);
    const running = job === null ? undefined : this.#running.get(job);
    if (running === undefined) return;
    running.pod = nameOf(pod);
    const phase = stringAt(pod, 'status', 'phase');
    running.podIsOver = isDeleted || phase === 'Succeeded' || phase === 'Failed';
    if (running.leavingSince === null && running.pulled === null) {
      const state = pullStateOf(pod);
      if (state.state === 'pulled') {
        running.pulled = { digest: state.digest, at: this.#now(), isRunning: state.isRunning };
        if (running.pulledEvent !== null) this.#finishPulled(running, running.pulledEvent);
        else if (!this.#seesEvents) await this.#finishUntold([running]);
      } else if (state.state === 'failed') await this.#failed(running, await this.#told(running, state));
      else if (isDeleted) await this.#podGone(running);
      else this.#waiting(running, state);
    }
    this.#freePlace(running);
  }

  /** A place is free when the pod does nothing any more. */
  #freePlace(running: Running): void {
    if (running.leavingSince !== null && running.podIsOver) this.#running.delete(running.job.name);
  }

  #waiting(running: Running, state: PullState): void {
    if (state.state === 'pending') {
      running.pendingMessage = state.message;
      return;
    }
    if (running.scheduledAt !== null) return;
    running.scheduledAt = this.#now();
    running.toldAt = running.scheduledAt;
    this.#out.push({ type: 'scheduled', item: running.pull.item });
  }

  async #takeEvent(pod: string, message: string): Promise<void> {
    // Pods of a Job are its name and five characters.
    const running = this.#running.get(pod.replace(/-[a-z0-9]{5}$/, ''));
    if (running === undefined) return;
    this.#lastEventAt = this.#now();
    running.pulledEvent = readPulledEvent(message) ?? running.pulledEvent;
    if (running.pulledEvent !== null) this.#finishPulled(running, running.pulledEvent);
    this.#freePlace(running);
  }

  #finishPulled(running: Running, event: PulledEvent | null): void {
    if (running.pulled === null || running.leavingSince !== null) return;
    this.#finishAs(running, event);
    if (this.#isHeld(running)) this.#hold(running);
    else this.#giveUp(running, true);
  }

  #isUntold({ pulled }: Running, now: number): boolean {
    return pulled !== null && (now - Math.max(pulled.at, this.#lastEventAt) >= EVENT_WAIT_MS || now - pulled.at >= LONGEST_EVENT_WAIT_MS);
  }

  /** Those whose event has not come. One list for all of them: for each one the API server reads all events of the namespace. */
  async #finishUntold(untold: readonly Running[]): Promise<void> {
    if (untold.length === 0) return;
    const told = new Map<string, PulledEvent>();
    const [only, ...others] = untold.map(({ pod }) => pod ?? '');
    for (const { about, message } of await this.#eventsOf('Pod', others.length === 0 ? only ?? '' : null, 'Pulled')) {
      const read = readPulledEvent(message);
      if (read !== null) told.set(about, read);
    }
    for (const running of untold) this.#finishPulled(running, told.get(running.pod ?? '') ?? null);
  }

  #isHeld({ pulled, podIsOver }: Running): boolean {
    return (this.#options.holdSeconds ?? 0) > 0 && pulled?.isRunning === true && !podIsOver;
  }

  /** Its pod stays, and keeps no other from its turn. */
  #hold(running: Running): void {
    this.#running.delete(running.job.name);
    this.#held += 1;
  }

  #finishAs(running: Running, event: PulledEvent | null): void {
    const { pull, scheduledAt, startedAt, pulled } = running;
    if (pulled === null) return;
    const { holdSeconds = 0 } = this.#options;
    const held = holdSeconds === 0 ? '' : this.#isHeld(running) ? `; held for ${holdSeconds} s` : '; not held: its container does not run, which needs a shell in the image';
    const isPresent = event !== null && !event.wasPulled;
    this.#finish(pull, {
      result: isPresent ? 'present' : 'pulled', reason: isPresent ? 'AlreadyPresent' : 'Pulled', message: `${isPresent ? 'it was on the node' : 'pulled'}${held}`, digest: pulled.digest,
      seconds: isPresent ? null : event?.seconds ?? (pulled.at - (scheduledAt ?? startedAt)) / 1000, sizeBytes: event?.sizeBytes ?? null,
    });
  }

  /** What the kubelet says beside the status. */
  async #told({ pod }: Running, state: PullFailed): Promise<PullFailed> {
    if (pod === null) return state;
    if (state.isUntold === true) {
      const cause = (await this.#messagesOf('Pod', pod, 'Failed')).findLast((message) => /^Failed to pull image/i.test(message));
      return cause === undefined ? state : pullFailure('ErrImagePull', cause);
    }
    if (state.reason !== 'Unauthorized') return state;
    // https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kubelet.go, read 2026-11-30
    const missing = (await this.#messagesOf('Pod', pod, 'FailedToRetrieveImagePullSecret')).at(-1);
    return missing === undefined ? state : { ...state, message: `${state.message}; ${missing}` };
  }

  async #messagesOf(kind: string, name: string, reason: string): Promise<readonly string[]> {
    return (await this.#eventsOf(kind, name, reason)).map(({ message }) => message);
  }

  /** The oldest first; none where they cannot be read. `name`: null for all. */
  async #eventsOf(kind: string, name: string | null, reason: string): Promise<readonly { readonly about: string; readonly message: string }[]> {
    const { namespace, signal } = this.#options;
    const events: KubeObject[] = [];
    try {
      for await (const { items } of this.#cluster.reader.list(EVENTS, { namespace, fieldSelector: `involvedObject.kind=${kind}${name === null ? '' : `,involvedObject.name=${name}`}${reason === '' ? ',type=Warning' : `,reason=${reason}`}`, signal })) events.push(...items);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    const time = (event: KubeObject): string => stringAt(event, 'lastTimestamp') ?? stringAt(event, 'eventTime') ?? stringAt(event, 'metadata', 'creationTimestamp') ?? '';
    return events.filter(isOfPull).toSorted((a, b) => time(a).localeCompare(time(b)))
      .map((event) => ({ about: stringAt(event, 'involvedObject', 'name') ?? '', message: stringAt(event, 'message') ?? '' })).filter(({ message }) => message !== '');
  }

  async #failed(running: Running, state: PullFailed): Promise<void> {
    const { pull } = running;
    const isRetried = state.isPassing && pull.attempt <= this.#options.retries;
    if (isRetried) {
      const seconds = Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (pull.attempt - 1));
      if (state.reason === 'TooManyRequests') this.#pauseRegistry(pull.item.image, seconds, state.message);
      this.#out.push({ type: 'retry', item: pull.item, attempt: pull.attempt, seconds, message: state.message });
      this.#queued.push({ ...pull, attempt: pull.attempt + 1, notBefore: this.#now() + seconds * 1000 });
    } else {
      this.#finish(pull, failed(state.reason, state.message));
    }
    this.#giveUp(running, !isRetried);
    this.#freePlace(running);
  }

  /** A registry that limits pulls means all nodes. */
  #pauseRegistry(image: string, seconds: number, message: string): void {
    const registry = registryOf(image);
    const until = this.#pausedRegistries.get(registry) ?? 0;
    if (until < this.#now()) this.#out.push({ type: 'paused', seconds, message: `${registry}: ${message}` });
    this.#pausedRegistries.set(registry, Math.max(until, this.#now() + seconds * 1000));
  }

  async #podGone(running: Running): Promise<void> {
    running.podIsOver = true;
    if (running.leavingSince === null && running.pulled !== null) await this.#finishUntold([running]);
    if (running.leavingSince === null) {
      const hasTimedOut = this.#now() - running.startedAt >= this.#options.timeoutSeconds * 1000 - 2 * TICK_MS;
      if (!hasTimedOut) await this.#requireOwner();
      await this.#failed(running, hasTimedOut ? await this.#timedOut(running) : { state: 'failed', reason: 'Deleted', message: 'its pod was deleted by somebody else', isPassing: true });
    }
    this.#freePlace(running);
  }

  async #timedOut(running: Running): Promise<PullFailed> {
    const last = await this.#lastSaidOf(running);
    const what = running.pod === null ? 'no pod was made' : 'no image';
    return { state: 'failed', reason: 'Timeout', message: `${what} within ${this.#options.timeoutSeconds} s (--timeout)${last === null ? '' : `; the last that was said of it: ${last}`}`, isPassing: false };
  }

  /** Warnings alone. */
  async #lastSaidOf({ pod }: Running): Promise<string | null> {
    return pod === null ? null : (await this.#messagesOf('Pod', pod, '')).at(-1) ?? null;
  }

  #finish({ item }: Pull, outcome: PrepullOutcome): void {
    this.#out.push({ type: 'finished', item, outcome });
    if (outcome.result === 'pulled' || outcome.result === 'present' || outcome.result === 'failed') {
      this.#results.push({ node: item.node, image: item.image, result: outcome.result, reason: outcome.result === 'failed' ? outcome.reason : null, ...(outcome.digest === null ? {} : { digest: outcome.digest }) });
      this.#isRecordDue = true;
    }
  }

  #giveUp(running: Running, isResult: boolean): void {
    running.leavingSince = this.#now();
    this.#leaving.set(running.job.name, { job: running.job, isResult, notBefore: 0 });
  }

  /** What is done is written down before its Job goes, so that no moment is without either. */
  async #writeAndDelete(): Promise<void> {
    const now = this.#now();
    const pause = RECORD_EVERY_MS + (FULL_RECORD_EVERY_MS - RECORD_EVERY_MS) * (this.#recordBytes / RECORD_LIMIT_BYTES);
    if (this.#isRecordDue && now - this.#recordTriedAt >= pause) await this.#writeRecord('running');
    const due = [...this.#leaving.values()].filter(({ isResult, notBefore }) => now >= notBefore && !(isResult && this.#isRecordDue));
    await inTurns(due, async (leaving) => {
      const { namespace, signal } = this.#options;
      try {
        await this.#cluster.writer.delete(JOBS, leaving.job.name, { namespace, uid: leaving.job.uid, signal });
        this.#leaving.delete(leaving.job.name);
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        leaving.notBefore = now + FIRST_BACKOFF_SECONDS * 1000;
      }
    });
  }

  async #lookAround(): Promise<void> {
    const now = this.#now();
    await this.#extendDeadline();
    await this.#finishUntold([...this.#running.values()].filter((running) => running.leavingSince === null && this.#isUntold(running, now)));
    for (const running of this.#running.values()) {
      const lost = this.#notReady.get(running.pull.item.node);
      if (running.leavingSince !== null) {
        if (now - running.leavingSince > LEAVING_SECONDS * 1000) running.podIsOver = true;
      } else if (running.pulled !== null) {
        // its event is waited for
      } else if (lost !== undefined && this.#isLost(lost)) {
        await this.#failed(running, { state: 'failed', reason: 'NodeLost', message: lostMessage(lost.isGone), isPassing: false });
      } else if (running.pod === null && now - running.lookedForPodAt > NO_POD_SECONDS * 1000) {
        running.lookedForPodAt = now;
        // Why the Job controller could make no pod.
        const refusal = (await this.#messagesOf('Job', running.job.name, 'FailedCreate')).at(-1);
        if (refusal !== undefined) await this.#failed(running, { state: 'failed', reason: 'Refused', message: refusal, isPassing: /exceeded quota/i.test(refusal) });
      } else if (running.scheduledAt === null && running.pendingMessage !== null && now - running.startedAt > UNSCHEDULABLE_SECONDS * 1000) {
        const reason = /too many pods|insufficient/i.test(running.pendingMessage) ? 'NodeFull' : 'Unschedulable';
        await this.#failed(running, { state: 'failed', reason, message: `the scheduler finds no place: ${running.pendingMessage}`, isPassing: false });
      } else if (now - running.startedAt > (this.#options.timeoutSeconds + LEAVING_SECONDS) * 1000) {
        await this.#failed(running, await this.#timedOut(running));
      } else if (running.scheduledAt !== null && now - running.toldAt >= SLOW_SECONDS * 1000) {
        running.toldAt = now;
        this.#out.push({ type: 'slow', item: running.pull.item, seconds: Math.round((now - running.scheduledAt) / 1000), message: await this.#lastSaidOf(running) });
      }
      this.#freePlace(running);
    }
  }

  /**
   * The run's own Job must outlive the pulls and the pauses between them, and this program by no more than that: nobody else ends it.
   * Throws where it is gone.
   */
  async #extendDeadline(): Promise<void> {
    const now = this.#now();
    const every = Math.min(EXTEND_EVERY_SECONDS, (this.#options.marginSeconds ?? DEADLINE_MARGIN_SECONDS) / 4);
    if (now - this.#deadlineSetAt < every * 1000 || now - this.#deadlineTriedAt < every * 1000) return;
    this.#deadlineTriedAt = now;
    const seconds = Math.ceil((now - Date.parse(this.#startedAt)) / 1000) + deadlineSeconds(this.#options);
    try {
      const job = await this.#mergeRun({ spec: { activeDeadlineSeconds: seconds } }, this.#options.signal);
      const hasEnded = arrayAt(job, 'status', 'conditions').some((condition) => ['Failed', 'FailureTarget', 'Complete'].includes(stringAt(condition, 'type') ?? '') && stringAt(condition, 'status') === 'True');
      if (hasEnded) throw this.#removed('its deadline passed while this program stood still: a machine that slept');
      this.#deadlineSetAt = now;
    } catch (error) {
      if (!(error instanceof ClusterError) || this.#isRemoved || now - this.#deadlineSetAt > deadlineSeconds(this.#options) * 1000) throw error;
    }
  }

  /** Throws where the run's own Job is gone: then somebody has cleaned up, and nothing is begun any more. */
  async #requireOwner(): Promise<void> {
    const { run, namespace, signal } = this.#options;
    try {
      const job = await this.#cluster.reader.get(JOBS, runJobName(run), { namespace, signal });
      if (ownerOf(job, '').uid === this.#owner?.uid && stringAt(job, 'metadata', 'deletionTimestamp') === undefined) return;
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'NotFound') {
        if (error instanceof ClusterError) return;
        throw error;
      }
    }
    throw this.#removed('somebody has cleaned up, or the namespace goes');
  }

  #removed(why: string): ClusterError {
    this.#isRemoved = true;
    return new ClusterError(`the run ${this.#options.run} was removed: ${why}`, { reason: 'NotFound', suggestions: ['run it again: what has been pulled is not pulled twice'] });
  }

  /** A patch of the run's own Job, and of no namesake. Throws `removed` where it is gone. */
  async #mergeRun(patch: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<KubeObject> {
    const { name = '', uid = '' } = this.#owner ?? {};
    const metadata = patch['metadata'];
    try {
      return await this.#cluster.writer.merge(JOBS, name, { ...patch, metadata: { ...(typeof metadata === 'object' ? metadata : {}), uid } }, { namespace: this.#options.namespace, signal });
    } catch (error) {
      if (error instanceof ClusterError && (error.reason === 'NotFound' || (error.reason === 'Conflict' && /uid/i.test(error.message)))) throw this.#removed('somebody has cleaned up, or the namespace goes');
      throw error;
    }
  }

  #record(phase: RunRecord['phase']): string {
    return writeRecord({ startedAt: this.#startedAt, phase, planned: this.#planned, refused: this.#options.refused, skipped: this.#options.skipped, results: this.#results });
  }

  async #writeRecord(phase: RunRecord['phase'], signal: AbortSignal = this.#options.signal): Promise<void> {
    this.#recordTriedAt = this.#now();
    const record = this.#record(phase);
    this.#recordBytes = record.length;
    try {
      await this.#mergeRun({ metadata: { annotations: { [RECORD_ANNOTATION]: record } } }, signal);
    } catch (error) {
      if (!(error instanceof ClusterError) || this.#isRemoved) throw error;
      // Written with the next one, and the Jobs of what is not written down stay until then; but what is refused is refused every time.
      if (error.reason !== 'Invalid' && error.reason !== 'RequestEntityTooLarge' && error.reason !== 'Forbidden') return;
      this.#out.push({ type: 'note', message: `what is done cannot be written down (${error.message}): a run after this one may pull it again` });
    }
    this.#isRecordDue = false;
  }

  /** With a signal of its own, since the run's may be aborted. */
  async #leave(isDone: boolean): Promise<void> {
    const signal = AbortSignal.timeout(CLEAN_UP_MS + 20 * this.#running.size);
    const { namespace, run } = this.#options;
    try {
      const owner = this.#owner ?? await this.#lostOwner(signal);
      if (owner === null) return;
      if (!isDone && !this.#isRemoved) await this.#lookOnce(signal);
      // Without results there is nothing to take up.
      const isKept = !isDone && !this.#isRemoved && this.#results.length > 0;
      if (isDone && this.#held > 0) await this.#leaveHolding(signal);
      else if (isKept) await this.#patiently(signal, () => this.#mergeRun({ metadata: { annotations: { [RECORD_ANNOTATION]: this.#record('interrupted') } } }, signal));
      else await this.#patiently(signal, () => this.#cluster.writer.delete(JOBS, owner.name, { namespace, uid: owner.uid, signal }));
      // Also those that this run does not know of, because an answer was lost.
      const known = [...this.#running.values(), ...this.#leaving.values()].map(({ job }) => job);
      const pulls = isDone ? known : await this.#pullsOf(`${RUN_LABEL}=${run},${ROLE_LABEL}=pull`, signal);
      await inTurns([...new Map([...known, ...pulls].map((job) => [job.uid, job])).values()], (job) => this.#patiently(signal, () => this.#cluster.writer.delete(JOBS, job.name, { namespace, uid: job.uid, signal })));
    } catch (error) {
      if (!(error instanceof ClusterError) && !signal.aborted) throw error;
      if (this.#isRemoved) return;
      const seconds = deadlineSeconds(this.#options) + (this.#options.recordTtlSeconds ?? RECORD_TTL_SECONDS);
      const why = error instanceof ClusterError ? error.message : 'the API server does not answer';
      this.#out.push({ type: 'note', message: `the run ${run} could not be cleaned up (${why}); the cluster does so by itself within ${seconds} s, and kubectl win prepull cleanup ${run} at once` });
    }
  }

  /** What has been pulled by now is a result, whether its event came or not. */
  async #lookOnce(signal: AbortSignal): Promise<void> {
    const { namespace, run } = this.#options;
    try {
      for await (const { items } of this.#cluster.reader.list(PODS, { namespace, labelSelector: `${RUN_LABEL}=${run}`, signal })) {
        for (const pod of items) {
          const running = this.#running.get(jobOf(pod) ?? '');
          const state = pullStateOf(pod);
          if (running !== undefined && state.state === 'pulled') running.pulled ??= { digest: state.digest, at: this.#now(), isRunning: false };
        }
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    for (const running of this.#running.values()) if (running.leavingSince === null) this.#finishAs(running, running.pulledEvent);
  }

  /** The run's own Job stays as long as the pods that hold, which go with it. */
  async #leaveHolding(signal: AbortSignal): Promise<void> {
    const { run, namespace, holdSeconds = 0 } = this.#options;
    const seconds = Math.ceil((this.#now() - Date.parse(this.#startedAt)) / 1000) + holdSeconds + HOLD_MARGIN_SECONDS;
    const record = this.#record(this.#results.some(({ result }) => result === 'failed') ? 'failed' : 'succeeded');
    await this.#patiently(signal, () => this.#mergeRun({ metadata: { annotations: { [RECORD_ANNOTATION]: record } }, spec: { activeDeadlineSeconds: seconds } }, signal));
    this.#out.push({ type: 'note', message: `${this.#held} pod${this.#held === 1 ? '' : 's'} of the run ${run} in ${namespace} hold images for ${holdSeconds} s, and go by themselves; at once: kubectl win prepull cleanup ${run} -n ${namespace}` });
  }

  /** The run's Job, where it was made and its answer did not come. */
  async #lostOwner(signal: AbortSignal): Promise<RunOwner | null> {
    if (!this.#mayExist) return null;
    const { namespace, run } = this.#options;
    try {
      const job = await this.#cluster.reader.get(JOBS, runJobName(run), { namespace, signal });
      return stringAt(job, 'metadata', 'annotations', RECORD_ANNOTATION) === this.#record('running') ? ownerOf(job, runJobName(run)) : null;
    } catch (error) {
      if (error instanceof ClusterError) return null;
      throw error;
    }
  }

  async #pullsOf(labelSelector: string, signal: AbortSignal): Promise<readonly RunOwner[]> {
    const jobs: RunOwner[] = [];
    try {
      for await (const { items } of this.#cluster.reader.list(JOBS, { namespace: this.#options.namespace, labelSelector, signal })) jobs.push(...items.map((job) => ownerOf(job, nameOf(job))));
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    return jobs;
  }

  /** Once more after failures that pass by themselves. */
  async #patiently(signal: AbortSignal, request: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await request();
        return;
      } catch (error) {
        if (attempt === 6 || !(error instanceof ClusterError) || !PASSING.has(error.reason)) throw error;
        await this.#cluster.clock.sleep(attempt * 500, signal);
      }
    }
  }

  async #watchPods(): Promise<void> {
    await this.#follow(PODS, { namespace: this.#options.namespace, labelSelector: `${RUN_LABEL}=${this.#options.run}` }, (event) => {
      this.#inbox.push(event.type === 'RELISTED' ? { kind: 'pods', pods: event.objects } : { kind: 'pod', type: event.type, pod: event.object });
    }, 'needed');
  }

  async #watchNodes(): Promise<void> {
    await this.#follow(NODES, { labelSelector: 'kubernetes.io/os=windows' }, (event) => {
      if (this.#options.planNode !== undefined) for (const node of event.type === 'RELISTED' ? event.objects : event.type === 'DELETED' ? [] : [event.object]) if (readiness(node) === 'ready') this.#inbox.push({ kind: 'ready-node', node });
      if (event.type === 'RELISTED') this.#inbox.push({ kind: 'nodes', nodes: event.objects.map((node) => ({ name: nameOf(node), state: readiness(node) })) });
      else this.#inbox.push({ kind: 'node', name: nameOf(event.object), state: event.type === 'DELETED' ? 'gone' : readiness(event.object) });
    }, 'useful');
  }

  /** Of all pods in the namespace: the API server selects events by no label. Those that are there already are of no interest, and may be many. */
  async #watchEvents(): Promise<void> {
    await this.#follow(EVENTS, { namespace: this.#options.namespace, fieldSelector: 'involvedObject.kind=Pod,reason=Pulled' }, (event) => {
      for (const object of event.type === 'RELISTED' ? event.objects : event.type === 'DELETED' ? [] : [event.object]) {
        const pod = stringAt(object, 'involvedObject', 'name') ?? '';
        if (pod.startsWith(`${runJobName(this.#options.run)}-`) && isOfPull(object)) this.#inbox.push({ kind: 'event', pod, message: stringAt(object, 'message') ?? '' });
      }
    }, 'from-now-on');
    this.#seesEvents = false;
  }

  /** Lists, then watches until the run is over. `needed`: without it the run cannot go on. `from-now-on`: what is there already is left out. */
  async #follow(resource: Resource, scope: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string }, handle: (event: WatchEvent) => void, kind: 'needed' | 'useful' | 'from-now-on'): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, this.#stop.signal]);
    try {
      const resourceVersion = await this.#listed(resource, scope, handle, kind === 'from-now-on', signal);
      for await (const event of this.#cluster.reader.watch(resource, { ...scope, resourceVersion, signal })) handle(event);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (kind !== 'needed' && !this.#options.signal.aborted && error instanceof ClusterError) this.#out.push({ type: 'note', message: `${resource.plural} cannot be watched: ${error.message}` });
      else this.#inbox.fail(error);
    }
  }

  async #listed(resource: Resource, scope: { readonly namespace?: string; readonly labelSelector?: string; readonly fieldSelector?: string }, handle: (event: WatchEvent) => void, isVersionEnough: boolean, signal: AbortSignal): Promise<string> {
    for (;;) {
      try {
        let resourceVersion = '';
        let objects: KubeObject[] = [];
        for await (const page of this.#cluster.reader.list(resource, { ...scope, ...(isVersionEnough ? { chunkSize: 1 } : {}), signal })) {
          resourceVersion = page.resourceVersion;
          if (isVersionEnough) break;
          if (page.restarted === true) objects = [];
          objects.push(...page.items);
        }
        if (!isVersionEnough) handle({ type: 'RELISTED', objects });
        return resourceVersion;
      } catch (error) {
        if (signal.aborted || !(error instanceof ClusterError) || !PASSING.has(error.reason)) throw error;
        await this.#cluster.clock.sleep(LIST_AGAIN_MS, signal);
      }
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

/** Failures that go away by themselves: a restarted server, a broken connection, a shed request. */
const PASSING: ReadonlySet<string> = new Set(['Unreachable', 'ConnectionLost', 'DeadlineExceeded', 'TooManyRequests', 'ServiceUnavailable', 'InternalError', 'Timeout', 'ServerTimeout']);

/** Aborted some time after another signal. */
function afterwards(signal: AbortSignal, milliseconds: number): AbortSignal {
  const later = new AbortController();
  const begin = (): void => AbortSignal.timeout(milliseconds).addEventListener('abort', () => later.abort(signal.reason), { once: true });
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return later.signal;
}

/** A few at a time; throws the first failure after all have ended. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const waiting = items.values();
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, async () => {
    for (const item of waiting) await work(item).catch((error: unknown) => failures.push(error));
  }));
  if (failures.length > 0) throw failures[0];
}

function failed(reason: string, message: string): PrepullOutcome {
  return { result: 'failed', reason, message, seconds: null, sizeBytes: null, digest: null };
}

function lostMessage(isGone: boolean): string {
  return isGone ? 'the node is gone' : `the node has not been Ready for ${NOT_READY_SECONDS} s`;
}

function ownerOf(job: KubeObject, name: string): RunOwner {
  return { name, uid: stringAt(job, 'metadata', 'uid') ?? '' };
}

function registryOf(image: string): string {
  const parsed = parseReference(image);
  return parsed.kind === 'reference' ? parsed.reference.domain : '';
}

/** The Job that a pod belongs to, by its label. */
function jobOf(pod: KubeObject): string | null {
  return stringAt(pod, 'metadata', 'labels', 'batch.kubernetes.io/job-name') ?? stringAt(pod, 'metadata', 'labels', 'job-name') ?? null;
}

/** Events name the container; those of a sidecar that was injected are not meant. */
function isOfPull(event: KubeObject): boolean {
  const field = stringAt(event, 'involvedObject', 'fieldPath') ?? '';
  return field === '' || field === `spec.containers{${PULL_CONTAINER}}`;
}

function readiness(node: KubeObject): 'ready' | 'not-ready' {
  return arrayAt(node, 'status', 'conditions').some((condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True') ? 'ready' : 'not-ready';
}
