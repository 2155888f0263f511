/** The Jobs of pulls: made, taken up where an answer was lost, and deleted. */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS, PODS } from '../../domain/kubernetes/resource.ts';
import { pullJob, type RunOptions, type RunOwner } from '../../domain/prepull/run-objects.ts';
import { ROLE_LABEL, RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { createOnce } from '../runs/create-once.ts';
import { aFewAtATime, patiently } from '../runs/patience.ts';
import { FIRST_BACKOFF_SECONDS } from './registry-pauses.ts';
import type { Pull } from './pull-window.ts';
import type { RunClock } from '../runs/run-clock.ts';
import { ownerOf } from './run-job.ts';

export interface PullJobsOptions extends RunOptions {
  readonly signal: AbortSignal;
  /** Of requests that create something: what they made has to be known. */
  readonly creating: AbortSignal;
}

export interface PullJobsCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

/** A Job that is to be deleted. */
interface Leaving {
  readonly job: RunOwner;
  /** What it did has to be written down first. */
  readonly isResult: boolean;
  notBefore: number;
}

export class PullJobs {
  readonly #options: PullJobsOptions;
  readonly #cluster: PullJobsCluster;
  readonly #leaving = new Map<string, Leaving>();

  constructor(options: PullJobsOptions, cluster: PullJobsCluster) {
    this.#options = options;
    this.#cluster = cluster;
  }

  /** `pods`: those that a Job has which is there already. */
  async create({ item: { node, image, reason }, index, attempt }: Pull, owner: RunOwner): Promise<{ readonly job: RunOwner; readonly pods: readonly KubeObject[] }> {
    const { namespace, signal, creating } = this.#options;
    const job = pullJob(this.#options, { index, attempt, node, image, isRefreshed: reason === 'TagMoved' }, owner);
    const made = await createOnce(JOBS, job, (found) => isOf(found, owner), this.#cluster, { namespace, signal, creating });
    return { job: ownerOf(made.object, nameOf(job)), pods: made.isFound ? await this.#podsOf(nameOf(job)) : [] };
  }

  async #podsOf(job: string): Promise<readonly KubeObject[]> {
    const { namespace, run, signal } = this.#options;
    const pods: KubeObject[] = [];
    for await (const { items } of this.#cluster.reader.list(PODS, { namespace, labelSelector: `${RUN_LABEL}=${run},batch.kubernetes.io/job-name=${job}`, signal })) pods.push(...items);
    return pods;
  }

  giveUp(job: RunOwner, isResult: boolean): void {
    this.#leaving.set(job.name, { job, isResult, notBefore: 0 });
  }

  /** `isBehind`: what is done is not on record yet; it is written down before its Job goes, so that no moment is without either. */
  async deleteWhatIsDue(isBehind: boolean, now: number): Promise<void> {
    const due = [...this.#leaving.values()].filter(({ isResult, notBefore }) => now >= notBefore && !(isResult && isBehind));
    await aFewAtATime(due, async (leaving) => {
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

  /** `running`: of pulls that are under way. `isAll`: also those that this program does not know of, because an answer was lost. */
  async deleteAll(running: readonly RunOwner[], owner: RunOwner, isAll: boolean, signal: AbortSignal): Promise<void> {
    const { namespace } = this.#options;
    const jobs = [...running, ...[...this.#leaving.values()].map(({ job }) => job), ...(isAll ? await this.#ofRun(owner, signal) : [])];
    await aFewAtATime([...new Map(jobs.map((job) => [job.uid, job])).values()], async (job) => {
      await patiently(() => this.#cluster.writer.delete(JOBS, job.name, { namespace, uid: job.uid, signal }), { clock: this.#cluster.clock, signal });
    });
  }

  async #ofRun(owner: RunOwner, signal: AbortSignal): Promise<readonly RunOwner[]> {
    const { namespace, run } = this.#options;
    const jobs: RunOwner[] = [];
    try {
      for await (const { items } of this.#cluster.reader.list(JOBS, { namespace, labelSelector: `${RUN_LABEL}=${run},${ROLE_LABEL}=pull`, signal })) {
        for (const job of items) if (isOf(job, owner)) jobs.push(ownerOf(job, nameOf(job)));
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    return jobs;
  }
}

function isOf(job: KubeObject, owner: RunOwner): boolean {
  return arrayAt(job, 'metadata', 'ownerReferences').some((one) => stringAt(one, 'uid') === owner.uid);
}
