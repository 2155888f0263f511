/** What a run hears of: its pods, nodes, what kubelets say of pods, and time that goes by. */
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { EVENTS, NODES, PODS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { PULL_CONTAINER, runJobName } from '../../domain/prepull/run-objects.ts';
import { RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, WatchEvent } from '../ports.ts';
import type { EventQueue } from '../runs/event-queue.ts';
import { isOfContainer } from '../runs/event-messages.ts';
import { currentVersion, follow, listAll, type FollowScope } from '../runs/follow.ts';
import type { RunClock } from '../runs/run-clock.ts';

export type Input =
  | { readonly kind: 'pod'; readonly pod: KubeObject; readonly isDeleted: boolean }
  /** All pods of the run. */
  | { readonly kind: 'pods'; readonly pods: readonly KubeObject[] }
  | { readonly kind: 'node'; readonly node: KubeObject; readonly isDeleted: boolean }
  /** All nodes of Windows. */
  | { readonly kind: 'nodes'; readonly nodes: readonly KubeObject[] }
  | { readonly kind: 'told'; readonly event: KubeObject }
  | { readonly kind: 'tick' };

export interface SourcesOptions {
  readonly run: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Milliseconds between looks at what no event tells: deadlines, back-offs. */
export const TICK_MS = 500;
/** A proxy on the way may hold back what a watch says: pods that nothing is heard of for so long are looked at. */
const SILENT_MS = 30_000;

/** Reasons of events that are watched, for pods of the whole namespace: the API server selects events by no label, and by one reason at a time. */
const PULLED = 'Pulled';
export const NO_SANDBOX = 'FailedCreatePodSandBox';

export class RunSources {
  readonly #options: SourcesOptions;
  readonly #cluster: { readonly reader: ClusterReader; readonly clock: RunClock };
  readonly #inbox: EventQueue<Input>;
  readonly #say: (event: PrepullEvent) => void;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #running: readonly Promise<void>[] = [];
  #heardOfPodsAt: number;
  #isLooking = false;

  constructor(options: SourcesOptions, cluster: { readonly reader: ClusterReader; readonly clock: RunClock }, inbox: EventQueue<Input>, say: (event: PrepullEvent) => void) {
    this.#options = options;
    this.#cluster = cluster;
    this.#inbox = inbox;
    this.#say = say;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
    this.#heardOfPodsAt = this.#now();
  }

  start(): void {
    const events = currentVersion(this.#cluster.reader, EVENTS, this.#eventsOf(PULLED), { clock: this.#cluster.clock, signal: this.#signal });
    this.#running = [this.#pods(), this.#nodes(), this.#pulled(events), this.#sandboxes(events), this.#ticks()];
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the run is over'));
    await Promise.allSettled(this.#running);
  }

  async #pods(): Promise<void> {
    try {
      await this.#follow(PODS, this.#ownPods, (event) => {
        this.#heardOfPodsAt = this.#now();
        this.#inbox.push(event.type === 'RELISTED' ? { kind: 'pods', pods: event.objects } : { kind: 'pod', pod: event.object, isDeleted: event.type === 'DELETED' });
      });
    } catch (error) {
      // without them the run cannot go on
      if (!this.#stop.signal.aborted) this.#inbox.fail(error);
    }
  }

  get #ownPods(): FollowScope {
    return { namespace: this.#options.namespace, labelSelector: `${RUN_LABEL}=${this.#options.run}` };
  }

  #now(): number {
    return this.#cluster.clock.now().getTime();
  }

  async #lookForSilentPods(): Promise<void> {
    const heardAt = this.#heardOfPodsAt;
    if (this.#isLooking || this.#now() - heardAt < SILENT_MS) return;
    this.#isLooking = true;
    try {
      const { objects } = await listAll(this.#cluster.reader, PODS, this.#ownPods, { clock: this.#cluster.clock, signal: this.#signal });
      // the list may be older than what the watch has said meanwhile
      if (this.#heardOfPodsAt === heardAt) this.#inbox.push({ kind: 'pods', pods: objects });
    } catch (error) {
      // what keeps a list from its answer is said of the watch
      if (!(error instanceof ClusterError) && !this.#signal.aborted) this.#inbox.fail(error);
    }
    this.#heardOfPodsAt = this.#now();
    this.#isLooking = false;
  }

  async #nodes(): Promise<void> {
    await this.#orNote(NODES, () => this.#follow(NODES, { labelSelector: 'kubernetes.io/os=windows' }, (event) => {
      this.#inbox.push(event.type === 'RELISTED' ? { kind: 'nodes', nodes: event.objects } : { kind: 'node', node: event.object, isDeleted: event.type === 'DELETED' });
    }));
  }

  /** Those that are there already are of no interest, and may be many. */
  async #pulled(version: Promise<string>): Promise<void> {
    await this.#orNote(EVENTS, async () => this.#watch(EVENTS, { ...this.#eventsOf(PULLED), resourceVersion: await version }, (event) => this.#told(event)));
  }

  async #sandboxes(version: Promise<string>): Promise<void> {
    try {
      await this.#watch(EVENTS, { ...this.#eventsOf(NO_SANDBOX), resourceVersion: await version }, (event) => this.#told(event));
    } catch (error) {
      // that they cannot be watched has been said of the others
      if (!(error instanceof ClusterError) && !this.#signal.aborted) this.#inbox.fail(error);
    }
  }

  #eventsOf(reason: string): FollowScope {
    return { namespace: this.#options.namespace, fieldSelector: `involvedObject.kind=Pod,reason=${reason}` };
  }

  #told(event: WatchEvent): void {
    for (const object of event.type === 'RELISTED' ? event.objects : event.type === 'DELETED' ? [] : [event.object]) {
      if ((stringAt(object, 'involvedObject', 'name') ?? '').startsWith(`${runJobName(this.#options.run)}-`) && isOfContainer(object, PULL_CONTAINER)) this.#inbox.push({ kind: 'told', event: object });
    }
  }

  /** Goes on without what may not be watched, and says so. */
  async #orNote(resource: Resource, follow: () => Promise<void>): Promise<void> {
    try {
      await follow();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      if (!this.#options.signal.aborted && error instanceof ClusterError) this.#say({ type: 'note', message: `${resource.plural} cannot be watched: ${error.message}` });
      else this.#inbox.fail(error);
    }
  }

  /** Lists, then watches until the run is over. */
  #follow(resource: Resource, scope: FollowScope, handle: (event: WatchEvent) => void): Promise<void> {
    return follow(this.#cluster.reader, resource, scope, handle, { clock: this.#cluster.clock, signal: this.#signal });
  }

  async #watch(resource: Resource, scope: FollowScope & { readonly resourceVersion: string }, handle: (event: WatchEvent) => void): Promise<void> {
    for await (const event of this.#cluster.reader.watch(resource, { ...scope, signal: this.#signal })) handle(event);
  }

  async #ticks(): Promise<void> {
    try {
      for (;;) {
        await this.#cluster.clock.sleep(TICK_MS, this.#signal);
        this.#inbox.push({ kind: 'tick' });
        void this.#lookForSilentPods(); // tells of its failures itself
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#inbox.fail(this.#options.signal.aborted ? this.#options.signal.reason : error);
    }
  }
}
