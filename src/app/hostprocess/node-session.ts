/** One node for as long as something is done on it: its pod is made, waited for, run commands in, and removed. */
import { nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { JOBS, PODS } from '../../domain/kubernetes/resource.ts';
import { durationText } from '../../domain/duration-text.ts';
import type { LogCommand } from '../../domain/hostprocess/command/log-command.ts';
import type { Transport } from '../../domain/hostprocess/command/transport.ts';
import { judgeAdmittedPod } from '../../domain/hostprocess/admitted-pod.ts';
import { notBegun, remedyOf, type ExecError, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import type { StartState } from '../../domain/hostprocess/pod-start.ts';
import { execObject, LEASE_SECONDS, type ExecObjectOptions } from '../../domain/hostprocess/run-objects.ts';
import { ORIGIN_ANNOTATION, RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter, ExecChannel, PodLogs } from '../ports.ts';
import { createOnce } from '../runs/create-once.ts';
import { refusalOf } from '../runs/job-refusal.ts';
import type { RunClock } from '../runs/run-clock.ts';
import { keepAlive, moveDeadline } from './lease.ts';
import { leave } from './leave.ts';
import { runByLog } from './log-fallback.ts';
import type { NodeStreams } from './node-streams.ts';
import type { Anchor, PodWatch } from './pod-watch.ts';
import { killTree, mayStillRun } from './kill-tree.ts';
import { runCommand } from './run-command.ts';

export interface SessionOptions {
  readonly objects: ExecObjectOptions;
  readonly startTimeoutSeconds: number;
  /** The Job's deadline is moved as long as the session lives. */
  readonly isLeased: boolean;
  /** How long the pod stays behind the session; null: it goes with it. */
  readonly keepSeconds: number | null;
  readonly signal: AbortSignal;
  /** Of the request that creates: what it made has to be known. */
  readonly creating: AbortSignal;
  /** The pod itself runs the command, in place of exec. */
  readonly byLog?: { readonly command: LogCommand; readonly logs: PodLogs } | undefined;
}

export interface SessionParts {
  readonly options: SessionOptions;
  readonly cluster: { readonly reader: ClusterReader; readonly writer: ClusterWriter; readonly exec: ExecChannel; readonly clock: RunClock };
  readonly watch: PodWatch;
  /** The object of a node is there, with this UID. */
  readonly made: (name: string, uid: string) => Promise<void>;
  /** It stays behind the session. */
  readonly kept: () => void;
}

export interface NodeSession {
  readonly pod: string;
  /** What becomes of the command is an outcome, also where the signal ends it; throws errors of local streams. `note` gets what is done otherwise than it was asked for. */
  run(transport: Transport, streams: NodeStreams, limits: { readonly timeoutSeconds: number }, signal: AbortSignal, note?: (message: string) => void): Promise<ExecOutcome>;
  /** `left`: what may still be there, as a clause. */
  close(): Promise<{ readonly left: string | null }>;
}

/** `left` as of NodeSession.close. */
export type Opened = { readonly session: NodeSession } | { readonly session: null; readonly outcome: ExecOutcome; readonly left: string | null };

/** First pause before an object is asked for again; then twice as long. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Throws what concerns the whole run, and what the signal is aborted with, in both cases after what it made is removed: `onLeft` gets what may
 * still be there then.
 */
export async function openSession(parts: SessionParts, target: { readonly index: number; readonly node: string }, { onState, onLeft }: { readonly onState: (state: StartState) => void; readonly onLeft: (left: string) => void }): Promise<Opened> {
  const { options: { objects, signal, startTimeoutSeconds, byLog }, cluster: { clock }, watch } = parts;
  const object = execObject(byLog === undefined ? objects : { ...objects, command: byLog.command }, target);
  const begunAt = clock.now().getTime();
  const created = await create(parts, object, onLeft);
  if ('reason' in created) return { session: null, outcome: notBegun(created), left: null };
  const session = new LiveSession(parts, created, begunAt);
  try {
    await parts.made(created.name, created.uid);
    const spent = (clock.now().getTime() - begunAt) / 1000;
    const state = await watch.waitFor(created, { timeoutSeconds: Math.max(0, startTimeoutSeconds - spent), toldSeconds: startTimeoutSeconds, onState }, signal);
    const pod = watch.podOf(created) ?? {};
    const hasStarted = state.state === 'running' || (state.state === 'ended' && byLog !== undefined);
    const error = hasStarted ? changeOf(pod, target.node, objects) : whyNot(state);
    if (error !== null) return { session: null, outcome: notBegun(error), ...(await session.end()) };
    session.pod = nameOf(pod);
    return { session };
  } catch (error) {
    const { left } = await session.end();
    if (left !== null) onLeft(left);
    throw error;
  }
}

function whyNot(state: StartState): ExecError {
  if (state.state === 'failed') return { reason: state.reason, message: state.message, ...(state.remedy === undefined ? {} : { remedy: state.remedy }) };
  return { reason: 'StartFailed', message: `the main process of its pod has ended${state.state === 'ended' && state.exitCode !== null ? ` with exit code ${state.exitCode}` : ''} before the command began` };
}

/** Of the very pod: it could not always be tried beforehand, and whoever may create pods may make one that passes for that of a Job. */
function changeOf(pod: KubeObject, node: string, objects: ExecObjectOptions): ExecError | null {
  const { refusal } = judgeAdmittedPod(pod, node, objects);
  return refusal === null ? null : { reason: 'Refused', message: refusal.message, remedy: `${refusal.fix}.` };
}

/** Gives why it is refused. Tries again as long as that may pass, within the time to start. */
async function create(parts: SessionParts, object: KubeObject, onLeft: (left: string) => void): Promise<Anchor | ExecError> {
  const { options: { signal, creating, startTimeoutSeconds, objects: { namespace, anchor } }, cluster } = parts;
  const { clock } = cluster;
  const resource = anchor === 'job' ? JOBS : PODS;
  const until = clock.now().getTime() + startTimeoutSeconds * 1000;
  signal.throwIfAborted();
  let mayExist = false;
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(startTimeoutSeconds * 1000, done.signal).then(() => late.abort(new Error('the time to start is over')), () => undefined);
  const within = { namespace, signal: AbortSignal.any([signal, late.signal]), creating: AbortSignal.any([creating, late.signal]) };
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // on the first attempt nobody but somebody else can have made it
        const made = await createOnce(resource, object, (found) => attempt > 1 && isSame(found, object), cluster, within);
        mayExist = false;
        return { resource: anchor === 'job' ? 'jobs' : 'pods', name: nameOf(object), uid: stringAt(made.object, 'metadata', 'uid') ?? '' };
      } catch (error) {
        // what is not a clear answer may hide that it was made
        mayExist ||= signal.aborted || late.signal.aborted || (error instanceof ClusterError && error.isPassing);
        if (signal.aborted) throw signal.reason;
        if (late.signal.aborted) return { reason: 'StartTimeout', message: `not started within ${durationText(startTimeoutSeconds)}: the API server has not answered the request that creates the ${resource.kind === 'Job' ? 'Job' : 'pod'}`, remedy: 'Look at the API server (kubectl get --raw /readyz?verbose), or give it more time (--start-timeout).' };
        if (!(error instanceof ClusterError) || refusalOf(error) === 'run') throw error;
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
        if (refusalOf(error) === 'one' || clock.now().getTime() + pause > until) return refusedBy(error);
        await clock.sleep(pause, signal);
      }
    }
  } finally {
    done.abort(new Error('it is created, or not'));
    const left = mayExist ? await removeUnknown(object, resource, parts) : null;
    if (left !== null) onLeft(left);
  }
}

function refusedBy(error: ClusterError): ExecError {
  const { message, suggestions } = error;
  const remedy = remedyOf(suggestions);
  if (error.reason === 'Forbidden' && /exceeded quota|status unknown for quota/i.test(message)) return { reason: 'QuotaExceeded', message, remedy };
  if (error.reason === 'Forbidden' && /cannot create resource/i.test(message)) return { reason: 'Forbidden', message, remedy };
  return { reason: ['Forbidden', 'Invalid', 'BadRequest', 'AlreadyExists'].includes(error.reason) ? 'Refused' : 'Unknown', message, remedy };
}

/** A namesake that somebody else has made has another run, or another origin. */
function isSame(found: KubeObject, object: KubeObject): boolean {
  const same = (...path: readonly string[]): boolean => stringAt(found, 'metadata', ...path) === stringAt(object, 'metadata', ...path);
  return same('labels', RUN_LABEL) && same('annotations', ORIGIN_ANNOTATION);
}

const LOOK_MS = 5_000;

/** Whether a request whose answer never came has made something, which is removed then; gives what may be there. */
async function removeUnknown(object: KubeObject, resource: typeof JOBS | typeof PODS, { options: { objects: { namespace, deadlineSeconds } }, cluster: { reader, writer, clock }, watch }: SessionParts): Promise<string | null> {
  const name = nameOf(object);
  const over = new AbortController();
  const done = new AbortController();
  clock.sleep(LOOK_MS, done.signal).then(() => over.abort(new ClusterError('the API server does not answer', { reason: 'DeadlineExceeded' })), () => undefined);
  try {
    const found = await reader.get(resource, name, { namespace, signal: over.signal });
    if (!isSame(found, object)) return null;
    return await leave({ resource: resource.kind === 'Job' ? 'jobs' : 'pods', name, uid: stringAt(found, 'metadata', 'uid') ?? '' }, { namespace, writer, watch, clock, deadlineSeconds });
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'NotFound') return null;
    return `whether the ${resource.kind === 'Job' ? 'Job' : 'pod'} ${name} was created is not known (${error instanceof Error ? error.message : String(error)}); if it was, the cluster ends it by itself`;
  } finally {
    done.abort(new Error('it is known'));
  }
}

class LiveSession implements NodeSession {
  pod = '';
  readonly #parts: SessionParts;
  readonly #anchor: Anchor;
  readonly #createdAt: number;
  readonly #over = new AbortController();
  readonly #closing = new AbortController();
  #lease: Promise<void> | null = null;

  constructor(parts: SessionParts, anchor: Anchor, createdAt: number) {
    this.#parts = parts;
    this.#anchor = anchor;
    this.#createdAt = createdAt;
    if (parts.options.isLeased && anchor.resource === 'jobs') this.#lease = this.#keepAlive();
  }

  async #keepAlive(): Promise<void> {
    const { options: { objects: { namespace, deadlineSeconds } }, cluster } = this.#parts;
    try {
      const why = await keepAlive(this.#anchor, { namespace, createdAt: this.#createdAt, aheadSeconds: Math.min(LEASE_SECONDS, deadlineSeconds) }, cluster, this.#closing.signal);
      if (why !== null) this.#over.abort(new Error(`the session is over: ${why}`));
    } catch (error) {
      this.#over.abort(error);
    }
  }

  async run(transport: Transport, streams: NodeStreams, { timeoutSeconds }: { readonly timeoutSeconds: number }, signal: AbortSignal, note: (message: string) => void = () => undefined): Promise<ExecOutcome> {
    const { options: { keepSeconds, byLog, objects: { namespace } }, cluster: { exec, clock }, watch } = this.#parts;
    if (byLog !== undefined) return runByLog({ namespace, pod: this.pod, anchor: this.#anchor }, byLog.command, streams, { timeoutSeconds, signal, note }, { watch, logs: byLog.logs });
    const outcome = await runCommand({ namespace, pod: this.pod }, transport, streams, { timeoutSeconds, signal, over: this.#over.signal, note, lost: (waitMs) => watch.lost(this.#anchor, waitMs, signal) }, { exec, clock });
    // a pod that stays would keep what is not waited for any more
    if (keepSeconds !== null && !signal.aborted && mayStillRun(outcome)) {
      const left = await killTree({ namespace, pod: this.pod }, outcome.pid, streams, { exec, clock });
      if (left !== null) note(left);
    }
    return outcome;
  }

  async close(): Promise<{ readonly left: string | null }> {
    const { options: { keepSeconds, signal, objects: { namespace } }, cluster } = this.#parts;
    if (keepSeconds === null || signal.aborted || this.#over.signal.aborted) return this.end();
    this.#closing.abort(new Error('the session is over'));
    await this.#lease;
    this.#parts.kept();
    if (!this.#parts.options.isLeased || this.#anchor.resource === 'pods') return { left: null };
    try {
      await moveDeadline(this.#anchor, { namespace, createdAt: this.#createdAt, aheadSeconds: keepSeconds }, cluster, AbortSignal.timeout(LOOK_MS));
      return { left: null };
    } catch (error) {
      return { left: `the deadline of the Job ${this.#anchor.name} could not be moved (${error instanceof Error ? error.message : String(error)}): it ends within ${LEASE_SECONDS} seconds` };
    }
  }

  /** Also where it would be kept. */
  async end(): Promise<{ readonly left: string | null }> {
    this.#closing.abort(new Error('the session is over'));
    await this.#lease;
    const { options: { objects: { namespace, deadlineSeconds } }, cluster: { writer, clock }, watch } = this.#parts;
    return { left: await leave(this.#anchor, { namespace, writer, watch, clock, deadlineSeconds }) };
  }
}
