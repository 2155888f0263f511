/** `kubectl win prepull`: plans, looks beforehand whether it can work, runs, and reports. */
import type { PrepullEvent } from '../domain/prepull/prepull-event.ts';
import { ClusterError, UsageError } from '../errors.ts';
import type { ClusterReader, ClusterWriter, ManifestSource } from './ports.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import { parseLabelSelector } from '../domain/kubernetes/selector.ts';
import { keepWarmDaemonSets, planKeepWarm, type WarmPlan } from '../domain/prepull/keep-warm.ts';
import { detachedOptions, detachPulls, requireNoWindow } from './prepull/detach-pulls.ts';
import { checkKeepWarm, keepWarm } from './prepull/keep-warm.ts';
import { findRuns, pulledBefore, type EarlierRun } from './prepull/earlier-runs.ts';
import { preparePlan, type PlanPrepullOptions, type PrepullPlan } from './prepull/plan-prepull.ts';
import { checkBeforehand } from './prepull/preflight.ts';
import { PrepullProgress, type PrepullPhase, type PrepullReport } from './prepull/prepull-report.ts';
import { runPulls, type RunClock } from './prepull/run-pulls.ts';
import type { RunOptions } from '../domain/prepull/run-objects.ts';

export interface PrepullOptions extends Omit<PlanPrepullOptions, 'pulledBefore'> {
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
  /** none: it is done. client: planned alone. server: planned, and every object shown to the API server. */
  readonly dryRun: 'none' | 'client' | 'server';
  /** To be said of what is asked for. */
  readonly notes?: readonly string[];
  /** All pulls are begun at once, and nobody follows them. */
  readonly isDetached?: boolean;
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

export type PrepullStep = PrepullEvent | { readonly type: 'planned'; readonly plan: PrepullPlan; readonly options: RunOptions; /** What would be created in place of a run; null for one. */ readonly standing: readonly KubeObject[] | null };

/** Yields what happens; `onReport` gets the report, also of a run that is interrupted. */
export async function* prepullImages(options: PrepullOptions, cluster: PrepullCluster, onReport: (report: PrepullReport) => void): AsyncGenerator<PrepullStep, void, undefined> {
  const { reader, writer, manifests, clock } = cluster;
  const { signal } = options;
  // A label, and part of the names of Jobs, which have 63 characters.
  if (!/^[a-z0-9]{1,20}$/.test(options.run)) throw new UsageError(`invalid name of a run "${options.run}": lower-case letters and digits, at most 20`);
  const holds = (options.holdSeconds ?? 0) > 0;
  const earlier = writer === null ? [] : await earlierRuns(reader, options.namespace ?? 'default', signal);
  const read = await preparePlan({ ...options, isHeld: holds, pulledBefore: pulledBefore(earlier) }, { reader, manifests });
  const warm = options.isKeptWarm === true ? warmPlan(read, options) : null;
  const plan: PrepullPlan = { ...read, items: warm?.items ?? read.items, notes: [...options.notes ?? [], ...read.notes, ...warm?.notes ?? []] };
  const namespace = (options.isNamespaceGiven ? options.namespace : plan.scope?.namespace ?? options.namespace) ?? 'default';
  // names of service accounts and secrets mean nothing in another namespace
  const scope = plan.scope?.namespace === namespace ? plan.scope : null;
  const asked: RunOptions = {
    run: options.run, namespace, origin: options.origin, timeoutSeconds: options.timeoutSeconds,
    serviceAccount: options.serviceAccount ?? scope?.serviceAccount ?? null,
    pullSecrets: [...new Set([...scope?.secretNames ?? [], ...options.pullSecrets])],
    ...(options.holdSeconds === undefined ? {} : { holdSeconds: options.holdSeconds }),
    ...(options.marginSeconds === undefined ? {} : { marginSeconds: options.marginSeconds }), ...(options.recordTtlSeconds === undefined ? {} : { recordTtlSeconds: options.recordTtlSeconds }),
  };
  const runOptions = options.isDetached === true ? detachedOptions(asked, plan.items) : asked;
  const standing = warm === null ? null : keepWarmDaemonSets(warm.groups, runOptions);
  yield { type: 'planned', plan, options: runOptions, standing };
  const progress = new PrepullProgress(plan.items);
  const notes = [...plan.notes];
  if (plan.scope !== null && scope === null) {
    const message = `pulls run in ${namespace}, without the service account and pull secrets that the workloads have in ${plan.scope.namespace}`;
    notes.push(message);
    yield { type: 'note', message };
  }
  const report = (phase: PrepullPhase, run: string | null): void => onReport({ source: plan.source, serverVersion: plan.serverVersion, run, namespace: run === null ? null : namespace, phase, items: progress.items, notes });
  // images that are there need to be kept, too
  const [first] = standing !== null && standing.length > 0 ? plan.items : plan.items.filter(({ action }) => action === 'pull' || action === 'unknown');
  if (options.dryRun === 'client' || first === undefined) {
    report(options.dryRun === 'client' ? 'planned' : plan.items.length > 0 && plan.items.every(({ action }) => action === 'skip') ? 'succeeded' : 'failed', null);
    return;
  }
  if (writer === null) throw new UsageError('an inventory can be planned for, and nothing be pulled onto its nodes', { suggestions: ['--dry-run=client shows the plan'] });
  if (standing !== null) {
    requireNoWindow(plan.items, options.parallel, '--keep-warm');
    await checkKeepWarm(standing, namespace, writer, signal);
    if (options.dryRun === 'server') report('planned', null);
    else {
      yield* keepWarm(standing, { run: options.run, namespace, items: plan.items.length, signal }, { reader, writer });
      report('running', options.run);
    }
    return;
  }
  if (options.isDetached === true) requireNoWindow(plan.items, options.parallel, '--detach');
  const { places, notes: said } = await checkBeforehand(first, runOptions, { reader, writer }, signal);
  for (const message of said) {
    notes.push(message);
    yield { type: 'note', message };
  }
  if (options.dryRun === 'server') {
    report('planned', null);
    return;
  }
  const count = (action: string): number => plan.items.filter((item) => item.action === action).length;
  const toPull = count('pull') + count('unknown');
  const counts = { refused: count('refuse'), skipped: count('skip') };
  if (options.isDetached === true || holds) requireRoom(places, toPull, namespace);
  if (options.isDetached === true) {
    let phase: PrepullPhase = 'interrupted';
    try {
      for await (const event of detachPulls(plan.items, { ...runOptions, ...counts, parallel: options.parallel, signal }, { reader, writer, clock })) {
        if (event.type === 'note') notes.push(event.message);
        yield event;
      }
      phase = 'running';
    } finally {
      report(phase, options.run);
    }
    return;
  }
  const parallel = places === null ? options.parallel : options.parallel === 0 ? places : Math.min(places, options.parallel);
  if (parallel !== options.parallel) yield { type: 'note', message: `the quota of ${namespace} leaves room for ${parallel} pods: so many are pulled at a time` };
  let phase: PrepullPhase = 'interrupted';
  try {
    for await (const event of runPulls(plan.items, { ...runOptions, ...counts, parallel, retries: options.retries, signal }, { reader, writer, clock })) {
      progress.take(event);
      if (event.type === 'note') notes.push(event.message);
      yield event;
    }
    phase = progress.items.every(({ result }) => result === 'pulled' || result === 'present' || result === 'skipped') ? 'succeeded' : 'failed';
  } finally {
    report(phase, options.run);
  }
}

function warmPlan({ items, nodes }: PrepullPlan, { nodeSelector, pools, poolLabels }: PrepullOptions): WarmPlan {
  return planKeepWarm(items, nodes, { selector: nodeSelector === undefined ? [] : parseLabelSelector(nodeSelector), pools, poolLabels });
}

/** Of pods that will all be there at once. */
function requireRoom(places: number | null, needed: number, namespace: string): void {
  if (places === null || places >= needed) return;
  throw new ClusterError(`the quota of the namespace ${namespace} leaves room for ${places} pods, and ${needed} would be there at once`, {
    reason: 'Forbidden', status: 403, suggestions: [`kubectl describe quota -n ${namespace} shows what is used; use another namespace (-n), or select fewer nodes`],
  });
}

/** Of all namespaces, where that is allowed: images stay on nodes whoever pulled them. What may not be read is as good as not there; what a run needs is asked for beforehand. */
async function earlierRuns(reader: ClusterReader, namespace: string, signal: AbortSignal): Promise<readonly EarlierRun[]> {
  for (const place of [undefined, namespace]) {
    try {
      return await findRuns(reader, place, signal);
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'Forbidden') throw error;
    }
  }
  return [];
}
