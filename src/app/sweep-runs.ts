/** `hostprocess sweep`: finds what runs have left behind and removes what is this machine's own. */
import { arrayAt, nameOf, namespaceOf, numberAt, recordAt, stringAt, type KubeObject } from '../domain/kubernetes/object.ts';
import { JOBS, NAMESPACES, PODS } from '../domain/kubernetes/resource.ts';
import type { Leftover } from '../domain/hostprocess/leftover.ts';
import { isBeingDeleted, judgeLeftover, RUN_SELECTOR } from '../domain/hostprocess/sweep-judgement.ts';
import { ClusterError, InputError } from '../errors.ts';
import type { ClusterReader, ClusterWriter, LocalRun, LocalRuns, SourceDescription } from './ports.ts';

export interface SweepOptions {
  /** Where to look. */
  readonly namespaces: readonly string[] | 'all';
  /** Also in the namespaces of this machine's records. */
  readonly withRecorded: boolean;
  /** Only these runs, also those that are under way; empty for all that are not. */
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
  readonly clock: { now(): Date; sleep(milliseconds: number, signal: AbortSignal): Promise<void> };
}

/** pending: it would be removed, and is not yet. ending: the API server removes it already, and its node may not answer. */
export type SweepResult = 'removed' | 'pending' | 'ending' | 'left' | 'failed';

export interface SweepItem extends Leftover {
  readonly result: SweepResult;
  /** Why it is left, or why it could not be removed; without a full stop. */
  readonly message: string | null;
}

export interface SweepReport {
  readonly source: SourceDescription;
  readonly items: readonly SweepItem[];
  /** Records that were removed, as nothing of their runs is left. */
  readonly forgotten: readonly string[];
  readonly notes: readonly string[];
}

const REQUESTS_AT_ONCE = 8;
const ATTEMPTS = 5;
/** After a request that was shed or lost; then twice as long. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_SECONDS = 30;
/** What passes by itself. */
const PASSING: ReadonlySet<string> = new Set(['Unreachable', 'ConnectionLost', 'DeadlineExceeded', 'TooManyRequests', 'ServiceUnavailable', 'InternalError', 'Timeout', 'ServerTimeout']);

const SELECTOR = Object.entries(RUN_SELECTOR).map(([key, value]) => `${key}=${value}`).join(',');

/**
 * Throws ClusterError where nothing could be looked at. `onReport` is called once, with what is done until then, also where the signal or an
 * error ends it in the middle of the work.
 */
export async function sweepRuns(options: SweepOptions, cluster: SweepCluster, onReport: (report: SweepReport) => void): Promise<void> {
  const { reader, records } = cluster;
  const { signal, runs } = options;
  const notes: string[] = [];
  const { own, others } = await recordsOfCluster(reader, await records.all(), signal);
  if (others > 0) notes.push(`${others === 1 ? 'a record' : `${others} records`} of runs in other clusters: sweep looks at one cluster at a time (--context)`);
  const objects = await findObjects(options, own, reader, notes);
  const known = new Map(own.map((record) => [record.run, record]));
  const found = [...objects.values()].flatMap((object): readonly Found[] => {
    const leftover = judgeLeftover(object, own);
    // the pod of a Job goes with it
    if (leftover === null || ownersOf(object).some((uid) => objects.has(uid))) return [];
    return runs.length > 0 && !runs.includes(leftover.run) ? [] : [{ object, leftover, ...planned(leftover, object, known.get(leftover.run), options) }];
  }).toSorted((a, b) => order(a.leftover).localeCompare(order(b.leftover)));
  const items = new Map<string, SweepItem>(found.map(({ leftover, result, message }) => [leftover.uid, { ...leftover, result, message }]));
  const forgotten: string[] = [];
  try {
    if (options.isDryRun) return;
    const toRemove = found.filter(({ result }) => result === 'pending');
    const foreign = toRemove.filter(({ leftover }) => leftover.judgement === 'others');
    const mayRemoveOthers = foreign.length === 0 || await options.confirm(foreign.map(({ leftover }) => leftover));
    for (let start = 0; start < toRemove.length; start += REQUESTS_AT_ONCE) {
      await Promise.all(toRemove.slice(start, start + REQUESTS_AT_ONCE).map(async ({ object, leftover }) => {
        if (leftover.judgement === 'others' && !mayRemoveOthers) items.set(leftover.uid, { ...leftover, result: 'left', message: 'the question was not answered with yes' });
        else items.set(leftover.uid, { ...leftover, ...await remove(object, leftover, podsOf(leftover, objects), cluster, signal) });
      }));
    }
    for (const { run, isUnderWay } of own) {
      const isLeft = [...items.values()].some((item) => item.run === run && item.judgement === 'own' && item.result !== 'removed');
      if (isLeft || (isUnderWay === true && !runs.includes(run)) || (runs.length > 0 && !runs.includes(run)) || !await isGone(run, own, items, objects, reader, options)) continue;
      try {
        await records.end(run);
        forgotten.push(run);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        notes.push(error.message);
      }
    }
  } finally {
    onReport({ source: reader.description, items: [...items.values()], forgotten, notes });
  }
}

interface Found {
  readonly object: KubeObject;
  readonly leftover: Leftover;
  readonly result: SweepResult;
  readonly message: string | null;
}
