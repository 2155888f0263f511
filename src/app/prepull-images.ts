/** `kubectl win prepull`: plans, looks beforehand whether it can work, runs, and reports. */
import type { PrepullEvent } from '../domain/prepull/prepull-event.ts';
import { ClusterError, UsageError } from '../errors.ts';
import type { ClusterReader, ClusterWriter, ManifestSource } from './ports.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import { parseLabelSelector } from '../domain/kubernetes/selector.ts';
import { detachedObjects, detachedOptions } from '../domain/prepull/detached-run.ts';
import { keepWarmDaemonSets, planKeepWarm, type WarmPlan } from '../domain/prepull/keep-warm.ts';
import { IMAGE_PULL_JOBS, kruisePulls, kruiseWindow, type KruisePull } from '../domain/prepull/kruise-objects.ts';
import { isToPull, type PlanItem } from '../domain/prepull/prepull-plan.ts';
import { otherContentNotes } from '../domain/prepull/pulled-content.ts';
import type { Resource } from '../domain/kubernetes/resource.ts';
import { checkKruise, imagePullJobsOf, runKruise, withoutKruise } from './prepull/kruise-pulls.ts';
import { detachPulls, requireNoWindow } from './prepull/detach-pulls.ts';
import { checkKeepWarm, compareWithStanding, keepWarm } from './prepull/keep-warm.ts';
import { withNamedNamespaces } from './prepull/named-namespaces.ts';
import { requireNamespaceName } from './runs/namespace-name.ts';
import { findRuns, pulledBefore, type EarlierRun } from './prepull/earlier-runs.ts';
import { preparePlan, type PlanPrepullOptions, type PrepullPlan } from './prepull/plan-prepull.ts';
import { checkBeforehand } from './prepull/preflight.ts';
import { neverBegun, PrepullProgress, type PrepullPhase, type PrepullReport } from './prepull/prepull-report.ts';
import { identitiesOf } from './prepull/pull-identity.ts';
import { runPulls } from './prepull/run-pulls.ts';
import { copyNames, copyNotes, SecretCopies } from './prepull/secret-copies.ts';
import type { RunClock } from './runs/run-clock.ts';
import { deadlineSeconds, recordTtlSecondsOf, type RunOptions } from '../domain/prepull/run-objects.ts';
import type { SecretPlace } from '../domain/prepull/secret-copies.ts';
import { durationText } from '../domain/duration-text.ts';

export interface PrepullOptions extends Omit<PlanPrepullOptions, 'earlierPulls' | 'namespaceOf'> {
  readonly run: string;
  readonly origin: string;
  /** -n was typed: pulls run there, and not where the workloads of manifests will. */
  readonly isNamespaceGiven: boolean;
  readonly parallel: number;
  readonly retries: number;
  readonly timeoutSeconds: number;
  /** --service-account; null for that of the workloads, or the namespace's default. */
  readonly serviceAccount: string | null;
  /** --pull-secret; in addition to those of the workloads. */
  readonly pullSecrets: readonly string[];
  /** --pull-secret NAMESPACE/NAME: the run has copies of them. */
  readonly copiedSecrets?: readonly SecretPlace[];
  /** none: it is done. client: planned alone. server: planned, and every object shown to the API server. */
  readonly dryRun: 'none' | 'client' | 'server';
  /** To be said of what is asked for. */
  readonly notes?: readonly string[];
  /** All pulls are begun at once, and nobody follows them. */
  readonly isDetached?: boolean;
  /** What pulls: Jobs of this program, or OpenKruise. */
  readonly engine?: 'jobs' | 'kruise';
  /** Nodes that become Ready while it runs are pulled onto, too. */
  readonly watchesNodes?: boolean;
  /** DaemonSets that stand, in place of a run. */
  readonly isKeptWarm?: boolean;
  /** Of RunOptions. */
  readonly holdSeconds?: number;
  readonly marginSeconds?: number;
  readonly recordTtlSeconds?: number;
}

export interface PrepullCluster {
  readonly reader: ClusterReader;
  /** null for a recording: then there is a plan and no more. */
  readonly writer: ClusterWriter | null;
  readonly manifests: ManifestSource | null;
  readonly clock: RunClock;
}

export type PrepullStep = PrepullEvent | { readonly type: 'planned'; readonly plan: PrepullPlan; readonly options: RunOptions; /** What would be created, as somebody else may apply it. */ readonly objects: () => readonly KubeObject[] };

/** Yields what happens; `onReport` gets the report, also of a run that is interrupted. */
export async function* prepullImages(options: PrepullOptions, cluster: PrepullCluster, onReport: (report: PrepullReport) => void): AsyncGenerator<PrepullStep, void, undefined> {
  const { reader, writer, manifests, clock } = cluster;
  const { signal } = options;
  // A label, and part of the names of Jobs, which have 63 characters.
  if (!/^[a-z0-9]{1,20}$/.test(options.run)) throw new UsageError(`invalid name of a run "${options.run}": lower-case letters and digits, at most 20`);
  const holds = (options.holdSeconds ?? 0) > 0;
  const namespaceOf = (scope: PrepullPlan['scope']): string => (options.isNamespaceGiven ? options.namespace : scope?.namespace ?? options.namespace) ?? 'default';
  const earlierPulls = async (own: string): ReturnType<PlanPrepullOptions['earlierPulls']> => pulledBefore(writer === null ? [] : await earlierRuns(reader, own, signal), own);
  const read = await preparePlan({ ...options, isHeld: holds, areKeptInUse: holds || options.isKeptWarm === true, earlierPulls, namespaceOf }, { reader, manifests: manifests === null || options.isNamespaceGiven ? manifests : withNamedNamespaces(manifests) });
  const warm = options.isKeptWarm === true ? warmPlan(read, options) : null;
  const judged: PrepullPlan = { ...read, items: warm?.items ?? read.items, notes: [...options.notes ?? [], ...read.notes, ...warm?.notes ?? []] };
  const namespace = namespaceOf(judged.scope);
  requireNamespaceName(namespace);
  // names of service accounts and secrets mean nothing in another namespace
  const scope = judged.scope?.namespace === namespace ? judged.scope : null;
  const foreign = (options.copiedSecrets ?? []).filter((place) => place.namespace !== namespace);
  const { own, byImage, notes: unread } = await identitiesOf(judged.scopes, {
    namespace, serviceAccount: options.serviceAccount, pullSecrets: [...options.pullSecrets, ...(options.copiedSecrets ?? []).filter((place) => place.namespace === namespace).map(({ name }) => name), ...copyNames(foreign, options.run)], isShared: options.isKeptWarm === true || options.engine === 'kruise', mustNameSecrets: options.engine === 'kruise', signal,
  }, reader);
  const asked: RunOptions = {
    run: options.run, namespace, origin: options.origin, timeoutSeconds: options.timeoutSeconds,
    ...own, ...(byImage.size === 0 ? {} : { identities: byImage }), hostProcessImages: new Set(judged.items.filter(({ isolation }) => isolation === 'host-process').map(({ image }) => image)),
    ...(options.holdSeconds === undefined ? {} : { holdSeconds: options.holdSeconds }),
    ...(options.marginSeconds === undefined ? {} : { marginSeconds: options.marginSeconds }), ...(options.recordTtlSeconds === undefined ? {} : { recordTtlSeconds: options.recordTtlSeconds }),
  };
  const runOptions = options.isDetached === true && options.engine !== 'kruise' ? detachedOptions(asked, judged.items) : asked;
  const kruise = options.engine === 'kruise' ? await kruiseOf(judged.items, { ...asked, isDetached: options.isDetached === true, parallel: options.parallel, retries: options.retries }, options, reader) : null;
  const standing = warm === null ? null : keepWarmDaemonSets(warm.groups, runOptions);
  const plan: PrepullPlan = { ...judged, notes: [...judged.notes, ...unread, ...kruise?.notes ?? [], ...options.dryRun === 'none' ? [] : copyNotes(foreign, runOptions)] };
  yield { type: 'planned', plan, options: runOptions, objects: () => standing ?? kruise?.pulls.map(({ job }) => job) ?? detachedObjects(plan.items, asked, clock.now()) };
  const progress = new PrepullProgress(plan.items);
  const notes = [...plan.notes];
  if (plan.scope !== null && scope === null) {
    const message = `pulls run in ${namespace}, without the service account and pull secrets that the workloads have in ${plan.scope.namespace}`;
    notes.push(message);
    yield { type: 'note', message };
  }
  // the others remove what they have made
  const keepsRecord = standing === null && kruise === null && options.isDetached !== true;
  const report = (phase: PrepullPhase, run: string | null): void => onReport({ source: plan.source, serverVersion: plan.serverVersion, run, namespace: run === null ? null : namespace, phase, isOnRecord: phase === 'interrupted' && keepsRecord && progress.items.some(({ outcome }) => outcome !== null), items: phase === 'interrupted' ? progress.items.map(neverBegun) : progress.items, notes });
  // images that are there need to be kept, too
  const isNothingToDo = !(standing !== null && standing.length > 0 ? plan.items.length > 0 : plan.items.some(isToPull));
  if (options.dryRun === 'client' || isNothingToDo) {
    report(options.dryRun === 'client' ? 'planned' : plan.items.length > 0 && plan.items.every(({ action }) => action === 'skip') ? 'succeeded' : 'failed', null);
    return;
  }
  if (writer === null) throw new UsageError('an inventory can be planned for, and nothing be pulled onto its nodes', { suggestions: ['--dry-run=client shows the plan'] });
  const secrets = foreign.length === 0 ? null : new SecretCopies(foreign, runOptions, { reader, writer, clock });
  const parts: Parts = { plan, options, runOptions, secrets, reader, writer, clock };
  const difference = standing === null ? null : await compareWithStanding(standing, namespace, reader, signal);
  for (const message of difference?.notes ?? []) {
    notes.push(message);
    yield { type: 'note', message };
  }
  if (difference?.missing.length === 0) {
    report(options.dryRun === 'server' ? 'planned' : 'running', options.dryRun === 'server' ? null : difference.standsAs);
    return;
  }
  const way = difference !== null ? keptWarm(difference.missing, parts) : kruise !== null ? byKruise(kruise, parts) : options.isDetached === true ? detached(parts) : followed(parts);
  for (const message of await way.check()) {
    notes.push(message);
    yield { type: 'note', message };
  }
  if (options.dryRun === 'server') {
    report('planned', null);
    return;
  }
  let phase: PrepullPhase = 'interrupted';
  try {
    for await (const event of way.begin()) {
      progress.take(event);
      if (event.type === 'note') notes.push(event.message);
      yield event;
    }
    for (const message of otherContentNotes(progress.items)) {
      notes.push(message);
      yield { type: 'note', message };
    }
    phase = way.isLeft ? 'running' : progress.items.every(({ result }) => result === 'pulled' || result === 'present' || result === 'skipped') ? 'succeeded' : 'failed';
  } finally {
    report(phase, options.run);
  }
}

/** How pulls are done. */
interface Way {
  /** Throws where it could not work, before anything is created. Gives what is worth saying and stops nothing. */
  readonly check: () => Promise<readonly string[]>;
  readonly begin: () => AsyncIterable<PrepullEvent>;
  /** It goes on without this program. */
  readonly isLeft: boolean;
}

interface Parts {
  readonly plan: PrepullPlan;
  readonly options: PrepullOptions;
  readonly runOptions: RunOptions;
  readonly secrets: SecretCopies | null;
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
}

function keptWarm(standing: readonly KubeObject[], { plan: { items }, options: { run, parallel, signal }, runOptions: { namespace }, reader, writer }: Parts): Way {
  return {
    isLeft: true,
    check: async () => {
      requireNoWindow(items, parallel, '--keep-warm');
      await checkKeepWarm(standing, namespace, writer, signal);
      return [];
    },
    begin: () => keepWarm(standing, { run, namespace, items: items.length, signal }, { reader, writer }),
  };
}

function byKruise({ pulls, resource }: Kruise, { options: { run, isDetached = false, signal }, runOptions: { namespace }, reader, writer, clock }: Parts): Way {
  return {
    isLeft: isDetached,
    check: async () => {
      await checkKruise(pulls, resource, namespace, writer, signal);
      return [];
    },
    begin: () => runKruise(pulls, { run, namespace, isDetached, signal }, resource, { reader, writer, clock }),
  };
}

function detached({ plan: { items }, options: { parallel, signal }, runOptions, secrets, reader, writer, clock }: Parts): Way {
  return {
    isLeft: true,
    check: async () => {
      requireNoWindow(items, parallel, '--detach');
      await secrets?.check(signal);
      const { places, notes } = await checkBeforehand(items.filter(isToPull), runOptions, { reader, writer }, signal);
      requireRoom(places, toPullOf(items), runOptions.namespace);
      return secrets === null ? notes : [...notes, `the copies of pull secrets stay in ${runOptions.namespace} as long as the run's record, at most ${durationText(deadlineSeconds(runOptions) + recordTtlSecondsOf(runOptions))}: kubectl win prepull cleanup ${runOptions.run} -n ${runOptions.namespace} removes both`];
    },
    begin: () => detachPulls(items, { ...runOptions, ...countsOf(items), ...(secrets === null ? {} : { secrets }), parallel, signal }, { reader, writer, clock }),
  };
}

function followed({ plan: { items, planNode }, options, runOptions, secrets, reader, writer, clock }: Parts): Way {
  const { signal, retries } = options;
  let { parallel } = options;
  return {
    isLeft: false,
    check: async () => {
      await secrets?.check(signal);
      const { places, notes } = await checkBeforehand(items.filter(isToPull), runOptions, { reader, writer }, signal);
      if ((runOptions.holdSeconds ?? 0) > 0) requireRoom(places, toPullOf(items), runOptions.namespace);
      // One on each node at a time; nodes that come are more of them.
      const nodes = options.watchesNodes === true ? Number.POSITIVE_INFINITY : new Set(items.filter(isToPull).map(({ node }) => node)).size;
      if (places === null || places >= Math.min(nodes, parallel === 0 ? Number.POSITIVE_INFINITY : parallel)) return notes;
      parallel = places;
      return [...notes, `the quota of ${runOptions.namespace} leaves room for ${podsText(places)}: so many are pulled at a time`];
    },
    begin: () => runPulls(items, { ...runOptions, ...countsOf(items), parallel, retries, signal, ...(secrets === null ? {} : { secrets }), ...(options.watchesNodes === true ? { planNode } : {}) }, { reader, writer, clock }),
  };
}

function countsOf(items: readonly PlanItem[]): { readonly refused: number; readonly skipped: number } {
  return { refused: items.filter(({ action }) => action === 'refuse').length, skipped: items.filter(({ action }) => action === 'skip').length };
}

function toPullOf(items: readonly PlanItem[]): number {
  return items.filter(isToPull).length;
}

interface Kruise {
  readonly pulls: readonly KruisePull[];
  readonly resource: Resource;
  readonly notes: readonly string[];
}

/** Throws where the cluster has none; a plan alone needs none. */
async function kruiseOf(items: readonly PlanItem[], asked: Parameters<typeof kruisePulls>[1], { dryRun, signal }: PrepullOptions, reader: ClusterReader): Promise<Kruise> {
  const found = await imagePullJobsOf(reader, signal);
  if (found === null && dryRun !== 'client') throw withoutKruise();
  const resource = found ?? IMAGE_PULL_JOBS;
  const pulls = kruisePulls(items, asked, resource);
  const window = kruiseWindow(asked.parallel, pulls.length);
  return {
    pulls, resource, notes: pulls.length > 1 && window > 0 ? [`OpenKruise holds a window for each image: ${window} node${window === 1 ? '' : 's'} at a time for each of ${pulls.length} images, up to ${window * pulls.length} pulls (https://github.com/openkruise/kruise/issues/2208)`] : [],
  };
}

function warmPlan({ items, nodes }: PrepullPlan, { nodeSelector, pools, poolLabels }: PrepullOptions): WarmPlan {
  return planKeepWarm(items, nodes, { selector: nodeSelector === undefined ? [] : parseLabelSelector(nodeSelector), pools, poolLabels });
}

function podsText(count: number): string {
  return `${count} pod${count === 1 ? '' : 's'}`;
}

/** Of pods that will all be there at once. */
function requireRoom(places: number | null, needed: number, namespace: string): void {
  if (places === null || places >= needed) return;
  throw new ClusterError(`the quota of the namespace ${namespace} leaves room for ${podsText(places)}, and ${needed} would be there at once`, {
    reason: 'Forbidden', status: 403, suggestions: [`kubectl describe quota -n ${namespace} shows what is used; use another namespace (-n), or select fewer nodes`],
  });
}

/** What may not be read is as good as not there; what a run needs is asked for beforehand. */
async function earlierRuns(reader: ClusterReader, namespace: string, signal: AbortSignal): Promise<readonly EarlierRun[]> {
  try {
    return await findRuns(reader, namespace, signal);
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'Forbidden') return [];
    throw error;
  }
}
