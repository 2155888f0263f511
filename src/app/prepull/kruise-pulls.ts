/** `--engine kruise`: lets OpenKruise pull, and follows it. */
import { arrayAt, nameOf, namespaceOf, numberAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import type { Resource } from '../../domain/kubernetes/resource.ts';
import { durationText } from '../../domain/duration-text.ts';
import { IMAGE_PULL_JOBS, KRUISE_ROLE, kruiseFailure, kruiseStateOf, kruiseSuccess, NODE_IMAGES, outcomeOnNode, type KruisePull } from '../../domain/prepull/kruise-objects.ts';
import type { PrepullEvent, PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { IMAGE_ANNOTATION, MANAGED_BY, runJobName } from '../../domain/prepull/run-objects.ts';
import { ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { countResults } from '../../domain/prepull/run-record.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import type { RunStatus } from './run-status.ts';
import { patiently } from '../runs/patience.ts';
import { tryObject } from '../runs/admission.ts';
import { tryingIn } from './preflight.ts';
import type { RunClock } from '../runs/run-clock.ts';

const POLL_MS = 5_000;
/** A controller that runs takes a job up in less. */
const NOT_STARTED_SECONDS = 60;
/** Beyond the deadline that its controller keeps. */
const LATE_SECONDS = 60;
const CLEAN_UP_MS = 10_000;
const SELECTOR = [...Object.entries(MANAGED_BY), [ROLE_LABEL, KRUISE_ROLE]].map(([key, value]) => `${key}=${value}`).join(',');

export interface KruiseOptions {
  readonly run: string;
  readonly namespace: string;
  /** Nobody follows it: OpenKruise holds its window by itself. */
  readonly isDetached: boolean;
  readonly signal: AbortSignal;
}

export interface KruiseCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

/** ImagePullJobs in the version that the cluster serves; null where it has none. */
export async function imagePullJobsOf(reader: ClusterReader, signal: AbortSignal | undefined): Promise<Resource | null> {
  return (await reader.resources({ signal })).find(({ group, plural }) => group === IMAGE_PULL_JOBS.group && plural === IMAGE_PULL_JOBS.plural) ?? null;
}

export function withoutKruise(): ClusterError {
  return new ClusterError('--engine=kruise: the cluster has no imagepulljobs.apps.kruise.io', {
    reason: 'NotFound', suggestions: ['--engine=jobs needs nothing in the cluster', 'https://openkruise.io/docs/installation says how OpenKruise is installed; its daemon for Windows nodes has to be built from its sources'],
  });
}

/** Throws ClusterError where the user may not, or the cluster does not take them. */
export async function checkKruise(pulls: readonly KruisePull[], resource: Resource, namespace: string, writer: ClusterWriter, signal: AbortSignal): Promise<void> {
  const questions = ['create', 'list', 'delete'].map((verb) => ({ verb, group: resource.group, resource: resource.plural, namespace }));
  const missing = (await writer.review(questions, { signal })).filter(({ allowed }) => allowed === false).map(({ question }) => `${question.verb} ${question.resource}.${question.group}`);
  if (missing.length > 0) throw new ClusterError(`not allowed in the namespace ${namespace}: ${missing.join(', ')}`, { reason: 'Forbidden', status: 403, suggestions: ['--engine=jobs needs rights on jobs and pods alone'] });
  const trying = tryingIn(namespace, writer, signal);
  for (const { job } of pulls) await tryObject(resource, job, 'ImagePullJobs', trying);
}

/** Makes the jobs, follows them until they have ended, and removes them. */
export async function* runKruise(pulls: readonly KruisePull[], options: KruiseOptions, resource: Resource, cluster: KruiseCluster): AsyncGenerator<PrepullEvent, void, undefined> {
  const { run, namespace, isDetached, signal } = options;
  const { clock } = cluster;
  yield { type: 'began', run, namespace, items: pulls.reduce((sum, { items }) => sum + items.length, 0) };
  let isLeft = false;
  try {
    const follower = new KruiseFollower(pulls, options, resource, cluster);
    for (const { job } of pulls) await createJob(job, options, resource, cluster);
    follower.startedAt = clock.now().getTime();
    isLeft = isDetached;
    while (!isDetached && !follower.isDone) {
      yield* await follower.look();
      if (!follower.isDone) await clock.sleep(POLL_MS, signal);
    }
  } finally {
    if (!isLeft) yield* removed(run, namespace, resource, cluster);
  }
}

/** One whose answer was lost is taken as it is. */
async function createJob(job: KubeObject, { run, namespace, signal }: KruiseOptions, resource: Resource, { reader, writer, clock }: KruiseCluster): Promise<void> {
  await patiently(async (attempt) => {
    try {
      await writer.create(resource, job, { namespace, signal });
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'AlreadyExists' || attempt === 1) throw error;
      const known = await listed(reader, resource, namespace, signal);
      if (!known.some((one) => nameOf(one) === nameOf(job) && stringAt(one, 'metadata', 'labels', RUN_LABEL) === run)) throw error;
    }
  }, { clock, signal });
}

async function* removed(run: string, namespace: string, resource: Resource, { reader, writer, clock }: KruiseCluster): AsyncGenerator<PrepullEvent, void, undefined> {
  const signal = AbortSignal.timeout(CLEAN_UP_MS);
  try {
    // also those whose answer was lost
    for (const one of await patiently(() => listed(reader, resource, namespace, signal), { clock, signal })) {
      if (stringAt(one, 'metadata', 'labels', RUN_LABEL) === run) await patiently(() => writer.delete(resource, nameOf(one), { namespace, uid: stringAt(one, 'metadata', 'uid') ?? '', signal }), { clock, signal });
    }
    yield { type: 'cleaned-up' };
  } catch (error) {
    if (!(error instanceof ClusterError) && !signal.aborted) throw error;
    yield { type: 'note', message: `the ImagePullJobs of ${run} could not be removed (${error instanceof ClusterError ? error.message : 'the API server does not answer'}); OpenKruise does so after their deadline, and kubectl win prepull cleanup ${run} -n ${namespace} at once` };
  }
}

class KruiseFollower {
  readonly #options: KruiseOptions;
  readonly #resource: Resource;
  readonly #cluster: KruiseCluster;
  readonly #open: Map<string, { readonly pull: KruisePull; readonly waiting: Map<string, PlanItem>; seen: number }>;
  #seesNodeImages = true;
  startedAt = 0;

  constructor(pulls: readonly KruisePull[], options: KruiseOptions, resource: Resource, cluster: KruiseCluster) {
    this.#options = options;
    this.#resource = resource;
    this.#cluster = cluster;
    this.#open = new Map(pulls.map((pull) => [nameOf(pull.job), { pull, waiting: new Map(pull.items.map((item) => [item.node, item])), seen: 0 }]));
  }

  get isDone(): boolean {
    return this.#open.size === 0;
  }

  /** What has happened since. */
  async look(): Promise<readonly PrepullEvent[]> {
    const { namespace, signal, run } = this.#options;
    let jobs: readonly KubeObject[];
    try {
      jobs = await listed(this.#cluster.reader, this.#resource, namespace, signal);
    } catch (error) {
      if (error instanceof ClusterError && error.isPassing) return [];
      throw error;
    }
    const byName = new Map(jobs.filter((job) => stringAt(job, 'metadata', 'labels', RUN_LABEL) === run).map((job) => [nameOf(job), job]));
    const elapsed = (this.#cluster.clock.now().getTime() - this.startedAt) / 1000;
    const news: PrepullEvent[] = [];
    let nodeImages: ReadonlyMap<string, KubeObject> | null = null;
    for (const [name, one] of this.#open) {
      const { pull, waiting } = one;
      const job = byName.get(name);
      const finish = (node: string, outcome: PrepullOutcome): void => {
        const item = waiting.get(node);
        if (item === undefined) return;
        waiting.delete(node);
        news.push({ type: 'finished', item, outcome });
      };
      const finishRest = (outcome: (node: string) => PrepullOutcome): void => {
        for (const node of waiting.keys()) finish(node, outcome(node));
        this.#open.delete(name);
      };
      if (job === undefined) {
        finishRest(() => failed('Deleted', 'its ImagePullJob was deleted by somebody else'));
        continue;
      }
      const state = kruiseStateOf(job);
      const changed = state.succeeded + state.failedNodes.length;
      if (state.hasEnded || changed !== one.seen) {
        one.seen = changed;
        nodeImages ??= await this.#nodeImages();
        for (const node of waiting.keys()) {
          const nodeImage = nodeImages.get(node);
          const outcome = nodeImage === undefined ? null : outcomeOnNode(nodeImage, pull.image, stringAt(job, 'metadata', 'uid') ?? '');
          if (outcome !== null) finish(node, outcome);
        }
        for (const node of state.failedNodes) finish(node, state.message.includes('activeDeadlineSeconds') ? failed('Timeout', `no image within the deadline of its ImagePullJob: ${state.message}`) : kruiseFailure(''));
      }
      if (state.hasEnded) {
        const known = nodeImages ?? new Map<string, KubeObject>();
        const isAll = state.desired >= pull.items.length;
        finishRest((node) => (isAll || (this.#seesNodeImages && known.has(node)) ? kruiseSuccess(null)
          : failed('NoDaemon', `OpenKruise knows ${state.desired} of ${pull.items.length} nodes, ${this.#seesNodeImages ? 'and has no NodeImage for this one' : 'and does not say which'}: does its daemon run there?`)));
      } else if (!state.hasStarted && elapsed > NOT_STARTED_SECONDS) {
        finishRest(() => failed('Refused', `OpenKruise has not taken its ImagePullJob up within ${durationText(NOT_STARTED_SECONDS)}: does its controller run?`));
      } else if (elapsed > pull.deadlineSeconds + LATE_SECONDS) {
        finishRest(() => failed('Timeout', `its ImagePullJob has not ended within ${durationText(pull.deadlineSeconds)}`));
      }
    }
    return news;
  }

  /** By node. They have the labels of their nodes. */
  async #nodeImages(): Promise<ReadonlyMap<string, KubeObject>> {
    const found = new Map<string, KubeObject>();
    if (!this.#seesNodeImages) return found;
    try {
      for await (const { items, restarted } of this.#cluster.reader.list({ ...NODE_IMAGES, version: this.#resource.version }, { labelSelector: 'kubernetes.io/os=windows', signal: this.#options.signal })) {
        if (restarted === true) found.clear();
        for (const item of items) found.set(nameOf(item), item);
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (!error.isPassing) this.#seesNodeImages = false;
      found.clear();
    }
    return found;
  }
}

function failed(reason: string, message: string): PrepullOutcome {
  return { result: 'failed', reason, message, seconds: null, sizeBytes: null, digest: null };
}

async function listed(reader: ClusterReader, resource: Resource, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly KubeObject[]> {
  let found: KubeObject[] = [];
  for await (const { items, restarted } of reader.list(resource, { namespace, labelSelector: SELECTOR, signal })) {
    if (restarted === true) found = [];
    found.push(...items);
  }
  return found;
}

/** ImagePullJobs of one run. */
export interface KruiseRun {
  readonly status: RunStatus;
  readonly resource: Resource;
  readonly jobs: readonly KubeObject[];
}

/** None where the cluster has no such jobs, or they may not be listed. */
export async function findKruiseRuns(reader: ClusterReader, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly KruiseRun[]> {
  const runs = new Map<string, KubeObject[]>();
  let resource: Resource | null;
  try {
    resource = await imagePullJobsOf(reader, signal);
    if (resource === null) return [];
    for (const job of await listed(reader, resource, namespace, signal)) {
      const run = stringAt(job, 'metadata', 'labels', RUN_LABEL) ?? '';
      // A forged label makes none of them.
      if (nameOf(job).startsWith(`${runJobName(run)}-`)) runs.set(`${namespaceOf(job)}/${run}`, [...runs.get(`${namespaceOf(job)}/${run}`) ?? [], job]);
    }
  } catch (error) {
    if (error instanceof ClusterError && (error.reason === 'Forbidden' || error.reason === 'NotFound')) return [];
    throw error;
  }
  const found = resource;
  return [...runs].map(([key, jobs]): KruiseRun => ({ status: statusOf(key.slice(key.indexOf('/') + 1), key.slice(0, key.indexOf('/')), jobs), resource: found, jobs }));
}

function statusOf(run: string, namespace: string, jobs: readonly KubeObject[]): RunStatus {
  const imageOf = (job: KubeObject): string => stringAt(job, 'metadata', 'annotations', IMAGE_ANNOTATION) ?? '';
  const states = jobs.map((job) => ({ job, state: kruiseStateOf(job) }));
  const results = states.flatMap(({ job, state }) => state.failedNodes.map((node) => ({ node, image: imageOf(job), result: 'failed' as const, reason: null })));
  const ends = jobs.map((job) => Date.parse(stringAt(job, 'status', 'startTime') ?? stringAt(job, 'metadata', 'creationTimestamp') ?? '')
    + ((numberAt(job, 'spec', 'completionPolicy', 'activeDeadlineSeconds') ?? Number.NaN) + (numberAt(job, 'spec', 'completionPolicy', 'ttlSecondsAfterFinished') ?? Number.NaN)) * 1000);
  const removedBy = Math.max(...ends);
  return {
    run, namespace, origin: stringAt(jobs[0], 'metadata', 'annotations', ORIGIN_ANNOTATION) ?? null, startedAt: stringAt(jobs[0], 'metadata', 'creationTimestamp') ?? null,
    phase: states.some(({ state }) => !state.hasEnded) ? 'running' : results.length > 0 ? 'failed' : 'succeeded',
    planned: jobs.reduce((sum, job) => sum + arrayAt(job, 'spec', 'selector', 'names').length, 0), ready: states.reduce((sum, { state }) => sum + state.succeeded, 0),
    images: [...new Set(jobs.map(imageOf))].toSorted(), results, counts: countResults(results), refused: null, skipped: null, active: [], held: [], removedBy: Number.isNaN(removedBy) ? null : new Date(removedBy).toISOString(),
  };
}
