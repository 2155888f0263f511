/** A cluster in memory that does what controllers, scheduler and kubelets do with the Jobs of prepull, on a clock that does not wait. */
import { setImmediate as turn } from 'node:timers/promises';
import type { AccessQuestion, ClusterReader, ClusterWriter, ListOptions, ListPage, NodeSpace, WatchEvent } from '../../src/app/ports.ts';
import { arrayAt, nameOf, namespaceOf, recordAt, stringAt, stringMapAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../src/errors.ts';
import { fakeCluster, type FakeClusterParts } from './fake-cluster.ts';
import { isIn, selection, toldOf } from './selection.ts';

/** What becomes of a pull: how long it takes and how large it is, that the image is there, what the kubelet says of a failure, or nothing at all. */
export type PullFate =
  | { readonly seconds: number; readonly sizeBytes: number; readonly digest?: string; readonly hasNoShell?: boolean; /** What the node says where it does not start the image. */ readonly startError?: string }
  | 'present'
  | { readonly waiting: string; readonly message: string }
  | 'hangs';

export interface PullingClusterParts extends FakeClusterParts {
  /** Default: pulled in 192 s, 2,000,000,000 bytes. */
  readonly fateOf?: (node: string, image: string, attempt: number) => PullFate;
  /** Called when a pull is on its node. */
  readonly onPulling?: (node: string, image: string) => void;
  /** Thrown by `create jobs` …, dry runs included. */
  readonly refusals?: Readonly<Record<string, Error>>;
  /** Rights that are not there: `create jobs`. */
  readonly missingRights?: readonly string[];
  /** Free space of nodes; others do not tell. */
  readonly space?: Readonly<Record<string, NodeSpace>>;
  /** Nodes that are seen so many seconds after the start, as they are then. */
  readonly joins?: readonly { readonly seconds: number; readonly node: KubeObject }[];
  /** Jobs that are there from before. */
  readonly jobs?: readonly KubeObject[];
}

export interface PullingCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: { now(): Date };
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** What was written: `create jobs NAME`, `dry-run pods NAME`, `patch jobs NAME`, `delete jobs NAME`. */
  readonly writes: readonly string[];
  /** Jobs that are there. */
  readonly jobs: ReadonlyMap<string, KubeObject>;
  readonly daemonSets: ReadonlyMap<string, KubeObject>;
  /** The most pulls that were on nodes at once. */
  readonly mostAtOnce: () => number;
  /** References that containers of pulls had, each once. */
  readonly pulledImages: () => readonly string[];
}

/** Of the index that answeringRegistry gives: so do runtimes name an image of several. */
const DIGEST = `sha256:${'99'.padStart(64, '0')}`;

interface State {
  readonly parts: PullingClusterParts;
  readonly jobs: Map<string, KubeObject>;
  readonly daemonSets: Map<string, KubeObject>;
  readonly pods: Map<string, KubeObject>;
  readonly messages: Map<string, string>;
  readonly watchers: Set<(event: WatchEvent) => void>;
  readonly nodeWatchers: Set<(event: WatchEvent) => void>;
  readonly due: { readonly at: number; readonly run: () => void }[];
  now: number;
  mostAtOnce: number;
  attempts: Map<string, number>;
  readonly pulledImages: Set<string>;
}

export function pullingCluster(parts: PullingClusterParts = {}): PullingCluster {
  const state: State = {
    parts, jobs: new Map(parts.jobs?.map((job) => [nameOf(job), job])), daemonSets: new Map(parts.objects?.['daemonsets']?.map((one) => [nameOf(one), one])), pods: new Map(), messages: new Map(), watchers: new Set(), nodeWatchers: new Set(), due: [], now: Date.parse('2026-11-30T12:00:00Z'), mostAtOnce: 0, attempts: new Map(), pulledImages: new Set(),
  };
  for (const { seconds, node } of parts.joins ?? []) {
    state.due.push({ at: state.now + seconds * 1000, run: () => {
      for (const push of state.nodeWatchers) push({ type: 'ADDED', object: node });
    } });
  }
  const writes: string[] = [];
  return {
    reader: readerOf(state), writer: writerOf(state, writes), writes, jobs: state.jobs, daemonSets: state.daemonSets, mostAtOnce: () => state.mostAtOnce, pulledImages: () => [...state.pulledImages],
    clock: { now: () => new Date(state.now) },
    sleep: async (milliseconds, signal) => {
      await turn();
      signal.throwIfAborted();
      state.now += milliseconds;
      for (const one of state.due.splice(0)) {
        if (one.at <= state.now) one.run();
        else state.due.push(one);
      }
      await turn();
      signal.throwIfAborted();
    },
  };
}

function readerOf(state: State): ClusterReader {
  const base = fakeCluster(state.parts);
  const own = (resource: Resource): readonly KubeObject[] | null => {
    if (resource.plural === 'jobs') return [...state.jobs.values()];
    if (resource.plural === 'daemonsets') return [...state.daemonSets.values()];
    if (resource.plural === 'pods') return [...state.parts.objects?.['pods'] ?? [], ...state.pods.values()];
    return null;
  };
  return {
    ...base,
    nodeSpace: async (node) => state.parts.space?.[node] ?? null,
    async* list(resource: Resource, options: ListOptions = {}): AsyncGenerator<ListPage> {
      if (resource.plural === 'events') {
        const events = [...state.messages].map(([pod, message]): KubeObject => ({ apiVersion: 'v1', kind: 'Event', metadata: { name: pod, namespace: namespaceOf(state.pods.get(pod) ?? {}) }, involvedObject: { kind: 'Pod', name: pod, uid: `uid-${pod}` }, reason: 'Pulled', message }));
        yield { items: events.filter(selection(resource, options)), resourceVersion: '1' };
        return;
      }
      const objects = own(resource);
      if (objects === null) {
        yield* base.list(resource, options);
        return;
      }
      for await (const _ of base.list(resource, options)) break; // its errors, and the record of calls
      yield { items: objects.filter(selection(resource, options)), resourceVersion: '1' };
    },
    async get(resource, name, options = {}) {
      const job = resource.plural === 'jobs' ? state.jobs.get(name) : undefined;
      return job !== undefined && isIn(resource, job, options.namespace) ? job : base.get(resource, name, options);
    },
    async* watch(resource: Resource, options): AsyncGenerator<WatchEvent> {
      const { signal } = options;
      const isSelected = selection(resource, options);
      const queue: WatchEvent[] = [];
      let wake: (() => void) | null = null;
      const push = (event: WatchEvent): void => {
        queue.push(event);
        wake?.();
      };
      if (resource.plural === 'pods') state.watchers.add(push);
      if (resource.plural === 'nodes') state.nodeWatchers.add(push);
      signal?.addEventListener('abort', () => wake?.());
      for (;;) {
        for (const event of queue.splice(0)) {
          const told = toldOf(event, isSelected);
          if (told !== null) yield told;
        }
        signal?.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function writerOf(state: State, writes: string[]): ClusterWriter {
  return {
    async create(resource, object, { dryRun, namespace, signal } = {}) {
      signal?.throwIfAborted();
      writes.push(`${dryRun === true ? 'dry-run' : 'create'} ${resource.plural} ${stringAt(object, 'metadata', 'name') ?? ''}`.trimEnd());
      const refusal = state.parts.refusals?.[`create ${resource.plural}`];
      if (refusal !== undefined) throw refusal;
      const made: KubeObject = { ...object, metadata: { ...recordAt(object, 'metadata'), namespace: namespace ?? 'default', uid: `uid-${nameOf(object)}`, creationTimestamp: new Date(state.now).toISOString() } };
      if (dryRun === true) return made;
      (resource.plural === 'daemonsets' ? state.daemonSets : state.jobs).set(nameOf(object), made);
      if (stringAt(object, 'metadata', 'labels', 'kubectl-win/role') === 'pull') startPod(state, made);
      return made;
    },
    async merge(resource, name, patch, { namespace = 'default', signal } = {}) {
      signal?.throwIfAborted();
      writes.push(`patch ${resource.plural} ${name}`);
      const job = state.jobs.get(name);
      if (job === undefined || !isIn(resource, job, namespace)) throw new ClusterError(`jobs.batch "${name}" not found`, { reason: 'NotFound', status: 404 });
      const uid = stringAt(patch, 'metadata', 'uid');
      if (uid !== undefined && uid !== stringAt(job, 'metadata', 'uid')) throw new ClusterError('Precondition failed: UID in precondition', { reason: 'Conflict', status: 409 });
      const merged = mergePatch(job, patch) as KubeObject; // a Job, changed
      state.jobs.set(name, merged);
      return merged;
    },
    async delete(resource, name, { namespace = 'default', uid, signal }) {
      signal?.throwIfAborted();
      writes.push(`delete ${resource.plural} ${name}`);
      const objects = resource.plural === 'daemonsets' ? state.daemonSets : state.jobs;
      const object = objects.get(name);
      // as the port says: one with another UID, or none, is as good as deleted
      if (object === undefined || stringAt(object, 'metadata', 'uid') !== uid || !isIn(resource, object, namespace)) return;
      objects.delete(name);
      const pod = state.pods.get(`${name}-x`);
      state.pods.delete(`${name}-x`);
      if (pod !== undefined) tell(state, 'DELETED', pod);
    },
    async review(questions) {
      return questions.map((question: AccessQuestion) => ({ question, allowed: !(state.parts.missingRights ?? []).includes(`${question.verb} ${question.resource}`) }));
    },
  };
}

function startPod(state: State, job: KubeObject): void {
  const node = stringAt(job, 'metadata', 'annotations', 'kubectl-win/node') ?? '';
  const image = stringAt(job, 'metadata', 'annotations', 'kubectl-win/image') ?? '';
  const name = `${nameOf(job)}-x`;
  const labels = { ...stringMapAt(job, 'metadata', 'labels'), 'batch.kubernetes.io/job-name': nameOf(job) };
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: nameOf(job), uid: stringAt(job, 'metadata', 'uid'), controller: true, blockOwnerDeletion: true }];
  const attempt = (state.attempts.get(`${node} ${image}`) ?? 0) + 1;
  state.attempts.set(`${node} ${image}`, attempt);
  const pod = (status: Readonly<Record<string, unknown>>, type: 'ADDED' | 'MODIFIED' = 'MODIFIED', nodeName = node): void => {
    if (stringAt(state.jobs.get(nameOf(job)), 'metadata', 'uid') !== stringAt(job, 'metadata', 'uid')) return;
    const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: stringAt(job, 'metadata', 'namespace') ?? 'default', labels, annotations: recordAt(job, 'spec', 'template', 'metadata')['annotations'], uid: `uid-${name}`, ownerReferences }, spec: { ...recordAt(job, 'spec', 'template', 'spec'), nodeName }, status };
    state.pods.set(name, object);
    tell(state, type, object);
  };
  const after = (seconds: number, run: () => void): void => void state.due.push({ at: state.now + seconds * 1000, run });
  const container = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({ phase: 'Pending', containerStatuses: [{ name: 'pull', image, ...fields }] });
  // One that sleeps runs; others have ended by the time that anybody looks.
  const sleeps = arrayAt(job, 'spec', 'template', 'spec', 'containers').some((one) => JSON.stringify(one).includes('ping'));
  const begun = (digest: string, hasNoShell = false, startError?: string): Readonly<Record<string, unknown>> => {
    const imageID = `${image}@${digest}`;
    if (hasNoShell || startError !== undefined) return { ...container({ imageID, state: { terminated: { exitCode: 128, reason: 'StartError', ...(startError === undefined ? {} : { message: startError }) } } }), phase: 'Failed' };
    return sleeps ? { ...container({ imageID, state: { running: {} } }), phase: 'Running' } : { ...container({ imageID, state: { terminated: { exitCode: 0, containerID: 'containerd://1' } } }), phase: 'Succeeded' };
  };
  for (const one of arrayAt(job, 'spec', 'template', 'spec', 'containers')) state.pulledImages.add(stringAt(one, 'image') ?? '');
  pod({ phase: 'Pending' }, 'ADDED', '');
  after(1, () => {
    pod(container({ state: { waiting: { reason: 'ContainerCreating' } } }));
    state.mostAtOnce = Math.max(state.mostAtOnce, state.pods.size);
    state.parts.onPulling?.(node, image);
    const fate = state.parts.fateOf?.(node, image, attempt) ?? { seconds: 192, sizeBytes: 2_000_000_000 };
    if (fate === 'hangs') return;
    if (fate === 'present') {
      state.messages.set(name, `Container image "${image}" already present on machine`);
      after(1, () => pod(begun(DIGEST)));
    } else if ('waiting' in fate) {
      after(2, () => pod(container({ state: { waiting: { reason: fate.waiting, message: fate.message } } })));
    } else {
      after(fate.seconds, () => {
        state.messages.set(name, `Successfully pulled image "${image}" in ${fate.seconds}s (${fate.seconds}s including waiting). Image size: ${fate.sizeBytes} bytes.`);
        pod(begun(fate.digest ?? DIGEST, fate.hasNoShell, fate.startError));
      });
    }
  });
}

function tell(state: State, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
  for (const push of state.watchers) push({ type, object });
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target as Readonly<Record<string, unknown>> : {};
  return Object.fromEntries([...new Set([...Object.keys(base), ...Object.keys(patch)])].flatMap((key) => {
    const change = (patch as Readonly<Record<string, unknown>>)[key];
    return change === null ? [] : [[key, key in patch ? mergePatch(base[key], change) : base[key]]];
  }));
}

/** Jobs of pulls among what a dry run prints. */
export function imagesOfJobs(jobs: readonly KubeObject[]): readonly string[] {
  return jobs.flatMap((job) => arrayAt(job, 'spec', 'template', 'spec', 'containers').map((container) => stringAt(container, 'image') ?? ''));
}
