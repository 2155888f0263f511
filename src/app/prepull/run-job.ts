/** The Job that stands for a run while its program lives: begun, kept alive, written on, and left behind or removed. */
import { durationText } from '../../domain/duration-text.ts';
import { arrayAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS } from '../../domain/kubernetes/resource.ts';
import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { DEADLINE_MARGIN_SECONDS, deadlineSeconds, RECORD_ANNOTATION, RECORD_TTL_SECONDS, runJob, runJobName, type RunOptions, type RunOwner } from '../../domain/prepull/run-objects.ts';
import { RECORD_LIMIT_BYTES } from '../../domain/prepull/run-record.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { createOnce } from '../runs/create-once.ts';
import { patiently } from '../runs/patience.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { RunLedger } from './run-ledger.ts';

export interface RunJobOptions extends RunOptions {
  readonly signal: AbortSignal;
  /** Of requests that create something: what they made has to be known. */
  readonly creating: AbortSignal;
}

export interface RunJobCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

/** What was done is written down at most so often; a record that fills its annotation, more seldom; one that is refused, to see whether it still is. */
const RECORD_EVERY_MS = 250;
const FULL_RECORD_EVERY_MS = 2_000;
const REFUSED_RECORD_EVERY_MS = 30_000;
/** The deadline is moved so often, and always long before it ends. */
const EXTEND_EVERY_SECONDS = 30;
/** Pods that hold have ended by themselves so long before the run's own Job does. */
const HOLD_MARGIN_SECONDS = 30;
/** Of the time to clean up, for the record: that pulls end matters more. */
const LAST_RECORD_MS = 5_000;

export class RunJob {
  readonly #options: RunJobOptions;
  readonly #cluster: RunJobCluster;
  readonly #ledger: RunLedger;
  readonly #say: (event: PrepullEvent) => void;
  #owner: RunOwner | null = null;
  #mayExist = false;
  #isRemoved = false;
  #deadlineSetAt = 0;
  #deadlineTriedAt = 0;
  #recordTriedAt = 0;
  #recordBytes = 0;
  #isDue = false;
  #isRefused = false;

  constructor(options: RunJobOptions, cluster: RunJobCluster, ledger: RunLedger, say: (event: PrepullEvent) => void) {
    this.#options = options;
    this.#cluster = cluster;
    this.#ledger = ledger;
    this.#say = say;
  }

  /** Throws before `begin`. */
  get owner(): RunOwner {
    if (this.#owner === null) throw new Error('the run has not begun');
    return this.#owner;
  }

  /** Whether somebody else has removed it. */
  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  #now(): number {
    return this.#cluster.clock.now().getTime();
  }

  async begin(): Promise<void> {
    const { run, namespace, signal, creating } = this.#options;
    signal.throwIfAborted();
    const record = this.#ledger.record('running');
    this.#mayExist = true;
    try {
      const { object } = await createOnce(JOBS, runJob(this.#options, record), (found) => stringAt(found, 'metadata', 'annotations', RECORD_ANNOTATION) === record, this.#cluster, { namespace, signal, creating });
      this.#owner = ownerOf(object, runJobName(run));
    } catch (error) {
      // somebody else's
      if (error instanceof ClusterError && error.reason === 'AlreadyExists') this.#mayExist = false;
      throw error;
    }
    this.#deadlineSetAt = this.#now();
    this.#deadlineTriedAt = this.#deadlineSetAt;
    signal.throwIfAborted();
  }

  /**
   * It must outlive the pulls and the pauses between them, and this program by no more than that: nobody else ends it.
   * Throws where it is gone.
   */
  async extendDeadline(): Promise<void> {
    const now = this.#now();
    const every = Math.min(EXTEND_EVERY_SECONDS, (this.#options.marginSeconds ?? DEADLINE_MARGIN_SECONDS) / 4);
    if (now - this.#deadlineSetAt < every * 1000 || now - this.#deadlineTriedAt < every * 1000) return;
    this.#deadlineTriedAt = now;
    try {
      const job = await this.#merge({ spec: { activeDeadlineSeconds: this.#ageSeconds() + deadlineSeconds(this.#options) } }, this.#options.signal);
      const hasEnded = arrayAt(job, 'status', 'conditions').some((condition) => ['Failed', 'FailureTarget', 'Complete'].includes(stringAt(condition, 'type') ?? '') && stringAt(condition, 'status') === 'True');
      if (hasEnded) throw this.#removed('its deadline passed while this program stood still: a machine that slept');
      this.#deadlineSetAt = now;
    } catch (error) {
      if (!(error instanceof ClusterError) || this.#isRemoved || now - this.#deadlineSetAt > deadlineSeconds(this.#options) * 1000) throw error;
    }
  }

  #ageSeconds(): number {
    return Math.ceil((this.#now() - Date.parse(this.#ledger.startedAt)) / 1000);
  }

  /** Throws where it is gone: then somebody has cleaned up, and nothing is begun any more. */
  async requireThere(): Promise<void> {
    const { run, namespace, signal } = this.#options;
    try {
      const job = await this.#cluster.reader.get(JOBS, runJobName(run), { namespace, signal });
      if (ownerOf(job, '').uid === this.#owner?.uid && stringAt(job, 'metadata', 'deletionTimestamp') === undefined) return;
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'NotFound') {
        if (error instanceof ClusterError) return;
        throw error;
      }
    }
    throw this.#removed('somebody has cleaned up, or the namespace goes');
  }

  #removed(why: string): ClusterError {
    this.#isRemoved = true;
    return new ClusterError(`the run ${this.#options.run} was removed: ${why}`, { reason: 'NotFound', suggestions: ['run it again: what has been pulled is not pulled twice'] });
  }

  /** Of this very Job, and of no namesake. Throws `removed` where it is gone. */
  async #merge(patch: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<KubeObject> {
    const { name, uid } = this.owner;
    const metadata = patch['metadata'];
    try {
      return await this.#cluster.writer.merge(JOBS, name, { ...patch, metadata: { ...(typeof metadata === 'object' ? metadata : {}), uid } }, { namespace: this.#options.namespace, signal });
    } catch (error) {
      if (error instanceof ClusterError && (error.reason === 'NotFound' || (error.reason === 'Conflict' && /uid/i.test(error.message)))) throw this.#removed('somebody has cleaned up, or the namespace goes');
      throw error;
    }
  }

  /** What is done has changed. */
  changed(): void {
    this.#isDue = true;
  }

  /** Whether something that is done is not on record yet and can be. */
  get isBehind(): boolean {
    return this.#isDue && !this.#isRefused;
  }

  async writeWhatIsDue(): Promise<void> {
    const pause = this.#isRefused ? REFUSED_RECORD_EVERY_MS : RECORD_EVERY_MS + (FULL_RECORD_EVERY_MS - RECORD_EVERY_MS) * (this.#recordBytes / RECORD_LIMIT_BYTES);
    if (!this.#isDue || this.#now() - this.#recordTriedAt < pause) return;
    this.#recordTriedAt = this.#now();
    const record = this.#ledger.record('running');
    this.#recordBytes = record.length;
    try {
      await this.#merge(annotated(record), this.#options.signal);
      this.#isDue = false;
      this.#isRefused = false;
    } catch (error) {
      if (!(error instanceof ClusterError) || this.#isRemoved) throw error;
      // Written with the next one, and the Jobs of what is not written down stay until then; but what is refused is refused every time.
      if (!isRefusal(error)) return;
      if (!this.#isRefused) this.#say(unwritten(error.message));
      this.#isRefused = true;
    }
  }

  /** Looks for it where it was made and its answer did not come. false where there is none. */
  async find(signal: AbortSignal): Promise<boolean> {
    if (this.#owner !== null) return true;
    if (!this.#mayExist) return false;
    const { namespace, run } = this.#options;
    try {
      const job = await this.#cluster.reader.get(JOBS, runJobName(run), { namespace, signal });
      if (stringAt(job, 'metadata', 'annotations', RECORD_ANNOTATION) !== this.#ledger.record('running')) return false;
      this.#owner = ownerOf(job, runJobName(run));
      return true;
    } catch (error) {
      if (error instanceof ClusterError) return false;
      throw error;
    }
  }

  async remove(signal: AbortSignal): Promise<void> {
    const { name, uid } = this.owner;
    await this.#patiently(signal, () => this.#cluster.writer.delete(JOBS, name, { namespace: this.#options.namespace, uid, signal }));
  }

  /** With what is done, to be taken up by another run. That it cannot be written down is told, and stops nothing. */
  async leaveInterrupted(signal: AbortSignal): Promise<void> {
    const own = AbortSignal.any([signal, AbortSignal.timeout(LAST_RECORD_MS)]);
    try {
      await this.#patiently(own, () => this.#merge(annotated(this.#ledger.record('interrupted')), own));
    } catch (error) {
      if (!(error instanceof ClusterError) && !own.aborted) throw error;
      if (!this.#isRemoved) this.#say(unwritten(error instanceof ClusterError ? error.message : 'the API server does not answer'));
    }
  }

  /** It stays as long as the pods that hold, which go with it. */
  async leaveHolding(held: number, signal: AbortSignal): Promise<void> {
    const { run, namespace, holdSeconds = 0 } = this.#options;
    const spec = { activeDeadlineSeconds: this.#ageSeconds() + holdSeconds + HOLD_MARGIN_SECONDS };
    try {
      await this.#patiently(signal, () => this.#merge({ ...annotated(this.#ledger.record(this.#ledger.hasFailures ? 'failed' : 'succeeded')), spec }, signal));
    } catch (error) {
      if (!(error instanceof ClusterError) || this.#isRemoved || !isRefusal(error)) throw error;
      this.#say(unwritten(error.message));
      await this.#patiently(signal, () => this.#merge({ spec }, signal));
    }
    this.#say({ type: 'note', message: `${held === 1 ? `1 pod of the run ${run} in ${namespace} holds` : `${held} pods of the run ${run} in ${namespace} hold`} images for ${durationText(holdSeconds)}, and ${held === 1 ? 'goes by itself' : 'go by themselves'}; at once: kubectl win prepull cleanup ${run} -n ${namespace}` });
  }

  #patiently(signal: AbortSignal, request: () => Promise<unknown>): Promise<unknown> {
    return patiently(request, { clock: this.#cluster.clock, signal });
  }

  /** What is said where it could not be left as it should be. */
  notCleanedUp(why: string): PrepullEvent {
    const { run, namespace, recordTtlSeconds = RECORD_TTL_SECONDS } = this.#options;
    const longest = durationText(deadlineSeconds(this.#options) + recordTtlSeconds);
    return { type: 'note', message: `the run ${run} could not be cleaned up (${why}); the cluster does so by itself within ${longest}, and kubectl win prepull cleanup ${run} -n ${namespace} at once` };
  }
}

export function ownerOf(job: KubeObject, name: string): RunOwner {
  return { name, uid: stringAt(job, 'metadata', 'uid') ?? '' };
}

function annotated(record: string): { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } } {
  return { metadata: { annotations: { [RECORD_ANNOTATION]: record } } };
}

function isRefusal(error: ClusterError): boolean {
  return !error.isPassing && error.reason !== 'Conflict';
}

function unwritten(why: string): PrepullEvent {
  return { type: 'note', message: `what is done cannot be written down (${why}): a run after this one may pull it again` };
}
