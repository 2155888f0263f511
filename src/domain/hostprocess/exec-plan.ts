/** Which nodes a command is run on, and which not. */
import type { WindowsNode } from '../node/windows-node.ts';
import { someOf } from '../some-of.ts';
import type { ExecError, ExecErrorReason } from './outcome.ts';
import { judgeSupport, type Wanted } from './support.ts';

export type ExecTarget = { readonly kind: 'node'; readonly name: string } | { readonly kind: 'pod'; readonly namespace: string | null; readonly name: string };

export interface TargetNode {
  readonly node: WindowsNode;
  /** `pod/NAME` that it was named by. */
  readonly by: string | null;
  readonly heartbeat: Heartbeat;
  readonly isBeingDeleted: boolean;
}

export type Support =
  | { readonly kind: 'ok'; readonly notes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: ExecErrorReason; readonly message: string; readonly remedy: string };

/** The last sign of life of a kubelet. */
export interface Heartbeat {
  readonly at: string | null;
  readonly from: 'lease' | 'condition' | null;
}

export interface ExecPlanItem {
  /** Its place in the run; part of the names of objects. */
  readonly index: number;
  readonly node: string;
  /** Of the node; null where it is in none, or not known. */
  readonly pool: string | null;
  /** 0 for the first. */
  readonly batch: number;
  readonly refusal: ExecError | null;
}

export interface ExecPlan {
  readonly items: readonly ExecPlanItem[];
  readonly notes: readonly string[];
}

/** What could not even be found. */
export interface TargetRefusal extends ExecError {
  readonly node: string;
}

export interface ExecPlanOptions extends Wanted {
  /** null for a recording, whose heartbeats were of another day. */
  readonly now: Date | null;
  /** Nodes that are reached before others are begun; null for all. */
  readonly batchSize: number | null;
}

/** Nodes in notes by their name. */
const NAMED = 3;

/** In the order in which they were found, each once; what is not there comes last. Batches are of nodes that can be reached. */
export function planExec(found: { readonly nodes: readonly TargetNode[]; readonly refusals: readonly TargetRefusal[]; readonly notes?: readonly string[] }, options: ExecPlanOptions): ExecPlan {
  const items: ExecPlanItem[] = [];
  const noted = new Map<string, string[]>();
  const of: string[] = [];
  const seen = new Set<string>();
  const size = options.batchSize ?? Number.POSITIVE_INFINITY;
  let reached = 0;
  for (const target of found.nodes) {
    const { name: node, pool } = target.node;
    if (seen.has(node)) continue;
    seen.add(node);
    const support = judgeSupport(target, options.now, options);
    const batch = Math.floor(reached / size);
    if (support.kind === 'refused') {
      items.push({ index: items.length, node, pool, batch, refusal: { reason: support.reason, message: target.by === null ? support.message : `${support.message} (the node of ${target.by})`, remedy: support.remedy } });
      continue;
    }
    reached += 1;
    items.push({ index: items.length, node, pool, batch, refusal: null });
    if (target.by !== null) of.push(`${target.by} is on ${node}`);
    for (const note of support.notes) noted.set(note, [...noted.get(note) ?? [], node]);
  }
  const last = items.at(-1)?.batch ?? 0;
  for (const { node, ...refusal } of found.refusals) {
    if (seen.has(node)) continue;
    seen.add(node);
    items.push({ index: items.length, node, pool: null, batch: last, refusal });
  }
  return { items, notes: [...found.notes ?? [], ...of, ...[...noted].map(([note, nodes]) => `${someOf(nodes, NAMED)}: ${note}`)] };
}
