/** A command on many nodes: a window over sessions, in batches, that no node holds up for longer than its own time. */
import type { ExecEvent } from '../../domain/hostprocess/exec-event.ts';
import type { ExecPlan, ExecPlanItem } from '../../domain/hostprocess/exec-plan.ts';
import type { CommandRefusal, Transport } from '../../domain/hostprocess/command/transport.ts';
import { isSuccess, notBegun, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import type { StartState } from '../../domain/hostprocess/pod-start.ts';
import { durationText } from '../../domain/duration-text.ts';
import { EventQueue } from '../runs/event-queue.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { NodeSession, Opened } from './node-session.ts';
import type { StreamsOf } from './node-streams.ts';

export interface SessionsOptions {
  readonly run: string;
  readonly namespace: string;
  /** Sessions at a time. */
  readonly parallel: number;
  readonly batchPauseSeconds: number;
  /** After more failures than that no more are begun; null for never. */
  readonly maxFailures: number | null;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** What is done in a session that is more than one command. Throws what the signal was aborted with. */
export type SessionWork = (session: Pick<NodeSession, 'run'>, node: string, hear: { readonly signal: AbortSignal; readonly note: (message: string) => void }) => Promise<ExecOutcome>;

export interface SessionsParts {
  /** In place of `transport` and `streamsOf`. */
  readonly work?: SessionWork | undefined;
  readonly clock: RunClock;
  readonly streamsOf: StreamsOf;
  /** As often as it is called it gives a transport with a nonce of its own. */
  readonly transport: () => Transport | CommandRefusal;
  /** As openSession. Its signal is aborted with the run, and where another node's session has met what concerns all of them. */
  readonly open: (item: ExecPlanItem, signal: AbortSignal, hear: { readonly onState: (state: StartState) => void; readonly onLeft: (left: string) => void }) => Promise<Opened>;
}

/** Yields what happens and ends when all sessions are closed, also where it is interrupted: then it throws the signal's reason. */
export function runSessions(plan: ExecPlan, options: SessionsOptions, parts: SessionsParts): AsyncGenerator<ExecEvent, void, undefined> {
  return new SessionsRun(plan, options, parts).events();
}

class SessionsRun {
  readonly #plan: ExecPlan;
  readonly #options: SessionsOptions;
  readonly #parts: SessionsParts;
  /** null: it is over. */
  readonly #inbox = new EventQueue<ExecEvent | null>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #begun = new Set<ExecPlanItem>();
  #failures = 0;
  #left = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor(plan: ExecPlan, options: SessionsOptions, parts: SessionsParts) {
    this.#plan = plan;
    this.#options = options;
    this.#parts = parts;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  async* events(): AsyncGenerator<ExecEvent, void, undefined> {
    const { run, namespace } = this.#options;
    const toRun = this.#plan.items.filter(({ refusal }) => refusal === null);
    yield { type: 'began', run, namespace, nodes: toRun.length };
    for (const { node, refusal } of this.#plan.items) if (refusal !== null) yield { type: 'ended', node, pod: null, outcome: notBegun(refusal) };
    const all = this.#all(toRun).then(() => this.#inbox.push(null), (error: unknown) => this.#inbox.fail(error));
    try {
      for (;;) {
        for (const event of await this.#inbox.take()) {
          if (event === null) return;
          yield event;
        }
      }
    } finally {
      // who does not look any more leaves nothing behind either
      this.#stop.abort(new Error('nobody looks any more'));
      await all;
    }
  }

  async #all(items: readonly ExecPlanItem[]): Promise<void> {
    try {
      await this.#batches(items);
    } catch (error) {
      this.#failure ??= { error };
    }
    if (this.#left === 0) this.#inbox.push({ type: 'cleaned-up' });
    if (this.#options.signal.aborted) throw this.#options.signal.reason;
    if (this.#failure !== null) throw this.#failure.error;
  }

  async #batches(items: readonly ExecPlanItem[]): Promise<void> {
    const { batchPauseSeconds } = this.#options;
    const batches = [...Map.groupBy(items, ({ batch }) => batch)].toSorted(([a], [b]) => a - b);
    for (const [index, [batch, some]] of batches.entries()) {
      if (batches.length > 1) this.#inbox.push({ type: 'batch', batch, nodes: some.map(({ node }) => node) });
      await this.#window(some);
      this.#signal.throwIfAborted();
      if (this.#hasFailedTooOften) break;
      if (index === batches.length - 1 || batchPauseSeconds <= 0) continue;
      this.#inbox.push({ type: 'pause', seconds: batchPauseSeconds });
      await this.#parts.clock.sleep(batchPauseSeconds * 1000, this.#signal);
    }
    const rest = items.filter((item) => !this.#begun.has(item));
    if (rest.length === 0) return;
    this.#inbox.push({ type: 'stopped', failures: this.#failures, left: rest.length });
    for (const { node } of rest) this.#inbox.push({ type: 'ended', node, pod: null, outcome: notBegun({ reason: 'Skipped', message: `not begun: the command had failed on ${this.#failures} node${this.#failures === 1 ? '' : 's'} before (--max-failures)` }) });
  }

  get #hasFailedTooOften(): boolean {
    return this.#options.maxFailures !== null && this.#failures > this.#options.maxFailures;
  }

  /** A place is free when its session is closed: a node that never starts takes one for the time to start, and no other node waits for it. */
  async #window(items: readonly ExecPlanItem[]): Promise<void> {
    const waiting = items.values();
    await Promise.all(Array.from({ length: Math.max(1, Math.min(this.#options.parallel, items.length)) }, async () => {
      while (!this.#signal.aborted && !this.#hasFailedTooOften) {
        const { value: item } = waiting.next();
        if (item === undefined) return;
        this.#begun.add(item);
        await this.#node(item);
      }
    }));
  }

  async #node(item: ExecPlanItem): Promise<void> {
    let pod: string | null = null;
    let isEnded = false;
    const end = (outcome: ExecOutcome): void => {
      if (isEnded) return;
      isEnded = true;
      if (!isSuccess(outcome)) this.#failures += 1;
      this.#inbox.push({ type: 'ended', node: item.node, pod, outcome });
    };
    try {
      this.#inbox.push({ type: 'creating', node: item.node, message: null });
      const opened = await this.#parts.open(item, this.#signal, { onState: (state) => this.#say(item.node, state), onLeft: (left) => this.#leave(item.node, left) });
      if (opened.session === null) {
        this.#leave(item.node, opened.left);
        end(opened.outcome);
        return;
      }
      const { session } = opened;
      ({ pod } = session);
      try {
        this.#inbox.push({ type: 'started', node: item.node, message: null });
        end(await this.#command(item.node, session));
      } finally {
        this.#leave(item.node, (await session.close()).left);
      }
    } catch (error) {
      if (this.#signal.aborted) {
        end(notBegun({ reason: 'Interrupted', message: 'it was interrupted' }));
        return;
      }
      // it concerns all of them, as credentials that are not taken any more
      this.#failure ??= { error };
      this.#stop.abort(error);
      end(notBegun({ reason: 'Unknown', message: error instanceof Error ? error.message : String(error) }));
    }
  }

  async #command(node: string, session: NonNullable<Opened['session']>): Promise<ExecOutcome> {
    const { streamsOf, work } = this.#parts;
    const note = (message: string): void => this.#inbox.push({ type: 'note', message: `${node}: ${message}` });
    if (work !== undefined) return work(session, node, { signal: this.#signal, note });
    const transport = this.#parts.transport();
    if ('refused' in transport) return notBegun({ reason: 'Refused', message: transport.refused });
    const opened = streamsOf(node);
    const outcome = await session.run(transport, opened.streams, { timeoutSeconds: this.#options.timeoutSeconds }, this.#signal, note);
    await opened.end(outcome);
    return outcome;
  }

  #say(node: string, state: StartState): void {
    if (state.state === 'pulling') this.#inbox.push({ type: 'pulling', node, message: null });
    // the kubelet tries again
    else if (state.state === 'failed' && state.isPassing === true) this.#inbox.push({ type: 'pulling', node, message: state.message });
    else if (state.state === 'pending' && state.message !== null) this.#inbox.push({ type: 'creating', node, message: state.message });
  }

  #leave(node: string, left: string | null): void {
    if (left === null) return;
    this.#left += 1;
    this.#inbox.push({ type: 'note', message: `${node}: ${left}` });
  }
}

/** For a record of the run: how long its last object may be there, at the most. */
export function longestSeconds({ items }: ExecPlan, { parallel, batchPauseSeconds }: Pick<SessionsOptions, 'parallel' | 'batchPauseSeconds'>, objectSeconds: number): number {
  const toRun = items.filter(({ refusal }) => refusal === null);
  const batches = new Set(toRun.map(({ batch }) => batch)).size;
  return (Math.ceil(toRun.length / Math.max(1, parallel)) + batches) * objectSeconds + Math.max(0, batches - 1) * batchPauseSeconds;
}

function nodesText(count: number): string {
  return `${count} node${count === 1 ? '' : 's'}`;
}

/** What is said where a quota narrows the window. */
export function windowNote(namespace: string, places: number): string {
  return `the quota of ${namespace} leaves room for ${places} pod${places === 1 ? '' : 's'}: so many nodes are reached at a time`;
}

/** What is said of pods that stay. */
export function keptNote(run: string, namespace: string, nodes: number, seconds: number): string {
  return `the pods of the run ${run} in ${namespace} stay on ${nodesText(nodes)} for ${durationText(seconds)} (--reuse ${run}), and go by themselves; at once: kubectl win hostprocess sweep ${run}`;
}
