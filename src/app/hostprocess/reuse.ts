/** Pods that an earlier run of this machine has kept, for commands that come after. */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { PODS } from '../../domain/kubernetes/resource.ts';
import type { Transport } from '../../domain/hostprocess/command/transport.ts';
import type { ExecPlan, ExecPlanItem, ExecTarget } from '../../domain/hostprocess/exec-plan.ts';
import { judgeAdmittedPod } from '../../domain/hostprocess/admitted-pod.ts';
import { notBegun, type ExecError, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { lossOf, startStateOf } from '../../domain/hostprocess/pod-start.ts';
import { RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import type { ClusterReader, ExecChannel, LocalRun, LocalRuns } from '../ports.ts';
import type { RunClock } from '../runs/run-clock.ts';
import type { NodeSession, Opened } from './node-session.ts';
import { killTree, mayStillRun } from './kill-tree.ts';
import type { NodeStreams } from './node-streams.ts';
import { runCommand } from './run-command.ts';

export interface Reusable {
  readonly run: string;
  readonly namespace: string;
  /** Of the plan; refused where the run has no pod that runs. */
  readonly items: readonly ExecPlanItem[];
  /** Name of the pod by node. */
  readonly pods: ReadonlyMap<string, string>;
}

export interface ReuseOptions {
  readonly planned: ExecPlan;
  readonly runAsUserName: string;
  readonly signal: AbortSignal;
}

/**
 * Only pods that this machine has on record by UID: whoever can make pods can make one with the labels of a run that waits for commands of others.
 * Throws ClusterError where there is no such record, and UsageError where its pods have another account.
 */
export async function findReusable(run: string, { planned, runAsUserName, signal }: ReuseOptions, { reader, records }: { readonly reader: ClusterReader; readonly records: LocalRuns | null }): Promise<Reusable> {
  const record = await recordOf(run, records);
  const { namespace } = record;
  const uids = new Map(record.objects.flatMap(({ uid, node }) => (uid === null ? [] : [[uid, node] as const])));
  const pods = new Map<string, string>();
  const contested = new Set<string>();
  for await (const { items } of reader.list(PODS, { namespace, labelSelector: `${RUN_LABEL}=${run}`, signal })) {
    for (const pod of items) {
      const node = nodeOf(pod, uids);
      if (node === null || startStateOf(pod).state !== 'running') continue;
      const account = stringAt(pod, 'spec', 'securityContext', 'windowsOptions', 'runAsUserName') ?? '';
      if (account !== runAsUserName) throw new UsageError(`the pods of the run ${run} run as ${account}, and a command in them does, too`, { suggestions: [`leave --run-as away that is not theirs, or begin another run as ${runAsUserName}`] });
      // owners can be forged: at the least it is a pod of that kind, on that node, and the only one
      if (judgeAdmittedPod(pod, node, { image: '', runAsUserName, sessionSeconds: 0 }).refusal !== null || pods.has(node)) contested.add(node);
      pods.set(node, nameOf(pod));
    }
  }
  for (const node of contested) pods.delete(node);
  const items = planned.items.map((item): ExecPlanItem => (item.refusal !== null || pods.has(item.node) ? item : { ...item, refusal: { reason: 'NotFound', message: contested.has(item.node) ? `another pod passes for that of the run ${run} there` : `the run ${run} has no pod there that runs` } }));
  return { run, namespace, items, pods };
}

/** Its own, as a run is asked for without names of nodes. Throws ClusterError where there is no such record. */
export async function nodesOfRun(run: string, records: LocalRuns | null): Promise<readonly ExecTarget[]> {
  return [...new Set((await recordOf(run, records)).objects.map(({ node }) => node))].map((name) => ({ kind: 'node', name }));
}

async function recordOf(run: string, records: LocalRuns | null): Promise<LocalRun> {
  const record = (await records?.all() ?? []).find((one) => one.run === run);
  if (record !== undefined) return record;
  throw new ClusterError(`hostprocess run "${run}" not found: it is not on record on this machine`, { reason: 'NotFound', suggestions: ['pods of runs that others have begun are not used', '--keep leaves the pods of a run for a while'] });
}

function nodeOf(pod: KubeObject, uids: ReadonlyMap<string, string>): string | null {
  const owner = arrayAt(pod, 'metadata', 'ownerReferences').map((one) => stringAt(one, 'uid') ?? '').find((uid) => uids.has(uid));
  const node = uids.get(owner ?? stringAt(pod, 'metadata', 'uid') ?? '');
  return node !== undefined && stringAt(pod, 'spec', 'nodeName') === node ? node : null;
}

interface ReuseCluster {
  readonly reader: ClusterReader;
  readonly exec: ExecChannel;
  readonly clock: RunClock;
}

export function openReused({ run, namespace, pods }: Reusable, node: string, cluster: ReuseCluster): Opened {
  const pod = pods.get(node);
  if (pod === undefined) return { session: null, outcome: notBegun({ reason: 'NotFound', message: 'the run has no pod there that runs' }), left: null };
  return { session: new ReusedSession({ run, namespace, pod }, cluster) };
}

class ReusedSession implements NodeSession {
  readonly pod: string;
  readonly #run: string;
  readonly #namespace: string;
  readonly #cluster: ReuseCluster;
  #left: string | null = null;

  constructor({ run, namespace, pod }: { readonly run: string; readonly namespace: string; readonly pod: string }, cluster: ReuseCluster) {
    this.#run = run;
    this.#namespace = namespace;
    this.pod = pod;
    this.#cluster = cluster;
  }

  async run(transport: Transport, streams: NodeStreams, { timeoutSeconds }: { readonly timeoutSeconds: number }, signal: AbortSignal, note: (message: string) => void = () => undefined): Promise<ExecOutcome> {
    let pid: number | null = null;
    let isOver = false;
    try {
      const outcome = await runCommand({ namespace: this.#namespace, pod: this.pod }, transport, streams, { timeoutSeconds, signal, over: new AbortController().signal, note, onPid: (one) => { pid = one; }, lost: () => this.#lost(signal) }, this.#cluster);
      isOver = !mayStillRun(outcome);
      return outcome;
    } finally {
      // its pod stays, and would keep it
      if (!isOver) this.#left = await killTree({ namespace: this.#namespace, pod: this.pod }, pid, streams, this.#cluster);
    }
  }

  async close(): Promise<{ readonly left: string | null }> {
    return { left: this.#left };
  }

  /** By the right to list pods, which the run had: there is no watch. */
  async #lost(signal: AbortSignal): Promise<ExecError | null> {
    try {
      const pods: KubeObject[] = [];
      for await (const { items } of this.#cluster.reader.list(PODS, { namespace: this.#namespace, labelSelector: `${RUN_LABEL}=${this.#run}`, signal })) pods.push(...items);
      return lossOf(pods.find((pod) => nameOf(pod) === this.pod) ?? null);
    } catch (error) {
      if (error instanceof ClusterError || signal.aborted) return null;
      throw error;
    }
  }
}
