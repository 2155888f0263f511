/** `prepull cleanup`: removes what is left of runs, as much of it as the cluster lets go. */
import { nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { DAEMON_SETS, JOBS, type Resource } from '../../domain/kubernetes/resource.ts';
import { ROLE_LABEL } from '../../domain/runs/run-labels.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { findRuns } from './earlier-runs.ts';
import { findStanding } from './keep-warm.ts';
import { findKruiseRuns } from './kruise-pulls.ts';
import { aFewAtATime, patiently } from '../runs/patience.ts';
import type { RunClock } from '../runs/run-clock.ts';

export interface RemovedRun {
  readonly run: string;
  readonly namespace: string;
  /** Deleted, that of the run included; or ImagePullJobs of OpenKruise. */
  readonly jobs: number;
  /** Of --keep-warm. */
  readonly daemonSets: number;
}

export interface CleanedUp {
  readonly removed: readonly RemovedRun[];
  /** Why objects are still there, or were not looked for. */
  readonly refusals: readonly ClusterError[];
  /** false where something could not be listed: a run that was not found may be there. */
  readonly hasSeenAll: boolean;
  readonly notes: readonly string[];
  /** What stopped it in the middle; null for nothing. */
  readonly stoppedBy: { readonly error: unknown } | null;
}

export interface CleanUpOptions {
  /** undefined for all. */
  readonly namespace: string | undefined;
  readonly runs: readonly string[] | 'all';
  readonly signal: AbortSignal;
}

export interface CleanUpCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: Pick<RunClock, 'sleep'>;
}

interface Target {
  readonly run: string;
  readonly namespace: string;
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** Throws nothing that the cluster does: what it refuses is told beside what is removed. */
export async function cleanUp(options: CleanUpOptions, cluster: CleanUpCluster): Promise<CleanedUp> {
  const cleaning = new CleaningUp(options, cluster);
  let stoppedBy: CleanedUp['stoppedBy'] = null;
  try {
    await cleaning.run();
  } catch (error) {
    stoppedBy = { error };
  }
  return { ...cleaning.outcome(), stoppedBy };
}

class CleaningUp {
  readonly #options: CleanUpOptions;
  readonly #cluster: CleanUpCluster;
  readonly #removed = new Map<string, { run: string; namespace: string; jobs: number; daemonSets: number }>();
  readonly #left = new Map<string, { readonly target: Target; readonly error: ClusterError }>();
  readonly #unlisted: ClusterError[] = [];
  readonly #notes: string[] = [];
  #isTried = false;

  constructor(options: CleanUpOptions, cluster: CleanUpCluster) {
    this.#options = options;
    this.#cluster = cluster;
  }

  async run(): Promise<void> {
    // Twice: a program that is still at it may have begun a pull meanwhile. It stops as soon as it sees that its run is gone.
    for (let round = 0; round < 2; round += 1) if (!(await this.#removeAll(await this.#found(() => this.#jobs())))) break;
    await this.#removeAll(await this.#found(() => this.#daemonSets()));
    await this.#removeAll(await this.#found(() => this.#imagePullJobs()));
  }

  outcome(): Omit<CleanedUp, 'stoppedBy'> {
    const groups = new Map<string, { readonly target: Target; readonly error: ClusterError; count: number }>();
    for (const { target, error } of this.#left.values()) {
      const key = `${target.resource.plural} ${target.namespace} ${target.run} ${error.reason}`;
      const group = groups.get(key) ?? { target, error, count: 0 };
      groups.set(key, group);
      group.count += 1;
    }
    const left = [...groups.values()].map(({ target: { resource, object, run, namespace }, error, count }) => new ClusterError(
      `${resource.plural} "${nameOf(object)}"${count === 1 ? '' : ` and ${count - 1} more`} of the run ${run} in ${namespace} ${count === 1 ? 'is' : 'are'} not deleted: ${error.message}`,
      { reason: error.reason, ...(error.status === null ? {} : { status: error.status }), suggestions: error.suggestions, cause: error },
    ));
    return { removed: [...this.#removed.values()], refusals: [...left, ...this.#unlisted], hasSeenAll: this.#unlisted.length === 0, notes: this.#notes };
  }

  /** The runs' own Jobs first, so that nothing more is begun; then their pulls, whether the garbage collector is quick or not. */
  async #jobs(): Promise<readonly Target[]> {
    const { namespace, signal } = this.#options;
    const found = (await findRuns(this.#cluster.reader, namespace, signal)).filter(({ run }) => this.#isMeant(run));
    const targets = (of: (run: (typeof found)[number]) => readonly KubeObject[]): readonly Target[] => found.flatMap((one) => of(one).map((object) => ({ run: one.run, namespace: one.namespace, resource: JOBS, object })));
    return [...targets(({ job }) => (job === null ? [] : [job])), ...targets(({ pulls }) => pulls)];
  }

  async #daemonSets(): Promise<readonly Target[]> {
    const standing = await findStanding(this.#cluster.reader, this.#options.namespace, this.#options.signal);
    if (standing === null) this.#notes.push('daemonsets may not be listed: what --keep-warm made is not looked at');
    return (standing ?? []).filter(({ run }) => this.#isMeant(run)).flatMap(({ run, namespace, daemonSets }) => daemonSets.map((object) => ({ run, namespace, resource: DAEMON_SETS, object })));
  }

  async #imagePullJobs(): Promise<readonly Target[]> {
    const runs = await findKruiseRuns(this.#cluster.reader, this.#options.namespace, this.#options.signal);
    return runs.filter(({ status: { run } }) => this.#isMeant(run)).flatMap(({ status: { run, namespace }, resource, jobs }) => jobs.map((object) => ({ run, namespace, resource, object })));
  }

  #isMeant(run: string): boolean {
    return this.#options.runs === 'all' || this.#options.runs.includes(run);
  }

  async #found(find: () => Promise<readonly Target[]>): Promise<readonly Target[]> {
    try {
      return await this.#patiently(find);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#unlisted.push(error);
      return [];
    }
  }

  /** true when there was something. */
  async #removeAll(targets: readonly Target[]): Promise<boolean> {
    // each run is named, also one whose objects are on their way out already
    for (const { run, namespace } of targets) this.#removed.set(`${namespace}/${run}`, this.#removed.get(`${namespace}/${run}`) ?? { run, namespace, jobs: 0, daemonSets: 0 });
    const waiting = targets.filter(({ object }) => stringAt(object, 'metadata', 'deletionTimestamp') === undefined);
    const isOwn = ({ object }: Target): boolean => stringAt(object, 'metadata', 'labels', ROLE_LABEL) === 'run';
    for (const some of [waiting.filter(isOwn), waiting.filter((target) => !isOwn(target))]) await aFewAtATime(some, (target) => this.#remove(target));
    return targets.length > 0;
  }

  async #remove(target: Target): Promise<void> {
    const { run, namespace, resource, object } = target;
    const key = `${resource.plural} ${namespace}/${nameOf(object)}`;
    try {
      await this.#patiently(() => this.#cluster.writer.delete(resource, nameOf(object), { namespace, uid: stringAt(object, 'metadata', 'uid') ?? '', signal: this.#options.signal }));
      this.#left.delete(key);
      const counts = this.#removed.get(`${namespace}/${run}`);
      if (counts !== undefined) counts[resource === DAEMON_SETS ? 'daemonSets' : 'jobs'] += 1;
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#left.set(key, { target, error });
    }
  }

  /** A server that did not come round once is asked once each for the rest, of which there may be thousands. */
  async #patiently<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    if (this.#isTried) return request();
    try {
      return await patiently(request, { clock: this.#cluster.clock, signal: this.#options.signal });
    } catch (error) {
      if (error instanceof ClusterError && error.isPassing) this.#isTried = true;
      throw error;
    }
  }
}
