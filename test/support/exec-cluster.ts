/** A cluster in memory for runs of `hostprocess exec`: a clock that jumps to what comes next, and a test that plays nodes and commands. */
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { AccessQuestion, ClusterReader, ClusterWriter, ExecChannel, ExecRequest, ExecResult, ListOptions, ListPage, WatchEvent } from '../../src/app/ports.ts';
import type { NodeStreams } from '../../src/app/hostprocess/node-streams.ts';
import type { RunClock } from '../../src/app/runs/run-clock.ts';
import type { ExecOutcome } from '../../src/domain/hostprocess/outcome.ts';
import { nameOf, recordAt, stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { ClusterError, type ClusterErrorReason } from '../../src/errors.ts';
import { fakeCluster, rawNode } from './fake-cluster.ts';
import { isIn, selection } from './selection.ts';
import { Watchers } from './watchers.ts';

const START = Date.parse('2026-11-30T12:00:00Z');
/** Turns of the event loop without news after which nothing but time goes on. */
const STILL = 30;

/** Of every command: no test needs two. */
export const NONCE = '0123456789abcdef';

export function sign(text: string): string {
  return `\u001ekubectl-win ${NONCE} ${text}\n`;
}

/** Time that passes when nobody has anything else to do. */
export class JumpingClock implements RunClock {
  #now = START;
  #isGoing = false;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();

  get seconds(): number {
    return (this.#now - START) / 1000;
  }

  now(): Date {
    return new Date(this.#now);
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const timer = { at: this.#now + milliseconds, run: resolve };
      signal.addEventListener('abort', () => {
        this.#timers.delete(timer);
        reject(signal.reason as Error);
      }, { once: true });
      this.#timers.add(timer);
      void this.#go();
    });
  }

  later(seconds: number, run: () => void): void {
    this.#timers.add({ at: this.#now + seconds * 1000, run });
    void this.#go();
  }

  /** As on a machine that slept: nothing that was due has run. */
  skip(seconds: number): void {
    this.#now += seconds * 1000;
  }

  async #go(): Promise<void> {
    if (this.#isGoing) return;
    this.#isGoing = true;
    while (this.#timers.size > 0) {
      for (let count = 0; count < STILL; count += 1) await turn();
      const next = [...this.#timers].toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#isGoing = false;
  }
}

export interface Call {
  readonly verb: 'create' | 'dry-run' | 'merge' | 'delete' | 'get' | 'list' | 'watch' | 'exec';
  readonly resource: string;
  readonly name: string;
  /** Seconds since the start. */
  readonly at: number;
}

/** What a node makes of the pod that it gets; called when that is there. Default: it runs after 2 seconds. */
export type PlayNode = (pod: PlayedPod) => void;

export interface PlayedPod {
  readonly name: string;
  readonly node: string;
  status(afterSeconds: number, status: Readonly<Record<string, unknown>>): void;
  runs(afterSeconds: number): void;
  /** Its container waits for that reason. */
  waits(afterSeconds: number, reason: string, message?: string): void;
  gone(afterSeconds: number): void;
  event(afterSeconds: number, reason: string, message: string): void;
}

/** A command that has been asked for; what it gives is how it ends. */
export type PlayCommand = (command: PlayedCommand) => Promise<number>;

export interface PlayedCommand {
  readonly node: string;
  readonly request: ExecRequest;
  readonly out: (text: string) => Promise<void>;
  readonly err: (text: string) => Promise<void>;
  /** Seconds, or until it is aborted. */
  readonly wait: (seconds: number) => Promise<void>;
}

/** As the runner does it: signs around what the command writes. */
export function runs(exitCode = 0, output = 'ok\n', seconds = 1): PlayCommand {
  return async ({ out, err, wait }) => {
    await err(sign('start 42'));
    await wait(seconds);
    await out(output);
    await err(sign(`end ${exitCode}`));
    return exitCode;
  };
}

export class ExecCluster {
  readonly clock = new JumpingClock();
  readonly jobs = new Map<string, KubeObject>();
  readonly pods = new Map<string, KubeObject>();
  readonly events: KubeObject[] = [];
  readonly calls: Call[] = [];
  readonly objects: Record<string, readonly KubeObject[]> = {};
  /** Pods at once. */
  most = 0;
  /** Throws, or answers something else, before a call is carried out. `after`: it is carried out, and its answer is lost. */
  onCall: (call: Call, object: KubeObject | null) => ClusterError | { readonly after: ClusterError } | null = () => null;
  playNode: PlayNode = (pod) => pod.runs(2);
  playCommand: PlayCommand = runs();
  /** Why the Job controller makes no pod for a node; null: it does. */
  refusesPod: (node: string) => string | null = () => null;
  /** Whether the kubelet of a node ends pods that are deleted. */
  endsPods: (node: string) => boolean = () => true;
  /** Whether the pod of a deleted Job is deleted with it. */
  collects = true;
  admitted: (object: KubeObject) => KubeObject = (object) => object;
  readonly missingRights: string[] = [];
  #uids = 0;
  readonly #watchers = new Watchers();

  constructor(nodes: readonly string[]) {
    this.objects['nodes'] = nodes.map((node) => rawNode(node));
    this.objects['namespaces'] = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'uid-kube-system' } }];
  }

  get seconds(): number {
    return this.clock.seconds;
  }

  callsOf(verb: Call['verb']): readonly Call[] {
    return this.calls.filter((call) => call.verb === verb);
  }

  tell(plural: string, event: WatchEvent | Error): void {
    this.#watchers.tell(plural, event);
  }

  #call(verb: Call['verb'], resource: string, name: string, object: KubeObject | null): { readonly after: ClusterError } | null {
    const call = { verb, resource, name, at: this.seconds };
    this.calls.push(call);
    const answer = this.onCall(call, object);
    if (answer instanceof ClusterError) throw answer;
    return answer;
  }

  #objectsOf(plural: string): readonly KubeObject[] {
    if (plural === 'jobs') return [...this.jobs.values()];
    if (plural === 'pods') return [...this.pods.values()];
    if (plural === 'events') return this.events;
    return this.objects[plural] ?? [];
  }

  readonly reader: ClusterReader = {
    ...fakeCluster(),
    list: (resource: Resource, options: ListOptions = {}) => this.#list(resource, options),
    get: async (resource: Resource, name: string, { namespace, signal } = {}) => {
      signal?.throwIfAborted();
      this.#call('get', resource.plural, name, null);
      const found = this.#objectsOf(resource.plural).find((object) => nameOf(object) === name && isIn(resource, object, namespace));
      if (found === undefined) throw error('NotFound', `${resource.plural} "${name}" not found`, 404);
      return found;
    },
    watch: (resource: Resource, options) => this.#watch(resource, options),
  };

  async* #list(resource: Resource, options: ListOptions): AsyncGenerator<ListPage> {
    options.signal?.throwIfAborted();
    this.#call('list', resource.plural, options.fieldSelector ?? options.labelSelector ?? '', null);
    yield { items: this.#objectsOf(resource.plural).filter(selection(resource, options)), resourceVersion: '1' };
  }

  async* #watch(resource: Resource, options: ListOptions): AsyncGenerator<WatchEvent> {
    this.#call('watch', resource.plural, options.labelSelector ?? '', null);
    yield* this.#watchers.watch(resource, options);
  }

  readonly writer: ClusterWriter = {
    create: async (resource, object, { dryRun, namespace = 'default', signal } = {}) => {
      signal?.throwIfAborted();
      const name = nameOf(object);
      const lost = this.#call(dryRun === true ? 'dry-run' : 'create', resource.plural, name, object);
      const made: KubeObject = { ...object, metadata: { ...recordAt(object, 'metadata'), namespace, uid: `uid-${++this.#uids}`, creationTimestamp: this.clock.now().toISOString() } };
      if (dryRun === true) return this.admitted(made);
      const store = resource.plural === 'jobs' ? this.jobs : this.pods;
      if (store.has(name)) throw error('AlreadyExists', `${resource.plural} "${name}" already exists`, 409);
      await turn();
      store.set(name, made);
      if (resource.plural === 'jobs') this.#controlJob(made);
      else this.#begin(made);
      if (lost !== null) throw lost.after;
      return made;
    },
    merge: async (resource, name, patch, { signal } = {}) => {
      signal?.throwIfAborted();
      this.#call('merge', resource.plural, name, patch as KubeObject);
      const job = this.jobs.get(name);
      if (job === undefined) throw error('NotFound', `jobs.batch "${name}" not found`, 404);
      if (stringAt(patch, 'metadata', 'uid') !== stringAt(job, 'metadata', 'uid')) throw error('Conflict', 'Precondition failed: UID in precondition', 409);
      const merged: KubeObject = { ...job, spec: { ...recordAt(job, 'spec'), ...recordAt(patch, 'spec') } };
      this.jobs.set(name, merged);
      return merged;
    },
    delete: async (resource, name, { uid, signal }) => {
      signal?.throwIfAborted();
      const lost = this.#call('delete', resource.plural, name, null);
      const store = resource.plural === 'jobs' ? this.jobs : this.pods;
      const object = store.get(name);
      if (object !== undefined && stringAt(object, 'metadata', 'uid') === uid) {
        if (resource.plural === 'jobs') {
          this.jobs.delete(name);
          if (this.collects) this.endPod(`${name}-abcde`);
        } else this.endPod(name);
      }
      await turn();
      if (lost !== null) throw lost.after;
    },
    review: async (questions) => questions.map((question: AccessQuestion) => ({ question, allowed: !this.missingRights.includes(`${question.verb} ${question.resource}${question.subresource === undefined ? '' : `/${question.subresource}`}`) })),
  };

  readonly exec: ExecChannel = {
    exec: (request) => this.#exec(request),
    attach: () => Promise.reject(new Error('nobody attaches')),
    probe: async () => null,
  };

  async #exec(request: ExecRequest): Promise<ExecResult> {
    const { signal } = request;
    signal?.throwIfAborted();
    this.#call('exec', 'pods', request.pod, null);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => undefined);
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    const node = stringAt(this.pods.get(request.pod), 'spec', 'nodeName') ?? '';
    const write = (sink: NodeJS.WritableStream, text: string): Promise<void> => new Promise((resolve, fail) => sink.write(Buffer.from(text), (failure) => (failure ? fail(failure) : resolve())));
    const played = this.playCommand({
      node, request, out: (text) => write(request.stdout, text), err: (text) => write(request.stderr, text),
      wait: (seconds) => Promise.race([new Promise<void>((resolve) => { this.clock.later(seconds, resolve); }), aborted]),
    });
    return { exitCode: await Promise.race([played, aborted]) };
  }

  #controlJob(job: KubeObject): void {
    const node = stringAt(job, 'spec', 'template', 'spec', 'nodeName') ?? '';
    const name = nameOf(job);
    const refusal = this.refusesPod(node);
    if (refusal !== null) {
      this.#event({ kind: 'Job', name, uid: stringAt(job, 'metadata', 'uid'), namespace: stringAt(job, 'metadata', 'namespace') }, 'FailedCreate', refusal);
      return;
    }
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: stringAt(job, 'metadata', 'uid'), controller: true }];
    this.#begin({ apiVersion: 'v1', kind: 'Pod', metadata: { ...recordAt(job, 'spec', 'template', 'metadata'), name: `${name}-abcde`, namespace: stringAt(job, 'metadata', 'namespace'), uid: `uid-${++this.#uids}`, ownerReferences }, spec: recordAt(job, 'spec', 'template', 'spec') });
  }

  #begin(pod: KubeObject): void {
    const name = nameOf(pod);
    const uid = stringAt(pod, 'metadata', 'uid');
    const node = stringAt(pod, 'spec', 'nodeName') ?? '';
    this.pods.set(name, pod);
    this.most = Math.max(this.most, this.pods.size);
    this.tell('pods', { type: 'ADDED', object: pod });
    const isThere = (): boolean => stringAt(this.pods.get(name), 'metadata', 'uid') === uid;
    const set = (status: Readonly<Record<string, unknown>>): void => {
      if (isThere()) this.#change({ ...this.pods.get(name) ?? pod, status });
    };
    const container = (state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({ phase: 'running' in state ? 'Running' : 'Pending', startTime: this.clock.now().toISOString(), containerStatuses: [{ name: 'hostprocess', state }] });
    this.playNode({
      name, node,
      status: (seconds, status) => this.clock.later(seconds, () => set(status)),
      runs: (seconds) => this.clock.later(seconds, () => set(container({ running: {} }))),
      waits: (seconds, reason, message) => this.clock.later(seconds, () => set(container({ waiting: { reason, ...(message === undefined ? {} : { message }) } }))),
      gone: (seconds) => this.clock.later(seconds, () => isThere() && this.removePod(name)),
      event: (seconds, reason, message) => this.clock.later(seconds, () => isThere() && this.#event({ kind: 'Pod', name, uid, namespace: stringAt(pod, 'metadata', 'namespace') }, reason, message)),
    });
  }

  #change(pod: KubeObject): void {
    this.pods.set(nameOf(pod), pod);
    this.tell('pods', { type: 'MODIFIED', object: pod });
  }

  /** As the API server and the kubelet do it: it goes when its containers have ended. */
  endPod(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    this.#change({ ...pod, metadata: { ...recordAt(pod, 'metadata'), deletionTimestamp: this.clock.now().toISOString() } });
    if (this.endsPods(stringAt(pod, 'spec', 'nodeName') ?? '')) this.clock.later(1, () => this.removePod(name));
  }

  removePod(name: string): void {
    const pod = this.pods.get(name);
    this.pods.delete(name);
    if (pod !== undefined) this.tell('pods', { type: 'DELETED', object: pod });
  }

  #event(involvedObject: Readonly<Record<string, unknown>>, reason: string, message: string): void {
    const object: KubeObject = { apiVersion: 'v1', kind: 'Event', metadata: { name: `e${this.events.length}`, namespace: involvedObject['namespace'] }, involvedObject, reason, message, type: 'Warning', lastTimestamp: this.clock.now().toISOString() };
    this.events.push(object);
    this.tell('events', { type: 'ADDED', object });
  }
}

export function error(reason: ClusterErrorReason, message: string = reason, status?: number): ClusterError {
  return new ClusterError(message, { reason, ...(status === undefined ? {} : { status }) });
}

/** Streams of a node that keep what they get. */
export interface KeptStreams extends NodeStreams {
  readonly out: () => string;
  readonly err: () => string;
}

export function keptStreams(more: Partial<NodeStreams> = {}): KeptStreams {
  const [stdout, stderr] = [sink(), sink()];
  return { tty: null, ...more, stdout, stderr, out: () => stdout.text(), err: () => stderr.text() };
}

function sink(): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(writable, { text: () => Buffer.concat(chunks).toString() });
}

/** What all nodes wrote, and how each ended. */
export class KeptOutputs {
  readonly byNode = new Map<string, KeptStreams>();
  readonly ends = new Map<string, ExecOutcome>();

  readonly streamsOf = (node: string): { readonly streams: NodeStreams; end(outcome: ExecOutcome): Promise<void> } => {
    const streams = keptStreams();
    this.byNode.set(node, streams);
    return { streams, end: async (outcome) => void this.ends.set(node, outcome) };
  };
}
