/** `hostprocess run logs --via=kubelet`: logs of nodes by their kubelets, for which nothing is created. */
import type { ExecPlan, ExecPlanItem } from '../../domain/hostprocess/exec-plan.ts';
import { LOGGED_SERVICES, nodeLogQuery, readNodeLog, wholeLogQuery, type NodeLogAnswer } from '../../domain/hostprocess/node-logs.ts';
import { notBegun, type ExecError, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import type { RecipeDocument } from '../../domain/hostprocess/recipes/read-output.ts';
import type { Recipe } from '../../domain/hostprocess/recipes/recipe.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import type { ExecStep } from '../exec-on-nodes.ts';
import type { ClusterReader, NodeLogs } from '../ports.ts';
import { EventQueue } from '../runs/event-queue.ts';
import type { RunClock } from '../runs/run-clock.ts';
import { findTargets, type FindTargetsOptions } from './find-targets.ts';
import type { RecipeItem, RecipeReport } from './recipe-report.ts';

export type KubeletLogsOptions = Omit<FindTargetsOptions, 'signal'> & {
  readonly recipe: Recipe;
  readonly parameters: Readonly<Record<string, number>>;
  /** Nodes at a time. */
  readonly parallel: number;
  /** For all that is read of a node. */
  readonly timeoutSeconds: number;
  readonly dryRun: 'none' | 'client' | 'server';
  /** Of a log, from its end on. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
};

export interface KubeletLogsCluster {
  readonly reader: ClusterReader;
  /** null for a recording. */
  readonly nodeLogs: NodeLogs | null;
  readonly clock: RunClock;
}

/** Yields what happens; `onItem` gets what a node has given before its end is told, `onReport` the report at the end, also of a run that is interrupted. */
export async function* readKubeletLogs(options: KubeletLogsOptions, { reader, nodeLogs, clock }: KubeletLogsCluster, onReport: (report: RecipeReport) => void, onItem: (item: RecipeItem) => void = () => undefined): AsyncGenerator<ExecStep, void, undefined> {
  const { recipe, parameters, parallel, dryRun, signal } = options;
  const found = await findTargets(options, reader);
  const plan = planOf(found);
  const items = new Map<string, RecipeItem>(plan.items.map(({ node, refusal }) => [node, { node, pod: null, outcome: refusal === null ? null : notBegun(refusal), data: null, stderr: null }]));
  const report = (phase: RecipeReport['phase']): void => onReport({
    source: found.source, serverVersion: found.serverVersion, run: null, namespace: null, phase, items: [...items.values()], notes: plan.notes, recipe: { id: recipe.id, version: recipe.version, schemaVersion: recipe.schemaVersion }, parameters,
  });
  yield { type: 'planned', plan, namespace: '', objects: [] };
  const waiting = plan.items.filter(({ refusal }) => refusal === null);
  if (dryRun !== 'none' || waiting.length === 0) {
    report(dryRun === 'none' ? 'failed' : 'planned');
    return;
  }
  if (nodeLogs === null) throw new UsageError('an inventory can be planned for, and its nodes be asked nothing', { suggestions: ['--dry-run=client shows the plan'] });
  const inbox = new EventQueue<ExecStep | null>();
  const take = waiting.values();
  const worker = async (): Promise<void> => {
    for (const { node } of take) {
      if (signal.aborted) return;
      inbox.push({ type: 'started', node, message: null });
      const item = await readNode(node, options, { nodeLogs, clock });
      items.set(node, item);
      onItem(item);
      inbox.push({ type: 'ended', node, pod: null, outcome: item.outcome ?? notBegun({ reason: 'Unknown', message: 'nothing came' }) });
    }
  };
  const all = Promise.all(Array.from({ length: Math.max(1, Math.min(parallel, waiting.length)) }, worker)).then(() => inbox.push(null), (error: unknown) => inbox.fail(error));
  let phase: RecipeReport['phase'] = 'failed';
  try {
    for (let isOver = false; !isOver;) {
      for (const event of await inbox.take()) {
        if (event === null) isOver = true;
        else yield event;
      }
    }
    if (signal.aborted) throw signal.reason;
    if ([...items.values()].every(({ data }) => data !== null)) phase = 'succeeded';
  } catch (error) {
    if (signal.aborted) phase = 'interrupted';
    throw error;
  } finally {
    await all;
    report(phase);
  }
}

function planOf({ nodes, refusals }: Awaited<ReturnType<typeof findTargets>>): ExecPlan {
  const byName = new Map(nodes.map(({ node }) => [node.name, node]));
  const items = [...byName.values()].map(({ name, os, pool }, index): ExecPlanItem => ({ index, node: name, pool, batch: 0, refusal: os === 'windows' ? null : os === null ? { reason: 'OsUnknown', message: 'it does not say which system it runs' } : { reason: 'NotWindows', message: 'it runs Linux, not Windows' } }));
  return { items: [...items, ...refusals.map(({ node, ...refusal }, index): ExecPlanItem => ({ index: items.length + index, node, pool: null, batch: 0, refusal }))], notes: [] };
}

/** Its data, or why there are none. */
async function readNode(node: string, { recipe, parameters, timeoutSeconds, maxOutputBytes, signal }: KubeletLogsOptions, { nodeLogs, clock }: { readonly nodeLogs: NodeLogs; readonly clock: RunClock }): Promise<RecipeItem> {
  const begunAt = clock.now();
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(timeoutSeconds * 1000, done.signal).then(() => late.abort(new Error('the time of the node is over')), () => undefined);
  const stops = AbortSignal.any([signal, late.signal]);
  const of = (error: ExecError | null, data: RecipeDocument | null): RecipeItem => {
    const outcome: ExecOutcome = { exitCode: error === null ? 0 : null, error, pid: null, durationSeconds: (clock.now().getTime() - begunAt.getTime()) / 1000 };
    return { node, pod: null, outcome, data, stderr: null };
  };
  const services: { readonly name: string; readonly lines: readonly string[] }[] = [];
  const problems: { readonly part: string; readonly message: string }[] = [];
  try {
    const query = { since: new Date(begunAt.getTime() - (parameters['minutes'] ?? 0) * 60_000), lines: parameters['lines'] ?? 0 };
    for (const name of LOGGED_SERVICES) {
      const answer = await askFor(name, query, async (parts) => textOf(await nodeLogs.query(node, parts, { signal: stops }), maxOutputBytes));
      if (answer.kind === 'off') return of(SWITCHED_OFF, null);
      if (answer.kind === 'lines') services.push({ name, lines: answer.lines });
      else problems.push({ part: 'services', message: answer.kind === 'missing' ? answer.message : `the log of ${name} cannot be had with these parameters, nor without` });
    }
  } catch (error) {
    if (signal.aborted) return of({ reason: 'Interrupted', message: 'it was interrupted' }, null);
    if (late.signal.aborted) return of({ reason: 'Timeout', message: 'its kubelet does not answer in time', remedy: 'Give it more time (--timeout).' }, null);
    if (!(error instanceof ClusterError)) throw error;
    return of(errorOf(error), null);
  } finally {
    done.abort(new Error('the node has answered'));
  }
  return of(null, {
    recipe: recipe.id, schemaVersion: recipe.schemaVersion, takenAt: begunAt.toISOString(), computerName: null, events: null, files: null, services,
    problems: [...problems, { part: 'events', message: 'not read: --via=kubelet gives what the kubelet gives, and no more' }, { part: 'files', message: 'not read: --via=kubelet gives what the kubelet gives, and no more' }],
  });
}

/** A service that logs to a file is asked for all of it, and its last lines are taken here. */
async function askFor(service: string, query: { readonly since: Date; readonly lines: number }, ask: (parts: Readonly<Record<string, readonly string[]>>) => Promise<string>): Promise<NodeLogAnswer> {
  const answer = readNodeLog(await ask(nodeLogQuery(service, query)), service);
  if (answer.kind !== 'file') return answer;
  const whole = readNodeLog(await ask(wholeLogQuery(service)), service);
  return whole.kind === 'lines' && query.lines > 0 ? { kind: 'lines', lines: whole.lines.slice(-query.lines) } : whole;
}

/** The end of it; what is no UTF-8 is replaced: it is for people. */
async function textOf(chunks: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string> {
  const kept: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of chunks) {
    kept.push(chunk);
    size += chunk.length;
    while (kept.length > 1 && size - (kept[0]?.length ?? 0) >= mostBytes) {
      size -= kept.shift()?.length ?? 0;
      isCut = true;
    }
  }
  const decoder = new TextDecoder();
  const text = kept.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  return isCut ? text.slice(text.indexOf('\n') + 1) : text;
}

const THROUGH_A_POD = 'Leave --via=kubelet away: then the recipe reads logs through a pod.';

const SWITCHED_OFF: ExecError = { reason: 'NotSupported', message: 'its kubelet answers no queries for logs: enableSystemLogQuery is false in its configuration, which is the default', remedy: `Set it to true. ${THROUGH_A_POD}` };

function errorOf({ reason, status, message }: ClusterError): ExecError {
  // no Role with it is proposed
  if (reason === 'Forbidden') return { reason: 'Forbidden', message, remedy: `It takes the right to get nodes/proxy, which is as much as a shell on every node. ${THROUGH_A_POD}` };
  if (status === 404 || reason === 'NotFound') return { reason: 'NotSupported', message: 'its kubelet serves no logs: enableSystemLogHandler is false in its configuration, or it is older than 1.27', remedy: THROUGH_A_POD };
  if ((status ?? 0) >= 500 || reason === 'ConnectionLost' || reason === 'Unreachable') return { reason: 'NodeLost', message, remedy: 'Look at the node (kubectl describe node).' };
  return { reason: 'Unknown', message };
}
