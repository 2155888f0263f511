/** `kubectl win hostprocess exec`: finds the nodes, plans, asks, looks beforehand whether it can work, runs, and reports. */
import { durationText } from '../domain/duration-text.ts';
import { readAccount } from '../domain/hostprocess/account.ts';
import { planLogCommand, type LogCommand } from '../domain/hostprocess/command/log-command.ts';
import { planTransport } from '../domain/hostprocess/command/plan-transport.ts';
import type { CommandRefusal, CommandRequest, Transport } from '../domain/hostprocess/command/transport.ts';
import type { ExecEvent } from '../domain/hostprocess/exec-event.ts';
import { planExec, type ExecPlan, type ExecPlanItem, type ExecTarget } from '../domain/hostprocess/exec-plan.ts';
import { notBegun } from '../domain/hostprocess/outcome.ts';
import { deadlinesOf, ENDED_TTL_SECONDS, execObject, execObjectName, type ExecObjectOptions } from '../domain/hostprocess/run-objects.ts';
import { stringAt, type KubeObject } from '../domain/kubernetes/object.ts';
import { JOBS, NAMESPACES, PODS } from '../domain/kubernetes/resource.ts';
import type { DescribeNodeContext } from '../domain/node/describe-node.ts';
import { ClusterError, InputError, UsageError } from '../errors.ts';
import { ExecProgress, type ExecReport } from './hostprocess/exec-report.ts';
import { findNamespace, OWN_NAMESPACE } from './hostprocess/find-namespace.ts';
import { findTargets, isSelection } from './hostprocess/find-targets.ts';
import { openSession } from './hostprocess/node-session.ts';
import type { StreamsOf } from './hostprocess/node-streams.ts';
import { PodWatch } from './hostprocess/pod-watch.ts';
import { checkExec, type ExecPreflight } from './hostprocess/preflight.ts';
import { findReusable, nodesOfRun, openReused, type Reusable } from './hostprocess/reuse.ts';
import { keptNote, longestSeconds, runSessions, windowNote, type SessionsOptions, type SessionsParts, type SessionWork } from './hostprocess/run-sessions.ts';
import type { ClusterReader, ClusterWriter, ExecChannel, LocalRuns, PodLogs } from './ports.ts';
import { aFewAtATime, afterwards } from './runs/patience.ts';
import type { RunClock } from './runs/run-clock.ts';

export interface ExecOptions {
  readonly run: string;
  readonly targets: readonly ExecTarget[];
  readonly selector?: string | undefined;
  readonly pools: readonly string[];
  readonly releases: readonly string[];
  readonly all: boolean;
  readonly command: Omit<CommandRequest, 'nonce'>;
  readonly objects: Omit<ExecObjectOptions, 'namespace' | 'deadlineSeconds' | 'sessionSeconds' | 'run' | 'anchor'>;
  readonly anchor: 'auto' | 'job' | 'pod';
  readonly namespace: { readonly given: string | null; readonly configured: string | null };
  /** Nodes at a time. */
  readonly parallel: number;
  readonly batchSize: number | null;
  readonly batchPauseSeconds: number;
  /** null: never stops. */
  readonly maxFailures: number | null;
  readonly timeoutSeconds: number;
  readonly startTimeoutSeconds: number;
  /** Pods stay so long behind the commands; null: they go with them. */
  readonly keepSeconds?: number | null;
  /** A run whose kept pods are used; null: new ones are made. */
  readonly reuse?: string | null;
  /** `logs`: the pod itself runs the command, and its log is read at the end. Default: exec. */
  readonly via?: 'exec' | 'logs';
  readonly dryRun: 'none' | 'client' | 'server';
  readonly kubernetesVersion?: string | undefined;
  readonly describe: Omit<DescribeNodeContext, 'serverVersion'>;
  /** Asked once the plan is known; false ends the run before anything is created. */
  readonly confirm: (plan: ExecPlan) => Promise<boolean>;
  /** 16 hexadecimal digits. */
  readonly newNonce: () => string;
  readonly signal: AbortSignal;
}

export interface ExecCluster {
  readonly reader: ClusterReader;
  /** null for a recording, as `exec`: then there is a plan and no more. */
  readonly writer: ClusterWriter | null;
  readonly exec: ExecChannel | null;
  /** For `via: 'logs'`. */
  readonly podLogs?: PodLogs | null;
  /** null: nothing is remembered. */
  readonly records: LocalRuns | null;
  readonly clock: RunClock;
  readonly streamsOf: StreamsOf;
  /** What is done on a node in place of the command, which then only says what it is. */
  readonly work?: SessionWork;
}

export type ExecStep = ExecEvent | {
  readonly type: 'planned';
  readonly plan: ExecPlan;
  readonly namespace: string;
  /** What will be created; nothing where pods of an earlier run are used. */
  readonly objects: readonly KubeObject[];
};

/** After an interruption, requests that create something are waited for, so that what they made is known. */
const CREATE_GRACE_MS = 3_000;

/**
 * Yields what happens; `onReport` gets the report at the end, also of a run that is interrupted. Throws UsageError for what cannot be sent or
 * meant, and ClusterError where it could not work, both before anything is created.
 */
export async function* execOnNodes(options: ExecOptions, cluster: ExecCluster, onReport: (report: ExecReport) => void): AsyncGenerator<ExecStep, void, undefined> {
  const { run, signal, dryRun, command } = options;
  const { reader, clock } = cluster;
  // a label, and part of the names of Jobs
  if (!/^[a-z0-9]{1,20}$/.test(run)) throw new UsageError(`invalid name of a run "${run}": lower-case letters and digits, at most 20`);
  const transport = (): Transport | CommandRefusal => planTransport({ ...command, nonce: options.newNonce() });
  const account = readAccount(options.objects.runAsUserName);
  if (typeof account === 'string') throw new UsageError(`the account "${options.objects.runAsUserName}" ${account}`);
  const logCommand = (): LogCommand | CommandRefusal => planLogCommand({ ...command, nonce: options.newNonce() });
  const byLog = options.via === 'logs' ? logCommand() : null;
  const sent = byLog ?? transport();
  if ('refused' in sent) throw new UsageError(sent.refused, { suggestions: sent.suggestions });
  const [{ namespace, because }, found] = await Promise.all([findNamespace(options.namespace.given, { namespace: options.namespace.configured }, reader, signal), findTargets({ ...options, targets: await targetsOf(options, cluster.records) }, reader)]);
  const isRecording = reader.description.source === 'files';
  const planned = planExec(found, { account, image: options.objects.image, hasTerminal: command.hasTerminal, now: isRecording ? null : clock.now(), batchSize: options.batchSize });
  const isDefault = options.namespace.given === null && options.namespace.configured === null && namespace !== OWN_NAMESPACE;
  const notes = [...sent.notes, ...planned.notes, ...(isDefault ? [`pods run in ${namespace}, ${because}`] : [])];
  const reusable = options.reuse === undefined || options.reuse === null ? null : await findReusable(options.reuse, { planned, runAsUserName: options.objects.runAsUserName, signal }, cluster);
  const plan: ExecPlan = { items: reusable?.items ?? planned.items, notes };
  const toRun = plan.items.filter(({ refusal }) => refusal === null);
  const draftOf = (anchor: 'job' | 'pod', isLeased: boolean): ExecObjectOptions => ({ ...objectOptions(options, namespace, { anchor, isLeased }), ...(byLog === null || 'refused' in byLog ? {} : { command: byLog }) });
  const draft = draftOf(options.anchor === 'pod' ? 'pod' : 'job', isLeaseWanted(options));
  yield { type: 'planned', plan, namespace: reusable?.namespace ?? namespace, objects: reusable === null ? toRun.map((item) => execObject(draft, item)) : [] };
  const progress = new ExecProgress(plan);
  const report = (phase: ExecReport['phase'], isRun: boolean): void => onReport({ source: found.source, serverVersion: found.serverVersion, run: isRun ? reusable?.run ?? run : null, namespace: isRun ? reusable?.namespace ?? namespace : null, phase, items: progress.items, notes });
  if (dryRun === 'client' || toRun.length === 0) {
    report(dryRun === 'client' ? 'planned' : 'failed', false);
    return;
  }
  const { writer, exec, podLogs = null } = cluster;
  if (writer === null || exec === null || (byLog !== null && podLogs === null)) throw new UsageError('an inventory can be planned for, and nothing be run on its nodes', { suggestions: ['--dry-run=client shows the plan'] });
  if (dryRun === 'none' && !(await options.confirm(plan))) {
    report('planned', false);
    return;
  }
  const live = { ...cluster, writer, exec };
  const preflight = { sample: toRun[0] ?? { index: 0, node: '' }, objects: draft, anchor: options.anchor, needsLease: isLeaseWanted(options), serverVersion: found.serverVersion, via: options.via ?? 'exec' } as const;
  const checked = reusable === null ? await withinTime((until) => checkExec(preflight, live, until), options, clock) : null;
  const said = [...checked?.notes ?? [], ...windowNotes(checked, options, toRun.length, namespace)];
  for (const message of said) {
    notes.push(message);
    yield { type: 'note', message };
  }
  if (dryRun === 'server') {
    // pods of an earlier run are there
    for (const event of reusable !== null ? [] : await tryAll(toRun, draftOf(checked?.anchor ?? 'job', false), live, signal)) {
      progress.take(event);
      yield event;
    }
    report('planned', false);
    return;
  }
  let phase: ExecReport['phase'] = 'failed';
  try {
    const events = reusable === null ? newRun(plan, options, { ...live, namespace, transport, checked, logCommand: byLog === null ? null : logCommand }) : reusedRun(plan, options, { ...live, reusable, transport });
    for await (const event of events) {
      progress.take(event);
      if (event.type === 'note') notes.push(event.message);
      yield event;
    }
    if (progress.hasSucceeded) phase = 'succeeded';
  } catch (error) {
    if (signal.aborted) phase = 'interrupted';
    throw error;
  } finally {
    report(phase, true);
  }
}

/** Of a run that is used again and of which no nodes are named: all of its own. */
async function targetsOf({ reuse = null, targets, ...options }: ExecOptions, records: LocalRuns | null): Promise<readonly ExecTarget[]> {
  return reuse === null || targets.length > 0 || isSelection(options) ? targets : nodesOfRun(reuse, records);
}

/** No request of those that look beforehand is waited for longer than a node may take to start. */
async function withinTime<Value>(work: (signal: AbortSignal) => Promise<Value>, { startTimeoutSeconds, signal }: ExecOptions, clock: RunClock): Promise<Value> {
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(startTimeoutSeconds * 1000, done.signal).then(() => late.abort(new Error('the time to start is over')), () => undefined);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    throw new ClusterError(`the API server has not answered within ${durationText(startTimeoutSeconds)} (--start-timeout) what is asked before anything is created`, { reason: 'DeadlineExceeded', cause: error });
  } finally {
    done.abort(new Error('it is looked at'));
  }
}

/** Of sessions that last as long as somebody sits before them, and of pods that stay. */
function isLeaseWanted({ command, keepSeconds = null }: ExecOptions): boolean {
  return command.hasTerminal || keepSeconds !== null;
}

function objectOptions(options: ExecOptions, namespace: string, { anchor, isLeased }: { readonly anchor: 'job' | 'pod'; readonly isLeased: boolean }): ExecObjectOptions {
  const { run, timeoutSeconds, startTimeoutSeconds, keepSeconds = null } = options;
  return { ...options.objects, run, namespace, anchor, ...deadlinesOf({ timeoutSeconds: timeoutSeconds + (keepSeconds ?? 0), startTimeoutSeconds, isLeased }) };
}

function windowNotes(checked: ExecPreflight | null, { parallel }: ExecOptions, nodes: number, namespace: string): readonly string[] {
  const places = checked?.places ?? null;
  return places === null || places >= Math.min(parallel, nodes) ? [] : [windowNote(namespace, places)];
}

interface LiveCluster extends ExecCluster {
  readonly writer: ClusterWriter;
  readonly exec: ExecChannel;
}

/** Shows every object to the API server, and the pods that Jobs would make. */
async function tryAll(items: readonly ExecPlanItem[], objects: ExecObjectOptions, { writer }: LiveCluster, signal: AbortSignal): Promise<readonly ExecEvent[]> {
  const refused: (ExecEvent & { readonly type: 'ended' })[] = [];
  await aFewAtATime(items, async (item) => {
    try {
      if (objects.anchor === 'job') await writer.create(JOBS, execObject(objects, item), { namespace: objects.namespace, dryRun: true, signal });
      await writer.create(PODS, execObject({ ...objects, anchor: 'pod' }, item), { namespace: objects.namespace, dryRun: true, signal }).catch((error: unknown) => {
        // who may make Jobs alone has their pods made by the Job controller
        if (objects.anchor === 'pod' || !(error instanceof ClusterError) || !/cannot create resource/i.test(error.message)) throw error;
      });
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      refused.push({ type: 'ended', node: item.node, pod: null, outcome: notBegun({ reason: 'Refused', message: error.message }) });
    }
  });
  return refused;
}

interface RunParts extends LiveCluster {
  readonly namespace: string;
  readonly transport: SessionsParts['transport'];
  readonly checked: ExecPreflight | null;
  /** null: by exec. */
  readonly logCommand: (() => LogCommand | CommandRefusal) | null;
}

async function* newRun(plan: ExecPlan, options: ExecOptions, parts: RunParts): AsyncGenerator<ExecEvent, void, undefined> {
  const { run, signal, startTimeoutSeconds, keepSeconds = null } = options;
  const { namespace, reader, writer, exec, clock, records, checked } = parts;
  const anchor = checked?.anchor ?? 'job';
  const isLeased = isLeaseWanted(options) && anchor === 'job' && checked?.mayMoveDeadline === true;
  const objects = objectOptions(options, namespace, { anchor, isLeased });
  const parallel = Math.max(1, Math.min(options.parallel, checked?.places ?? options.parallel));
  const sessions: SessionsOptions = { ...options, namespace, parallel };
  const toRun = plan.items.filter(({ refusal }) => refusal === null);
  const record = new RunRecord(records, run);
  const problem = await record.begin(async () => ({
    run, namespace, context: reader.description.context, cluster: await uidOfCluster(reader, signal), startedAt: clock.now().toISOString(),
    until: new Date(clock.now().getTime() + 1000 * longestSeconds(plan, sessions, objects.sessionSeconds + ENDED_TTL_SECONDS)).toISOString(),
    objects: toRun.map(({ index, node }) => ({ resource: anchor === 'job' ? 'jobs' : 'pods', name: execObjectName(run, index), uid: null, node })),
    ...(keepSeconds === null ? {} : { isKept: true }),
  }));
  if (problem !== null) yield { type: 'note', message: problem };
  const watch = new PodWatch({ run, namespace }, { reader, clock });
  watch.start();
  let creating: AbortSignal | null = null;
  const kept = new Set<string>();
  let failure: { readonly error: unknown } | null = null;
  const open: SessionsParts['open'] = async (item, stop, hear) => {
    creating ??= afterwards(stop, CREATE_GRACE_MS);
    return openSession({ options: { objects, startTimeoutSeconds, isLeased, keepSeconds, signal: stop, creating, byLog: byLogOf(parts) }, cluster: { reader, writer, exec, clock }, watch, made: (name, uid) => record.made(name, uid), kept: () => void kept.add(item.node) }, item, hear);
  };
  try {
    for await (const event of runSessions(plan, sessions, { clock, open, transport: parts.transport, streamsOf: parts.streamsOf, work: parts.work })) {
      if (event.type !== 'cleaned-up') yield event;
      else if (kept.size === 0) {
        await record.end();
        yield event;
      }
    }
  } catch (error) {
    failure = { error };
  } finally {
    await watch.stop();
  }
  // also beside what could not be removed, and where it is interrupted
  if (kept.size > 0 && keepSeconds !== null) yield { type: 'note', message: keptNote(run, namespace, kept.size, isLeased ? keepSeconds : objects.deadlineSeconds) };
  if (failure !== null) throw failure.error;
}

/** With a nonce of its own for each node. */
function byLogOf({ logCommand, podLogs = null }: RunParts): { readonly command: LogCommand; readonly logs: PodLogs } | undefined {
  const command = logCommand?.();
  return command === undefined || 'refused' in command || podLogs === null ? undefined : { command, logs: podLogs };
}

async function* reusedRun(plan: ExecPlan, options: ExecOptions, parts: LiveCluster & { readonly reusable: Reusable; readonly transport: SessionsParts['transport'] }): AsyncGenerator<ExecEvent, void, undefined> {
  const { reusable, reader, exec, clock } = parts;
  const { run, namespace } = reusable;
  for await (const event of runSessions(plan, { ...options, run, namespace }, { clock, transport: parts.transport, streamsOf: parts.streamsOf, open: async ({ node }) => openReused(reusable, node, { reader, exec, clock }) })) {
    // they stay
    if (event.type !== 'cleaned-up') yield event;
  }
}

/** What this machine remembers; that it cannot does not stop a run. */
class RunRecord {
  readonly #records: LocalRuns | null;
  readonly #run: string;
  #isBegun = false;

  constructor(records: LocalRuns | null, run: string) {
    this.#records = records;
    this.#run = run;
  }

  /** Gives what is to be said where it could not be written. */
  async begin(record: () => Promise<Parameters<LocalRuns['begin']>[0]>): Promise<string | null> {
    if (this.#records === null) return null;
    try {
      await this.#records.begin(await record());
      this.#isBegun = true;
      return null;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return `the run is not on record on this machine (${error.message}): if this program is killed, kubectl win hostprocess sweep does not know what it left for its own`;
    }
  }

  /** A disk that has filled up meanwhile keeps nobody from the nodes: the run and its names are on record. */
  async made(name: string, uid: string): Promise<void> {
    if (this.#isBegun) await this.#records?.made(this.#run, name, uid).catch(ignoreUnwritten);
  }

  async end(): Promise<void> {
    if (this.#isBegun) await this.#records?.end(this.#run).catch(ignoreUnwritten);
  }
}

function ignoreUnwritten(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
}

/** Tells clusters apart whose contexts have one name; null where it may not be read. */
async function uidOfCluster(reader: ClusterReader, signal: AbortSignal): Promise<string | null> {
  try {
    return stringAt(await reader.get(NAMESPACES, 'kube-system', { signal }), 'metadata', 'uid') ?? null;
  } catch (error) {
    if (error instanceof ClusterError) return null;
    throw error;
  }
}
