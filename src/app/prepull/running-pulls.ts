/** Follows the pulls that are under way: by the status of their pods, by what kubelets say, and by the time that goes by. */
import { durationText } from '../../domain/duration-text.ts';
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { disruptionOf } from '../../domain/prepull/pod-disruption.ts';
import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { failedBy, pullStateOf, readPulledEvent, type PulledEvent, type PullFailed, type PullState } from '../../domain/prepull/pull-state.ts';
import { pullFailure } from '../../domain/pods/pod-failure.ts';
import { toldBy, type EventMessages } from '../runs/event-messages.ts';
import { isClearRefusal } from '../runs/job-refusal.ts';
import type { PullFailure } from './pull-window.ts';
import { PROBE_SECONDS } from './registry-pauses.ts';
import { NO_SANDBOX, TICK_MS } from './run-sources.ts';
import { jobOf, podOf, pulledEventOf, type Running } from './running-pull.ts';

/** What the run makes of it. */
export interface RunningPullsParts {
  readonly timeoutSeconds: number;
  readonly events: EventMessages;
  readonly now: () => number;
  readonly say: (event: PrepullEvent) => void;
  /** Since when the node of a pull is not Ready; null where it is. */
  readonly notReadySince: (node: string) => number | null;
  /** Throws where the run is over: then its pods go, too. */
  readonly requireRun: () => Promise<void>;
  /** `event`: null where nothing told. */
  readonly onPulled: (running: Running, event: PulledEvent | null) => void;
  readonly onFailed: (running: Running, failure: PullFailure) => void;
  /** Its registry serves it. */
  readonly onLetThrough: (running: Running) => void;
}

/** A pod that no node takes for so long is given up: it is kept off by something that does not pass by itself. */
const UNSCHEDULABLE_SECONDS = 60;
/** A pull that takes longer is told of, and so often: a base image of Windows takes minutes, and a log without a line is taken for a program that hangs. */
const SLOW_SECONDS = 300;
/** A Job whose pod does not come is looked into so often. */
const NO_POD_SECONDS = 15;
/** A node that makes no sandbox for so long, as for want of an address, gives its place to another; its kubelet tries again every few seconds. */
const NO_SANDBOX_SECONDS = 180;
/** A kubelet that is at the end of its strength while it unpacks layers comes back after minutes; one that does not has lost the pull. */
const NOT_READY_SECONDS = 300;
/** A pod that is being removed from a node that does not answer holds its place no longer. */
const LEAVING_SECONDS = 30;
/** The kubelet's event comes with the status, or a little later; where many come late, this one is among those to come. */
const EVENT_WAIT_MS = 1_500;
const LONGEST_EVENT_WAIT_MS = 5_000;

export class RunningPulls {
  readonly #parts: RunningPullsParts;
  readonly #running = new Map<string, Running>();
  #lastEventAt = 0;

  constructor(parts: RunningPullsParts) {
    this.#parts = parts;
  }

  add(running: Running): void {
    this.#running.set(running.job.name, running);
  }

  remove({ job }: Running): void {
    this.#running.delete(job.name);
  }

  /** Also those that are leaving. */
  get all(): readonly Running[] {
    return [...this.#running.values()];
  }

  get size(): number {
    return this.#running.size;
  }

  /** Of the pods that the run's own Jobs made alone. */
  #runningOf(pod: KubeObject): Running | null {
    const job = jobOf(pod);
    const running = job === null ? undefined : this.#running.get(job.name);
    return running === undefined || running.job.uid !== job?.uid ? null : running;
  }

  /** All pods that there are. */
  async takePods(pods: readonly KubeObject[]): Promise<void> {
    const seen = new Set(pods.map((pod) => jobOf(pod)?.uid));
    for (const pod of pods) await this.takePod(pod, false);
    // Pods that were removed while nobody watched.
    for (const running of this.all) if (running.pod !== null && !seen.has(running.job.uid)) await this.#podGone(running, null);
  }

  async takePod(pod: KubeObject, isDeleted: boolean): Promise<void> {
    const running = this.#runningOf(pod);
    if (running === null) return;
    const phase = stringAt(pod, 'status', 'phase');
    if (running.pod === null) running.stalled = null;
    running.pod = podOf(pod);
    running.podIsOver = isDeleted || phase === 'Succeeded' || phase === 'Failed';
    if (running.leavingSince === null && running.pulled === null) await this.#judge(running, pod, isDeleted);
    this.freePlace(running);
  }

  async #judge(running: Running, pod: KubeObject, isDeleted: boolean): Promise<void> {
    const node = stringAt(pod, 'spec', 'nodeName') ?? '';
    if (node !== '' && node !== running.pull.item.node) {
      this.#parts.onFailed(running, { reason: 'Misplaced', message: `its pod is on ${node}: something changes on the way where pods go (a webhook)`, isPassing: false });
      return;
    }
    const state = pullStateOf(pod);
    if (state.state === 'pulled') {
      running.pulled = { digest: state.digest, at: this.#parts.now(), isRunning: state.isRunning };
      const event = pulledEventOf(running);
      if (event !== null) this.#parts.onPulled(running, event);
      else if (this.#parts.events.isRefused) await this.#finishUntold([running]);
    } else if (state.state === 'failed') this.#parts.onFailed(running, await this.#explained(running, pod, state));
    else if (isDeleted) await this.#podGone(running, pod);
    else this.#waiting(running, state);
  }

  #waiting(running: Running, state: PullState): void {
    if (state.state === 'pending') {
      running.pendingMessage = state.message;
      return;
    }
    if (running.scheduledAt !== null) return;
    running.scheduledAt = this.#parts.now();
    running.toldAt = running.scheduledAt;
    this.#parts.say({ type: 'scheduled', item: running.pull.item });
  }

  /** A place is free when the pod does nothing any more. */
  freePlace(running: Running): void {
    if (running.leavingSince !== null && running.podIsOver) this.remove(running);
  }

  /** An event of a pod. */
  takeTold(event: KubeObject): void {
    // Pods of a Job are its name and five characters.
    const running = this.#running.get((stringAt(event, 'involvedObject', 'name') ?? '').replace(/-[a-z0-9]{5}$/, ''));
    const { of, message } = toldBy(event);
    if (running === undefined || (running.pod !== null && running.pod.uid !== of)) return;
    if (stringAt(event, 'reason') === NO_SANDBOX) {
      if (running.pod !== null && running.leavingSince === null && running.pulled === null) this.#stall(running, message);
      return;
    }
    this.#lastEventAt = this.#parts.now();
    const read = readPulledEvent(message);
    if (read !== null) running.pulledEvent = { ...read, of };
    const told = pulledEventOf(running);
    if (running.pulled !== null && running.leavingSince === null && told !== null) this.#parts.onPulled(running, told);
    this.freePlace(running);
  }

  #stall(running: Running, message: string): void {
    if (running.stalled === null) this.#parts.say({ type: 'stalled', item: running.pull.item, message });
    running.stalled = { since: running.stalled?.since ?? this.#parts.now(), message };
  }

  async lookAround(): Promise<void> {
    const now = this.#parts.now();
    await this.#finishUntold(this.all.filter((running) => running.leavingSince === null && this.#isUntold(running, now)));
    for (const running of this.all) {
      if (running.leavingSince !== null) {
        if (now - running.leavingSince > LEAVING_SECONDS * 1000) running.podIsOver = true;
      } else if (running.pulled === null) await this.#lookAt(running, now);
      this.freePlace(running);
    }
  }

  async #lookAt(running: Running, now: number): Promise<void> {
    const { pull: { item }, startedAt, scheduledAt, pod, stalled, pendingMessage } = running;
    const { onFailed, timeoutSeconds, say, notReadySince } = this.#parts;
    const since = (time: number, seconds: number): boolean => now - time >= seconds * 1000;
    const notReady = notReadySince(item.node);
    if (notReady !== null && since(notReady, NOT_READY_SECONDS)) onFailed(running, { reason: 'NodeLost', message: `the node has not been Ready for ${durationText(NOT_READY_SECONDS)}`, isPassing: true });
    else if (pod === null && since(running.lookedForPodAt, NO_POD_SECONDS)) await this.#lookForPod(running);
    else if (scheduledAt === null && pendingMessage !== null && since(startedAt, UNSCHEDULABLE_SECONDS)) {
      const reason = /too many pods|insufficient/i.test(pendingMessage) ? 'NodeFull' : 'Unschedulable';
      onFailed(running, { reason, message: `the scheduler finds no place: ${pendingMessage}`, isPassing: false });
    } else if (since(startedAt, timeoutSeconds + LEAVING_SECONDS)) onFailed(running, await this.#timedOut(running));
    else if (pod !== null && stalled !== null && since(stalled.since, NO_SANDBOX_SECONDS)) await this.#lookForSandbox(running, stalled.message);
    else if (scheduledAt !== null && since(running.toldAt, SLOW_SECONDS)) {
      running.toldAt = now;
      say({ type: 'slow', item, seconds: Math.round((now - scheduledAt) / 1000), message: await this.#lastSaidOf(running) });
    }
    if (scheduledAt !== null && stalled === null && !running.isLetThrough && since(scheduledAt, PROBE_SECONDS)) {
      running.isLetThrough = true;
      this.#parts.onLetThrough(running);
    }
  }

  /** Why the Job controller could make no pod. */
  async #lookForPod(running: Running): Promise<void> {
    running.lookedForPodAt = this.#parts.now();
    const refusal = (await this.#parts.events.messagesOf({ kind: 'Job', ...running.job }, 'FailedCreate')).at(-1);
    if (refusal === undefined) return;
    if (isClearRefusal(refusal)) this.#parts.onFailed(running, { reason: 'Refused', message: refusal, isPassing: false });
    else this.#stall(running, refusal);
  }

  /** The kubelet says when it begins to pull, and not when it has made the sandbox before that. */
  async #lookForSandbox(running: Running, message: string): Promise<void> {
    const isPulling = running.pod !== null && (await this.#parts.events.messagesOf(running.pod, 'Pulling')).length > 0;
    if (isPulling) running.stalled = null;
    else this.#parts.onFailed(running, { reason: 'SandboxFailed', message: `no sandbox for the pod within ${durationText(NO_SANDBOX_SECONDS)}: ${message}`, isPassing: true });
  }

  #isUntold({ pulled }: Running, now: number): boolean {
    return pulled !== null && (now - Math.max(pulled.at, this.#lastEventAt) >= EVENT_WAIT_MS || now - pulled.at >= LONGEST_EVENT_WAIT_MS);
  }

  /** Those whose event has not come. One list for all of them: for each one the API server reads all events of the namespace. */
  async #finishUntold(untold: readonly Running[]): Promise<void> {
    const [only, ...others] = untold;
    if (only === undefined) return;
    const { events, onPulled } = this.#parts;
    const told = new Map<string, PulledEvent>();
    const list = others.length > 0 || only.pod === null ? await events.ofAllPods('Pulled') : (await events.messagesOf(only.pod, 'Pulled')).map((message) => ({ of: only.pod?.uid ?? '', message }));
    for (const { of, message } of list) {
      const read = readPulledEvent(message);
      if (read !== null) told.set(of, read);
    }
    for (const running of untold) onPulled(running, told.get(running.pod?.uid ?? '') ?? null);
  }

  async #podGone(running: Running, pod: KubeObject | null): Promise<void> {
    running.podIsOver = true;
    if (running.leavingSince === null && running.pulled !== null) await this.#finishUntold([running]);
    if (running.leavingSince === null) {
      const hasTimedOut = this.#parts.now() - running.startedAt >= this.#parts.timeoutSeconds * 1000 - 2 * TICK_MS;
      if (!hasTimedOut) await this.#parts.requireRun();
      const disruption = pod === null ? null : disruptionOf(pod);
      this.#parts.onFailed(running, hasTimedOut ? await this.#timedOut(running) : { reason: 'Deleted', message: 'its pod was deleted before the image was there', ...disruption, isPassing: true });
    }
    this.freePlace(running);
  }

  async #timedOut(running: Running): Promise<PullFailure> {
    const last = await this.#lastSaidOf(running);
    const message = `${running.pod === null ? 'no pod was made' : 'no image'} within ${durationText(this.#parts.timeoutSeconds)} (--timeout)`;
    if (this.#parts.notReadySince(running.pull.item.node) !== null) return { reason: 'NodeLost', message: `${message}: the node is not Ready`, isPassing: false };
    return { reason: 'Timeout', message: `${message}${last === null ? '' : `; the last that was said of it: ${last}`}`, isPassing: false };
  }

  /** Warnings alone. */
  async #lastSaidOf({ pod, job }: Running): Promise<string | null> {
    return (await this.#parts.events.messagesOf(pod ?? { kind: 'Job', ...job }, null)).at(-1) ?? null;
  }

  /** What is said beside the status. */
  async #explained(running: Running, pod: KubeObject, state: PullFailed): Promise<PullFailure> {
    const { events } = this.#parts;
    // the cluster marks a pod that it is going to remove as failed and gives no other reason
    const disruption = state.reason === 'Refused' ? disruptionOf(pod) : null;
    if (disruption !== null) return { ...disruption, isPassing: true };
    if (stringAt(pod, 'status', 'reason') === 'DeadlineExceeded') return this.#timedOut(running);
    if (state.isUntold === true) {
      const cause = (await events.messagesOf(podOf(pod), 'Failed')).findLast((message) => /^Failed to pull image/i.test(message));
      return cause === undefined ? state : failedBy(pullFailure('ErrImagePull', cause));
    }
    if (state.reason !== 'Unauthorized') return state;
    // https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kubelet.go, read 2026-11-30
    const missing = (await events.messagesOf(podOf(pod), 'FailedToRetrieveImagePullSecret')).at(-1);
    return missing === undefined ? state : { ...state, message: `${state.message}; ${missing}` };
  }
}
