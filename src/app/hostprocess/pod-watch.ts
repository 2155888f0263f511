/** One watch for all pods of a run, and waits for single ones of them. */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { PODS } from '../../domain/kubernetes/resource.ts';
import { durationText } from '../../domain/duration-text.ts';
import type { ExecError } from '../../domain/hostprocess/outcome.ts';
import { fromPull, lossOf, startStateOf, type StartFailed, type StartState } from '../../domain/hostprocess/pod-start.ts';
import { EXEC_CONTAINER } from '../../domain/hostprocess/run-objects.ts';
import { RUN_LABEL } from '../../domain/runs/run-labels.ts';
import type { ClusterReader, WatchEvent } from '../ports.ts';
import { EventMessages } from '../runs/event-messages.ts';
import { follow } from '../runs/follow.ts';
import { isClearRefusal } from '../runs/job-refusal.ts';
import type { RunClock } from '../runs/run-clock.ts';

/** What was created for a node: a Job that has a pod, or that pod. */
export interface Anchor {
  readonly resource: 'jobs' | 'pods';
  readonly name: string;
  readonly uid: string;
}

export interface WaitOptions {
  readonly timeoutSeconds: number;
  /** Of --start-timeout, which has begun before; default: `timeoutSeconds`. */
  readonly toldSeconds?: number;
  /** Called with every state that is another one. */
  readonly onState: (state: StartState) => void;
}

/** A Job without a pod: then its events are asked why, and again after a while. */
const FIRST_LOOK_MS = 3_000;
const LOOK_AGAIN_MS = 15_000;

export class PodWatch {
  readonly #scope: { readonly run: string; readonly namespace: string };
  readonly #cluster: { readonly reader: ClusterReader; readonly clock: RunClock };
  readonly #stop = new AbortController();
  readonly #events: EventMessages;
  /** The last that was seen of a pod, by the UID of its anchor: its own, or its Job's. A namesake of another Job is none of it. */
  readonly #pods = new Map<string, KubeObject>();
  /** Anchors whose pod has gone. */
  readonly #gone = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #isListed = false;
  #following: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(scope: { readonly run: string; readonly namespace: string }, cluster: { readonly reader: ClusterReader; readonly clock: RunClock }) {
    this.#scope = scope;
    this.#cluster = cluster;
    this.#events = new EventMessages(cluster.reader, { namespace: scope.namespace, signal: this.#stop.signal, container: EXEC_CONTAINER });
  }

  /** Goes on until `stop`, also after the signal of the run: what is left is seen to go. */
  start(): void {
    const { run, namespace } = this.#scope;
    const { reader, clock } = this.#cluster;
    const { signal } = this.#stop;
    this.#following = follow(reader, PODS, { namespace, labelSelector: `${RUN_LABEL}=${run}` }, (event) => this.#take(event), { clock, signal }).catch((error: unknown) => {
      this.#failure = { error };
      this.#wake();
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the run is over'));
    await this.#following;
  }

  podOf({ uid }: Anchor): KubeObject | null {
    return this.#pods.get(uid) ?? null;
  }

  /** Whether its pod was ever there. */
  hasSeen({ uid }: Anchor): boolean {
    return this.#pods.has(uid) || this.#gone.has(uid);
  }

  /** Until the pod runs, or will not. Throws what ended the watch, or the signal's reason. */
  async waitFor(anchor: Anchor, { timeoutSeconds, toldSeconds = timeoutSeconds, onState }: WaitOptions, signal: AbortSignal): Promise<StartState> {
    const until = this.#now() + timeoutSeconds * 1000;
    let lookAt = this.#now() + FIRST_LOOK_MS;
    let said: string | null = null;
    let told: string | null = null;
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error;
      signal.throwIfAborted();
      const pod = this.podOf(anchor);
      const state = this.#stateOf(anchor, pod, said);
      if (told !== JSON.stringify(state)) {
        told = JSON.stringify(state);
        onState(state);
      }
      if (state.state === 'running' || state.state === 'ended') return state;
      if (state.state === 'failed' && state.isPassing !== true) return pod === null ? state : this.#withCause(pod, state);
      const now = this.#now();
      if (now >= until) return state.state === 'failed' && pod !== null ? this.#withCause(pod, state) : this.#timedOut(anchor, pod, toldSeconds, said);
      if (pod === null && anchor.resource === 'jobs' && now >= lookAt) {
        lookAt = now + LOOK_AGAIN_MS;
        said = (await this.#events.messagesOf({ kind: 'Job', ...anchor }, 'FailedCreate')).at(-1) ?? said;
        if (said !== null && isClearRefusal(said) && this.podOf(anchor) === null) return { state: 'failed', reason: 'Refused', message: said, remedy: remedyOf(said) };
        continue;
      }
      await this.#change(Math.min(until, pod === null && anchor.resource === 'jobs' ? lookAt : until) - now, signal);
    }
  }

  /** Whether the pod has ended, in the kubelet's word, within that time: it is gone, or its containers are over. One that never was is gone. */
  async gone(anchor: Anchor, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const until = this.#now() + milliseconds;
    for (;;) {
      const pod = this.podOf(anchor);
      if (this.#isListed && (pod === null || ['Succeeded', 'Failed'].includes(stringAt(pod, 'status', 'phase') ?? ''))) return this.#failure === null;
      const now = this.#now();
      if (now >= until || this.#failure !== null) return false;
      await this.#change(until - now, signal);
    }
  }

  /** Why the pod is no more, or will not be, of one that ran; null where there is no news of that within the time, or the watch has ended. */
  async lost(anchor: Anchor, milliseconds: number, signal: AbortSignal): Promise<ExecError | null> {
    const done = new AbortController();
    let isOver = milliseconds <= 0;
    const end = (): void => {
      isOver = true;
      this.#wake();
    };
    if (!isOver) this.#cluster.clock.sleep(milliseconds, AbortSignal.any([signal, done.signal])).then(end, end);
    try {
      for (;;) {
        const why = this.#gone.has(anchor.uid) ? lossOf(null) : lossOf(this.podOf(anchor) ?? {});
        if (why !== null || isOver || this.#failure !== null) return why;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#waiting.add(resolve);
        await promise;
        this.#waiting.delete(resolve);
      }
    } finally {
      done.abort(new Error('it is known'));
    }
  }

  #now(): number {
    return this.#cluster.clock.now().getTime();
  }

  /** Until the pod has ended by itself, or for another reason; null where it has not within the time. Throws what ended the watch, or the signal's reason. */
  async untilEnded(anchor: Anchor, timeoutSeconds: number, signal: AbortSignal): Promise<{ readonly state: StartState & { readonly state: 'ended' | 'failed' }; readonly pod: KubeObject | null } | null> {
    const until = this.#now() + timeoutSeconds * 1000;
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error;
      signal.throwIfAborted();
      const pod = this.podOf(anchor);
      const state = this.#stateOf(anchor, pod, null);
      if (state.state === 'ended' || (state.state === 'failed' && state.isPassing !== true)) return { state, pod };
      const now = this.#now();
      if (now >= until) return null;
      await this.#change(until - now, signal);
    }
  }

  #stateOf(anchor: Anchor, pod: KubeObject | null, said: string | null): StartState {
    if (this.#gone.has(anchor.uid)) return { state: 'failed', reason: 'Deleted', message: 'its pod was deleted before the command began' };
    return pod === null ? { state: 'pending', message: said } : startStateOf(pod);
  }

  async #timedOut(anchor: Anchor, pod: KubeObject | null, toldSeconds: number, said: string | null): Promise<StartState> {
    const warning = pod === null ? said : (await this.#events.messagesOf({ kind: 'Pod', name: nameOf(pod), uid: stringAt(pod, 'metadata', 'uid') ?? '' }, null)).at(-1) ?? null;
    if (warning !== null && pod === null && /quota/i.test(warning)) return { state: 'failed', reason: 'QuotaExceeded', message: warning };
    // set by the kubelet before anything else
    const isTakenUp = pod !== null && stringAt(pod, 'status', 'startTime') !== undefined;
    const why = warning ?? (pod === null ? `the Job ${anchor.name} has no pod, and the Job controller does not say why` : isTakenUp ? 'its containers have not started, and the kubelet does not say why' : 'the kubelet has not taken its pod up');
    // its objects are removed with it, and their events stay for a while
    const look = pod === null ? 'Look at the events of the namespace (kubectl events)' : isTakenUp ? 'Look at the node (kubectl describe node) and at the events of the namespace (kubectl events)' : 'Look at the node and its kubelet (kubectl describe node)';
    return { state: 'failed', reason: 'StartTimeout', message: `not started within ${durationText(toldSeconds)}: ${why}`, remedy: `${look}, or give it more time (--start-timeout).` };
  }

  /** In a back-off the kubelet does not say any more what came before it. */
  async #withCause(pod: KubeObject, state: StartFailed): Promise<StartState> {
    if (state.isUntold !== true) return state;
    const cause = (await this.#events.messagesOf({ kind: 'Pod', name: nameOf(pod), uid: stringAt(pod, 'metadata', 'uid') ?? '' }, 'Failed')).findLast((message) => /^Failed to pull image/i.test(message));
    return cause === undefined ? state : fromPull('ErrImagePull', cause);
  }

  #take(event: WatchEvent): void {
    if (event.type === 'RELISTED') {
      this.#isListed = true;
      const anchors = new Set(event.objects.flatMap(anchorsOf));
      for (const uid of this.#pods.keys()) if (!anchors.has(uid)) this.#lose(uid);
      for (const pod of event.objects) this.#see(pod);
    } else if (event.type === 'DELETED') for (const uid of anchorsOf(event.object)) this.#lose(uid);
    else this.#see(event.object);
    this.#wake();
  }

  #see(pod: KubeObject): void {
    for (const uid of anchorsOf(pod)) this.#pods.set(uid, pod);
  }

  #lose(uid: string): void {
    this.#pods.delete(uid);
    this.#gone.add(uid);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Until something has changed, or that time is over. */
  async #change(milliseconds: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const slept = this.#cluster.clock.sleep(milliseconds, AbortSignal.any([signal, over.signal]));
    try {
      await Promise.race([promise, slept]);
    } finally {
      this.#waiting.delete(resolve);
      over.abort(new Error('it has changed'));
      slept.catch(() => undefined);
    }
  }
}

/** Of a pod of a Job, that of the Job; else its own. */
function anchorsOf(pod: KubeObject): readonly string[] {
  const owner = arrayAt(pod, 'metadata', 'ownerReferences').find((one) => stringAt(one, 'kind') === 'Job');
  return [stringAt(owner ?? pod['metadata'], 'uid')].filter((uid) => uid !== undefined);
}

/** The Job controller may be refused what the user may do. */
function remedyOf(message: string): string | null {
  return /violates PodSecurity/i.test(message) ? 'Make the pod without the Job controller, for which the rules of the namespace are others than for you (--anchor=pod).' : null;
}
