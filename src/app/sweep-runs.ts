/** `hostprocess sweep`: finds what runs have left behind and removes what is this machine's own. */
import { arrayAt, nameOf, namespaceOf, stringAt, type KubeObject } from '../domain/kubernetes/object.ts';
import { JOBS, NAMESPACES, PODS, type Resource } from '../domain/kubernetes/resource.ts';
import type { Leftover } from '../domain/hostprocess/leftover.ts';
import { isBeingDeleted, judgeLeftover, RUN_SELECTOR } from '../domain/hostprocess/sweep-judgement.ts';
import { ClusterError, InputError } from '../errors.ts';
import type { ClusterReader, ClusterWriter, LocalRun, LocalRuns, SourceDescription } from './ports.ts';
import { aFewAtATime, patiently } from './runs/patience.ts';
import type { RunClock } from './runs/run-clock.ts';

export interface SweepOptions {
  /** Where to look. */
  readonly namespaces: readonly string[] | 'all';
  /** Also in the namespaces of this machine's records. */
  readonly withRecorded: boolean;
  /** Only these runs, also those that are under way or kept; empty for all that are not. */
  readonly runs: readonly string[];
  /** Also what is made as its own and is not on record. */
  readonly allRuns: boolean;
  /** Finds and says what would be removed. */
  readonly isDryRun: boolean;
  /** Asked before anything is removed where others' are to be; false leaves those. */
  readonly confirm: (others: readonly Leftover[]) => Promise<boolean>;
  readonly signal: AbortSignal;
}

export interface SweepCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly records: LocalRuns;
  readonly clock: RunClock;
}

/** pending: it would be removed, and is not yet. ending: the API server removes it already, and its node has not confirmed that. */
export type SweepResult = 'removed' | 'pending' | 'ending' | 'left' | 'failed';

export interface SweepItem extends Leftover {
  readonly result: SweepResult;
  /** Why it is not removed; without a full stop. */
  readonly message: string | null;
}

export interface SweepReport {
  readonly source: SourceDescription;
  readonly items: readonly SweepItem[];
  /** Runs whose records were removed, as nothing of them is left. */
  readonly forgotten: readonly string[];
  /** false where something could not be looked at: a run that was not found may be there. */
  readonly hasSeenAll: boolean;
  /** Why objects are still there. */
  readonly refusals: readonly ClusterError[];
  readonly notes: readonly string[];
}

/** How long a kubelet gets to end a pod before it is said that it has not. */
const CONFIRMATION_MS = 15_000;
const LOOK_AGAIN_MS = 1_000;

const SELECTOR = Object.entries(RUN_SELECTOR).map(([key, value]) => `${key}=${value}`).join(',');
const RESOURCES: Readonly<Record<Leftover['resource'], Resource>> = { jobs: JOBS, pods: PODS };

/**
 * Throws ClusterError where nothing could be looked at. `onReport` is called once, with what is done until then, also where the signal or an
 * error ends it in the middle of the work.
 */
export async function sweepRuns(options: SweepOptions, cluster: SweepCluster, onReport: (report: SweepReport) => void): Promise<void> {
  const sweep = new Sweep(options, cluster);
  await sweep.find();
  try {
    if (!options.isDryRun) await sweep.remove();
  } finally {
    onReport(sweep.report());
  }
}

interface Found {
  readonly object: KubeObject;
  readonly leftover: Leftover;
}

class Sweep {
  readonly #options: SweepOptions;
  readonly #cluster: SweepCluster;
  /** Of this cluster. */
  #records: readonly LocalRun[] = [];
  /** By UID: all that was listed, and what is on record. */
  readonly #objects = new Map<string, KubeObject>();
  /** By UID, in the order they are shown in. */
  readonly #items = new Map<string, SweepItem>();
  readonly #found: Found[] = [];
  /** Namespaces whose pods may not be listed. */
  readonly #blind = new Set<string>();
  /** Runs that may be of another cluster. */
  readonly #elsewhere = new Set<string>();
  /** Runs of which an object could not be asked for. */
  readonly #unsure = new Set<string>();
  readonly #forgotten: string[] = [];
  readonly #refusals: ClusterError[] = [];
  readonly #notes: string[] = [];
  #hasSeenAll = true;

  constructor(options: SweepOptions, cluster: SweepCluster) {
    this.#options = options;
    this.#cluster = cluster;
  }

  async find(): Promise<void> {
    await this.#takeRecords(await this.#cluster.records.all());
    await this.#list();
    await this.#askForRecorded();
    // no other cluster has an object of that UID
    for (const { run, objects } of this.#records) if (objects.some(({ uid }) => uid !== null && this.#objects.has(uid))) this.#elsewhere.delete(run);
    for (const object of this.#objects.values()) {
      const leftover = judgeLeftover(object, this.#records);
      // the pod of a Job goes with it
      if (leftover === null || ownersOf(object).some((uid) => this.#objects.has(uid)) || !this.#isMeant(leftover.run)) continue;
      this.#found.push({ object, leftover });
    }
    this.#found.sort((a, b) => orderOf(a.leftover).localeCompare(orderOf(b.leftover)));
    for (const { object, leftover } of this.#found) this.#items.set(leftover.uid, { ...leftover, ...this.#planned(object, leftover) });
  }

  async remove(): Promise<void> {
    const toRemove = this.#found.filter(({ leftover }) => this.#items.get(leftover.uid)?.result === 'pending');
    const others = toRemove.flatMap(({ leftover }) => (leftover.judgement === 'own' ? [] : [leftover]));
    const isConfirmed = others.length === 0 || await this.#options.confirm(others);
    for (const leftover of isConfirmed ? [] : others) this.#items.set(leftover.uid, { ...leftover, result: 'left', message: 'the question was not answered with yes' });
    const deleted: Found[] = [];
    await aFewAtATime(toRemove.filter(({ leftover }) => isConfirmed || leftover.judgement === 'own'), async (one) => {
      if (await this.#delete(one.leftover)) deleted.push(one);
    });
    await this.#awaitEnds(deleted);
    for (const record of this.#records) await this.#forget(record);
  }

  report(): SweepReport {
    return { source: this.#cluster.reader.description, items: [...this.#items.values()], forgotten: this.#forgotten, hasSeenAll: this.#hasSeenAll, refusals: this.#refusals, notes: this.#notes };
  }

  #isMeant(run: string): boolean {
    return this.#options.runs.length === 0 || this.#options.runs.includes(run);
  }

  /** Those of this cluster, and those of which that is not known: a UID is proof in any of them. */
  async #takeRecords(all: readonly LocalRun[]): Promise<void> {
    const { reader } = this.#cluster;
    let cluster: string | null = null;
    try {
      cluster = all.length === 0 ? null : stringAt(await this.#patiently(() => reader.get(NAMESPACES, 'kube-system', { signal: this.#options.signal })), 'metadata', 'uid') ?? null;
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
    const isHere = (record: LocalRun): boolean => cluster === null || record.cluster === null || record.cluster === cluster;
    this.#records = all.filter(isHere);
    for (const record of this.#records) if (cluster === null || record.cluster === null) this.#elsewhere.add(record.run);
    const elsewhere = all.length - this.#records.length;
    if (elsewhere > 0) this.#notes.push(`${elsewhere === 1 ? 'a record is' : `${elsewhere} records are`} of runs in other clusters: sweep looks at one at a time (--context)`);
  }

  /** The namespaces to look in; undefined for all at once. */
  #namespaces(): readonly (string | undefined)[] {
    const { namespaces, withRecorded } = this.#options;
    return namespaces === 'all' ? [undefined] : [...new Set([...namespaces, ...(withRecorded ? this.#records.map(({ namespace }) => namespace) : [])])];
  }

  async #list(): Promise<void> {
    const errors: ClusterError[] = [];
    const places = this.#namespaces().flatMap((namespace) => [{ resource: JOBS, namespace }, { resource: PODS, namespace }]);
    await aFewAtATime(places, async ({ resource, namespace }) => {
      try {
        for (const object of await this.#patiently(() => this.#listed(resource, namespace))) this.#take(object);
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        errors.push(error);
        if (resource === PODS) this.#blind.add(namespace ?? '');
      }
    });
    if (errors.length === 0) return;
    this.#hasSeenAll = false;
    if (errors.length === places.length && errors[0] !== undefined) throw errors[0];
    for (const message of new Set(errors.map((error) => error.message))) this.#notes.push(`not looked at: ${message}`);
  }

  async #listed(resource: Resource, namespace: string | undefined): Promise<readonly KubeObject[]> {
    let objects: KubeObject[] = [];
    for await (const page of this.#cluster.reader.list(resource, { namespace, labelSelector: SELECTOR, signal: this.#options.signal })) {
      objects = page.restarted === true ? [...page.items] : [...objects, ...page.items];
    }
    return objects;
  }

  /** Labels can be taken away from an object, its UID cannot. */
  async #askForRecorded(): Promise<void> {
    const wanted = this.#records.filter((record) => this.#isMeant(record.run) && this.#isLookedAt(record.namespace)).flatMap((record) => record.objects.map((object) => ({ ...object, record })));
    const listed = new Set([...this.#objects.values()].map((object) => `${object.kind === 'Job' ? 'jobs' : 'pods'} ${namespaceOf(object)}/${nameOf(object)}`));
    await aFewAtATime(wanted.filter(({ resource, name, record }) => !listed.has(`${resource} ${record.namespace}/${name}`)), async ({ resource, name, record }) => {
      try {
        const object = await this.#patiently(() => this.#cluster.reader.get(RESOURCES[resource], name, { namespace: record.namespace, signal: this.#options.signal }));
        this.#take({ ...object, kind: RESOURCES[resource].kind });
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        if (error.reason === 'NotFound') return;
        this.#unsure.add(record.run);
        this.#hasSeenAll = false;
        if (!this.#notes.includes(`not looked at: ${error.message}`)) this.#notes.push(`not looked at: ${error.message}`);
      }
    });
  }

  #isLookedAt(namespace: string): boolean {
    return this.#namespaces().some((one) => one === undefined || one === namespace);
  }

  #take(object: KubeObject): void {
    const uid = stringAt(object, 'metadata', 'uid') ?? '';
    if (uid !== '') this.#objects.set(uid, object);
  }

  #planned(object: KubeObject, { judgement, run, because, isAlive }: Leftover): Pick<SweepItem, 'result' | 'message'> {
    const isNamed = this.#options.runs.includes(run);
    const record = this.#records.find((one) => one.run === run);
    if (judgement === 'forged') return { result: 'left', message: because };
    if (judgement === 'others' && !this.#options.allRuns) return { result: 'left', message: `${because}: --all-runs removes it` };
    if (judgement === 'own' && !isNamed && record?.isUnderWay === true) return { result: 'left', message: `${atWork(record)}: kubectl win hostprocess sweep ${run} removes it all the same` };
    if (judgement === 'own' && !isNamed && record?.isKept === true && isAlive) return { result: 'left', message: `it is kept for --reuse: kubectl win hostprocess sweep ${run} removes it all the same` };
    if (isBeingDeleted(object)) return { result: 'ending', message: 'the API server removes it already' };
    return { result: 'pending', message: null };
  }

  async #delete(leftover: Leftover): Promise<boolean> {
    const { resource, namespace, name, uid, run } = leftover;
    try {
      await this.#patiently(() => this.#cluster.writer.delete(RESOURCES[resource], name, { namespace, uid, signal: this.#options.signal }));
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#refusals.push(new ClusterError(`${resource} "${name}" of the run ${run} in ${namespace} is not deleted: ${error.message}`, {
        reason: error.reason, ...(error.status === null ? {} : { status: error.status }), suggestions: error.suggestions, cause: error,
      }));
      this.#items.set(uid, { ...leftover, result: 'failed', message: error.message });
      return false;
    }
    this.#items.set(uid, { ...leftover, result: 'ending', message: 'it is deleted, and its node has not confirmed that its processes have ended' });
    return true;
  }

  /** What had rights on a node has ended when its kubelet says so, and then the pod is gone. */
  async #awaitEnds(deleted: readonly Found[]): Promise<void> {
    const { clock } = this.#cluster;
    const until = clock.now().getTime() + CONFIRMATION_MS;
    let waiting = deleted.map(({ object, leftover }) => ({ leftover, pods: leftover.resource === 'pods' ? [object] : [...this.#objects.values()].filter((one) => ownersOf(one).includes(leftover.uid)) }));
    for (;;) {
      const there = new Set<string>();
      await aFewAtATime(waiting, async ({ leftover, pods }) => {
        // pods that may not be listed may be there
        const states = pods.length === 0 && this.#isBlindIn(leftover.namespace) ? ['unknown' as const] : await Promise.all(pods.map((pod) => this.#stateOf(pod)));
        if (states.every((state) => state === 'gone')) this.#items.set(leftover.uid, { ...leftover, result: 'removed', message: null });
        else if (states.includes('there')) there.add(leftover.uid);
        else this.#items.set(leftover.uid, { ...leftover, result: 'ending', message: 'it is deleted; whether its processes have ended could not be asked for' });
      });
      waiting = waiting.filter(({ leftover }) => there.has(leftover.uid));
      if (waiting.length === 0 || clock.now().getTime() >= until) return;
      await clock.sleep(LOOK_AGAIN_MS, this.#options.signal);
    }
  }

  #isBlindIn(namespace: string): boolean {
    return this.#blind.has(namespace) || this.#blind.has('');
  }

  async #stateOf(pod: KubeObject): Promise<'there' | 'gone' | 'unknown'> {
    try {
      const now = await this.#patiently(() => this.#cluster.reader.get(PODS, nameOf(pod), { namespace: namespaceOf(pod), signal: this.#options.signal }));
      return stringAt(now, 'metadata', 'uid') === stringAt(pod, 'metadata', 'uid') ? 'there' : 'gone';
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return error.reason === 'NotFound' ? 'gone' : 'unknown';
    }
  }

  /** The record of a run of which nothing is left. */
  async #forget(record: LocalRun): Promise<void> {
    const { run, namespace, isUnderWay, until, context } = record;
    if (!this.#isMeant(run) || !this.#isLookedAt(namespace) || (isUnderWay === true && !this.#options.runs.includes(run))) return;
    // one that may be of another cluster, or could not be looked at, goes when the cluster has removed all by itself
    const mayBeThere = this.#elsewhere.has(run) || this.#unsure.has(run);
    if (mayBeThere && this.#cluster.clock.now().getTime() < Date.parse(until)) return;
    if (this.#elsewhere.has(run) && context !== this.#cluster.reader.description.context) return;
    if ([...this.#items.values()].some((item) => item.run === run && item.judgement === 'own' && item.result !== 'removed')) return;
    try {
      await this.#cluster.records.end(run);
      this.#forgotten.push(run);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#notes.push(error.message);
    }
  }

  #patiently<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    return patiently(request, { clock: this.#cluster.clock, signal: this.#options.signal });
  }
}

function atWork({ processId }: LocalRun): string {
  return `its program is still at work (${processId === undefined ? 'on another machine' : `process ${processId} on this machine`})`;
}

function ownersOf(object: KubeObject): readonly string[] {
  return arrayAt(object, 'metadata', 'ownerReferences').flatMap((owner) => stringAt(owner, 'uid') ?? []);
}

/** Own ones first, then by run. */
function orderOf({ judgement, namespace, run, name }: Leftover): string {
  return [['own', 'others', 'forged'].indexOf(judgement), run, namespace, name].join(' ');
}
