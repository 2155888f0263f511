/** A cluster in memory for runs of pulls: a clock that does not wait, and a test that plays everybody else. */
import { setImmediate as turn } from 'node:timers/promises';
import type { AccessQuestion, ClusterReader, ClusterWriter, ListOptions, ListPage, WatchEvent } from '../../src/app/ports.ts';
import type { RunClock } from '../../src/app/runs/run-clock.ts';
import { arrayAt, nameOf, recordAt, stringAt, stringMapAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { ClusterError, type ClusterErrorReason } from '../../src/errors.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { isIn, selection } from '../support/selection.ts';
import { Watchers } from '../support/watchers.ts';

const START = Date.parse('2026-11-30T12:00:00Z');

/** Reasons of events that are no warnings. */
const NORMAL: ReadonlySet<string> = new Set(['Pulled', 'Pulling']);
/** Reasons of events that are about a pod as a whole. */
const OF_POD: ReadonlySet<string> = new Set(['FailedCreatePodSandBox', 'FailedToRetrieveImagePullSecret']);

export interface Call {
  readonly verb: 'create' | 'dry-run' | 'merge' | 'delete' | 'get' | 'list' | 'watch';
  readonly resource: string;
  readonly name: string;
  /** Seconds since the start. */
  readonly at: number;
}

/** What becomes of a pull; called when its Job is made. Default: pulled after 2 seconds. */
export type Play = (pull: PlayedPull) => void;

export interface PlayedPull {
  readonly job: string;
  readonly node: string;
  readonly image: string;
  readonly attempt: number;
  /** Status of its pod, so many seconds from now. `nodeName` '' for a pod that no node has. */
  pod(afterSeconds: number, status: Readonly<Record<string, unknown>>, nodeName?: string): void;
  gone(afterSeconds: number): void;
  event(afterSeconds: number, message: string, reason?: string, more?: Readonly<Record<string, unknown>>): void;
  pulled(afterSeconds: number, message?: string): void;
  failing(afterSeconds: number, message: string, reason?: string): void;
}

export class ScriptedCluster {
  readonly jobs = new Map<string, KubeObject>();
  readonly pods = new Map<string, KubeObject>();
  /** Made by the run; no garbage collector takes them. */
  readonly secrets = new Map<string, KubeObject>();
  readonly events: KubeObject[] = [];
  readonly calls: Call[] = [];
  readonly objects: Record<string, readonly KubeObject[]> = {};
  /** Live pods of pulls: the most at once, and on one node. */
  most = 0;
  mostOnNode = 0;
  /** Throws, or answers something else, before a call is carried out. `after`: it is carried out, and its answer is lost. */
  onCall: (call: Call, object: KubeObject | null) => ClusterError | { readonly after: ClusterError } | null = () => null;
  onTime: (seconds: number) => void = () => undefined;
  play: Play = (pull) => pull.pulled(2);
  /** false: pods are seen only where the test plays them. */
  showsPods = true;
  /** false: a Job of a pull that is deleted leaves its pod. */
  removesPods = true;
  admitted: (pod: KubeObject) => KubeObject = (pod) => pod;
  admittedJob: (job: KubeObject) => KubeObject = (job) => job;
  readonly missingRights: string[] = [];
  #now = START;
  #uids = 0;
  readonly #due: { readonly at: number; readonly run: () => void }[] = [];
  /** Resources whose watches say nothing. */
  readonly silent = new Set<string>();
  readonly #watchers = new Watchers();
  readonly #attempts = new Map<string, number>();

  get seconds(): number {
    return (this.#now - START) / 1000;
  }

  readonly clock: RunClock = {
    now: () => new Date(this.#now),
    sleep: async (milliseconds, signal) => {
      for (let count = 0; count < 4; count += 1) await turn();
      signal.throwIfAborted();
      // Several may sleep; the ticks of the run are what time goes by.
      if (milliseconds > 500) return this.#until(this.#now + milliseconds, signal);
      this.#now += milliseconds;
      this.onTime(this.seconds);
      for (const one of this.#due.splice(0).toSorted((a, b) => a.at - b.at)) {
        if (one.at <= this.#now) one.run();
        else this.#due.push(one);
      }
      for (let count = 0; count < 4; count += 1) await turn();
      signal.throwIfAborted();
    },
  };

  async #until(time: number, signal: AbortSignal): Promise<void> {
    let last = this.#now;
    for (let still = 0; this.#now < time; still += 1) {
      await turn();
      signal.throwIfAborted();
      if (this.#now !== last) still = 0;
      // After the last tick nobody else moves the clock.
      if (still > 500) this.#now = time;
      last = this.#now;
    }
  }

  /** Runs something so many seconds from now. */
  later(seconds: number, run: () => void): void {
    this.#due.push({ at: this.#now + seconds * 1000, run });
  }

  tell(plural: string, event: WatchEvent | Error): void {
    if (this.silent.has(plural)) return;
    this.#watchers.tell(plural, event);
  }

  #call(verb: Call['verb'], resource: Resource, name: string, object: KubeObject | null): { readonly after: ClusterError } | null {
    const call = { verb, resource: resource.plural, name, at: this.seconds };
    this.calls.push(call);
    const answer = this.onCall(call, object);
    if (answer instanceof ClusterError) throw answer;
    return answer;
  }

  #objectsOf(plural: string): readonly KubeObject[] {
    if (plural === 'jobs') return [...this.jobs.values()];
    if (plural === 'pods') return [...this.pods.values()];
    if (plural === 'events') return this.events;
    if (plural === 'secrets') return [...this.objects['secrets'] ?? [], ...this.secrets.values()];
    return this.objects[plural] ?? [];
  }

  readonly reader: ClusterReader = {
    ...fakeCluster(),
    list: (resource: Resource, options: ListOptions = {}) => this.#list(resource, options),
    get: async (resource: Resource, name: string, { namespace = 'default' } = {}) => {
      this.#call('get', resource, name, null);
      const found = this.#objectsOf(resource.plural).find((object) => nameOf(object) === name && isIn(resource, object, namespace));
      if (found === undefined) throw error('NotFound', `${resource.plural} "${name}" not found`);
      return found;
    },
    watch: (resource: Resource, options) => this.#watch(resource, options),
  };

  async* #list(resource: Resource, options: ListOptions): AsyncGenerator<ListPage> {
    options.signal?.throwIfAborted();
    this.#call('list', resource, options.fieldSelector ?? options.labelSelector ?? '', null);
    yield { items: this.#objectsOf(resource.plural).filter(selection(resource, options)), resourceVersion: '1' };
  }

  async* #watch(resource: Resource, options: ListOptions): AsyncGenerator<WatchEvent> {
    this.#call('watch', resource, options.fieldSelector ?? options.labelSelector ?? '', null);
    yield* this.#watchers.watch(resource, options);
  }

  readonly writer: ClusterWriter = {
    create: async (resource, object, { dryRun, namespace = 'default', signal } = {}) => {
      signal?.throwIfAborted();
      const name = nameOf(object);
      const lost = this.#call(dryRun === true ? 'dry-run' : 'create', resource, name, object);
      const made: KubeObject = { ...object, metadata: { ...recordAt(object, 'metadata'), namespace, uid: `uid-${++this.#uids}`, creationTimestamp: new Date(this.#now).toISOString() } };
      if (dryRun === true) return resource.plural === 'pods' ? this.admitted(made) : resource.plural === 'jobs' ? this.admittedJob(made) : made;
      if (resource.plural === 'secrets') {
        if (this.secrets.has(name)) throw error('AlreadyExists', `secrets "${name}" already exists`, 409);
        this.secrets.set(name, made);
        if (lost !== null) throw lost.after;
        return made;
      }
      if (this.#job(name, namespace) !== undefined) throw error('AlreadyExists', `jobs.batch "${name}" already exists`, 409);
      await turn();
      this.jobs.set(name, made);
      if (stringAt(made, 'metadata', 'labels', 'kubectl-win/role') === 'pull') this.#begin(made);
      if (lost !== null) throw lost.after;
      return made;
    },
    merge: async (resource, name, patch, { namespace = 'default', signal } = {}) => {
      signal?.throwIfAborted();
      const lost = this.#call('merge', resource, name, patch as KubeObject);
      const job = this.#job(name, namespace);
      if (job === undefined) throw error('NotFound', `jobs.batch "${name}" not found`);
      const uid = stringAt(patch, 'metadata', 'uid');
      if (uid !== undefined && uid !== stringAt(job, 'metadata', 'uid')) throw error('Conflict', 'Precondition failed: UID in precondition', 409);
      const merged: KubeObject = {
        ...job, spec: { ...recordAt(job, 'spec'), ...recordAt(patch, 'spec') },
        metadata: { ...recordAt(job, 'metadata'), annotations: { ...recordAt(job, 'metadata', 'annotations'), ...recordAt(patch, 'metadata', 'annotations') } },
      };
      this.jobs.set(name, merged);
      if (lost !== null) throw lost.after;
      return merged;
    },
    delete: async (resource, name, { uid, namespace = 'default', signal }) => {
      signal?.throwIfAborted();
      this.#call('delete', resource, name, null);
      if (resource.plural === 'secrets') {
        if (stringAt(this.secrets.get(name), 'metadata', 'uid') === uid) this.secrets.delete(name);
        return;
      }
      const job = this.#job(name, namespace);
      if (job === undefined || stringAt(job, 'metadata', 'uid') !== uid) return;
      this.jobs.delete(name);
      await turn();
      if (this.removesPods) this.#removePod(name);
      for (const [pull, object] of this.jobs) if (arrayAt(object, 'metadata', 'ownerReferences').some((owner) => stringAt(owner, 'uid') === uid)) {
        this.jobs.delete(pull);
        this.#removePod(pull);
      }
    },
    review: async (questions) => questions.map((question: AccessQuestion) => ({ question, allowed: !this.missingRights.includes(`${question.verb} ${question.resource}`) })),
  };

  #job(name: string, namespace: string): KubeObject | undefined {
    const job = this.jobs.get(name);
    return job !== undefined && (stringAt(job, 'metadata', 'namespace') ?? 'default') === namespace ? job : undefined;
  }

  #removePod(job: string): void {
    const name = `${job}-abcde`;
    const pod = this.pods.get(name);
    this.pods.delete(name);
    if (pod !== undefined) this.tell('pods', { type: 'DELETED', object: pod });
  }

  #begin(job: KubeObject): void {
    const name = nameOf(job);
    const pod = `${name}-abcde`;
    const node = stringAt(job, 'metadata', 'annotations', 'kubectl-win/node') ?? '';
    const image = stringAt(job, 'metadata', 'annotations', 'kubectl-win/image') ?? '';
    const attempt = (this.#attempts.get(`${node} ${image}`) ?? 0) + 1;
    this.#attempts.set(`${node} ${image}`, attempt);
    const uid = `uid-${pod}`;
    const isThere = (): boolean => stringAt(this.jobs.get(name), 'metadata', 'uid') === stringAt(job, 'metadata', 'uid');
    const set = (status: Readonly<Record<string, unknown>>, nodeName = node): void => {
      if (!isThere()) return;
      const labels = { ...stringMapAt(job, 'metadata', 'labels'), 'batch.kubernetes.io/job-name': name };
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: stringAt(job, 'metadata', 'uid'), controller: true, blockOwnerDeletion: true }];
      const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace: stringAt(job, 'metadata', 'namespace') ?? 'default', uid, labels, ownerReferences }, spec: { ...recordAt(job, 'spec', 'template', 'spec'), ...(nodeName === '' ? {} : { nodeName }) }, status };
      const type = this.pods.has(pod) ? 'MODIFIED' : 'ADDED';
      this.pods.set(pod, object);
      const live = [...this.pods.values()].filter((one) => !['Succeeded', 'Failed'].includes(stringAt(one, 'status', 'phase') ?? ''));
      this.most = Math.max(this.most, live.length);
      this.mostOnNode = Math.max(this.mostOnNode, live.filter((one) => stringAt(one, 'spec', 'nodeName') === node).length);
      this.tell('pods', { type, object });
    };
    const container = (state: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({ phase: 'Pending', containerStatuses: [{ name: 'pull', state, ...more }] });
    const event = (message: string, reason = 'Pulled', more: Readonly<Record<string, unknown>> = {}): void => {
      const object: KubeObject = {
        apiVersion: 'v1', kind: 'Event', metadata: { name: `e${this.events.length}`, namespace: stringAt(job, 'metadata', 'namespace') ?? 'default' }, reason, message, type: NORMAL.has(reason) ? 'Normal' : 'Warning', lastTimestamp: new Date(this.#now).toISOString(), ...more,
        involvedObject: { kind: 'Pod', name: pod, namespace: stringAt(job, 'metadata', 'namespace') ?? 'default', uid, ...(OF_POD.has(reason) ? {} : { fieldPath: 'spec.containers{pull}' }), ...recordAt(more, 'involvedObject') },
      };
      this.events.push(object);
      this.tell('events', { type: 'ADDED', object });
    };
    const pull: PlayedPull = {
      job: name, node, image, attempt,
      pod: (seconds, status, nodeName) => this.later(seconds, () => set(status, nodeName)),
      gone: (seconds) => this.later(seconds, () => this.#removePod(name)),
      event: (seconds, message, reason, more) => this.later(seconds, () => isThere() && event(message, reason, more)),
      pulled: (seconds, message = `Successfully pulled image "${image}" in ${seconds}s (${seconds}s including waiting). Image size: 1000 bytes.`) => this.later(seconds, () => {
        if (!isThere()) return;
        event(message);
        set({ ...container({ terminated: { exitCode: 0, containerID: 'containerd://1' } }, { imageID: `${image}@sha256:${'a'.repeat(64)}` }), phase: 'Succeeded' });
      }),
      failing: (seconds, message, reason = 'ErrImagePull') => this.later(seconds, () => set(container({ waiting: { reason, message } }))),
    };
    if (this.showsPods) pull.pod(0.5, container({ waiting: { reason: 'ContainerCreating' } }));
    this.play(pull);
  }
}

export function error(reason: ClusterErrorReason, message: string = reason, status?: number): ClusterError {
  return new ClusterError(message, { reason, ...(status === undefined ? {} : { status }) });
}
