/** A cluster in memory with OpenKruise: its controller and daemons, on a clock that does not wait. */
import type { AccessQuestion, ClusterReader, ClusterWriter, ListOptions, ListPage } from '../../src/app/ports.ts';
import { arrayAt, nameOf, numberAt, recordAt, stringAt, stringMapAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { matchesLabels, parseLabelSelector } from '../../src/domain/kubernetes/selector.ts';
import { IMAGE_PULL_JOBS } from '../../src/domain/prepull/kruise-objects.ts';
import { fakeCluster, type FakeClusterParts } from './fake-cluster.ts';

export interface KruiseClusterParts extends FakeClusterParts {
  /** Seconds until the image is there, or the daemon's message. Default 60. */
  readonly fateOf?: (node: string, image: string) => number | { readonly message: string };
  /** Nodes with a NodeImage; default: all that a job names. */
  readonly nodes?: readonly string[];
  /** The controller does not run. */
  readonly isDown?: boolean;
  /** What discovery answers; default v1beta1. */
  readonly version?: string;
  readonly missingRights?: readonly string[];
}

export interface KruiseCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: { now(): Date };
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly jobs: Map<string, KubeObject>;
}

export function kruiseCluster(parts: KruiseClusterParts = {}): KruiseCluster {
  const base = fakeCluster({ resources: [{ ...IMAGE_PULL_JOBS, version: parts.version ?? 'v1beta1' }], ...parts, version: 'v1.37.2' });
  const jobs = new Map<string, KubeObject>();
  const began = new Map<string, number>();
  let now = Date.parse('2026-11-30T12:00:00Z');
  const fate = (node: string, image: string): number | { readonly message: string } => parts.fateOf?.(node, image) ?? 60;
  const namesOf = (job: KubeObject): readonly string[] => arrayAt(job, 'spec', 'selector', 'names').map(String).filter((name) => parts.nodes?.includes(name) ?? true);
  const imageOf = (job: KubeObject): string => stringAt(job, 'spec', 'image') ?? '';
  const phaseOf = (job: KubeObject, node: string): 'Pulling' | 'Succeeded' | 'Failed' => {
    const known = fate(node, imageOf(job));
    return typeof known !== 'number' ? 'Failed' : (now - (began.get(nameOf(job)) ?? now)) / 1000 >= known ? 'Succeeded' : 'Pulling';
  };
  const withStatus = (job: KubeObject): KubeObject => {
    if (parts.isDown === true) return job;
    const names = namesOf(job);
    const failed = names.filter((node) => phaseOf(job, node) === 'Failed');
    const open = names.filter((node) => phaseOf(job, node) === 'Pulling');
    const isLate = (now - (began.get(nameOf(job)) ?? now)) / 1000 >= (numberAt(job, 'spec', 'completionPolicy', 'activeDeadlineSeconds') ?? Number.POSITIVE_INFINITY);
    const time = new Date(now).toISOString();
    return { ...job, status: {
      startTime: new Date(began.get(nameOf(job)) ?? now).toISOString(), desired: names.length, active: isLate ? 0 : open.length, succeeded: names.length - failed.length - open.length,
      failed: failed.length, failedNodes: isLate ? [...failed, ...open] : failed, message: isLate && open.length > 0 ? 'job exceeds activeDeadlineSeconds' : 'job is running', ...(open.length === 0 || isLate ? { completionTime: time } : {}),
    } };
  };
  const nodeImages = (): readonly KubeObject[] => [...new Set([...jobs.values()].flatMap(namesOf))].map((name): KubeObject => {
    const own = [...jobs.values()].filter((job) => namesOf(job).includes(name));
    const split = (job: KubeObject): readonly [string, string] => [imageOf(job).slice(0, imageOf(job).lastIndexOf(':')), imageOf(job).slice(imageOf(job).lastIndexOf(':') + 1)];
    const message = (job: KubeObject): string => {
      const known = fate(name, imageOf(job));
      return typeof known === 'number' ? '' : known.message;
    };
    return {
      apiVersion: 'apps.kruise.io/v1beta1', kind: 'NodeImage', metadata: { name, labels: { 'kubernetes.io/os': 'windows' } },
      spec: { images: Object.fromEntries(own.map((job) => [split(job)[0], { tags: [{ tag: split(job)[1], version: 3, ownerReferences: [{ uid: stringAt(job, 'metadata', 'uid') }] }] }])) },
      status: { imageStatuses: Object.fromEntries(own.map((job) => [split(job)[0], { tags: [{ tag: split(job)[1], version: 3, phase: phaseOf(job, name), message: message(job), startTime: '2026-11-30T12:00:00Z', completionTime: '2026-11-30T12:00:42Z' }] }])) },
    };
  });
  return {
    jobs,
    clock: { now: () => new Date(now) },
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      now += milliseconds;
    },
    reader: {
      ...base,
      async* list(resource: Resource, options: ListOptions = {}): AsyncGenerator<ListPage> {
        const own = resource.plural === 'imagepulljobs' ? [...jobs.values()].map(withStatus) : resource.plural === 'nodeimages' ? nodeImages() : null;
        if (own === null) {
          yield* base.list(resource, options);
          return;
        }
        for await (const _ of base.list(resource, options)) break; // its errors
        const selector = parseLabelSelector(options.labelSelector ?? '');
        yield { items: own.filter((object) => matchesLabels(selector, stringMapAt(object, 'metadata', 'labels'))), resourceVersion: '1' };
      },
    },
    writer: {
      async create(_resource, object, { dryRun, namespace, signal } = {}) {
        signal?.throwIfAborted();
        const made: KubeObject = { ...object, metadata: { ...recordAt(object, 'metadata'), namespace, uid: `uid-${nameOf(object)}`, creationTimestamp: new Date(now).toISOString() } };
        if (dryRun === true) return made;
        jobs.set(nameOf(object), made);
        began.set(nameOf(object), now);
        return made;
      },
      merge: () => Promise.reject(new Error('nothing is changed here')),
      async delete(_resource, name) {
        jobs.delete(name);
      },
      review: async (questions) => questions.map((question: AccessQuestion) => ({ question, allowed: !(parts.missingRights ?? []).includes(`${question.verb} ${question.resource}`) })),
    },
  };
}
