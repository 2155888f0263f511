/** What `kubectl win prepull` planned and did. Contract: product.md §4, PrepullReport. */
import type { PrepullEvent, PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { estimateByNode, type NodeEstimate } from '../../domain/prepull/pull-estimate.ts';
import type { SourceDescription } from '../ports.ts';

export type PrepullPhase = 'planned' | 'running' | 'succeeded' | 'failed' | 'interrupted';

export interface PrepullItem extends PlanItem {
  readonly result: PrepullOutcome['result'];
  /** Why it ended as it did; while nothing has been done, of the plan. */
  readonly outcome: PrepullOutcome | null;
}

export interface PrepullSummary {
  readonly nodes: number;
  readonly images: number;
  readonly items: number;
  readonly pulled: number;
  readonly present: number;
  readonly skipped: number;
  readonly failed: number;
  readonly refused: number;
  readonly pending: number;
  /** Compressed bytes that the plan fetches onto all nodes together, each layer once onto a node, of items whose size is known; and how many are not. */
  readonly plannedBytes: number;
  readonly unknownSizes: number;
  /** By which the sizes of the images are more: layers that they share. */
  readonly sharedBytes: number;
  /** Of plannedBytes, those of the node that gets most. */
  readonly mostBytesOnNode: number;
  /** Share of items that are on their nodes now, 0 to 1; 0 where there is no item. */
  readonly success: number;
}

export interface PrepullReport {
  readonly source: SourceDescription;
  readonly serverVersion: string | null;
  /** null while nothing runs. */
  readonly run: string | null;
  readonly namespace: string | null;
  readonly phase: PrepullPhase;
  /** Of a run that was interrupted: what is done is on record, and the same command takes the rest up. Absent: no. */
  readonly isOnRecord?: boolean;
  readonly items: readonly PrepullItem[];
  readonly notes: readonly string[];
}

/** Follows a run event by event. */
export class PrepullProgress {
  readonly #items: Map<string, PrepullItem>;

  constructor(plan: readonly PlanItem[]) {
    this.#items = new Map(plan.map((item) => [keyOf(item), plannedItem(item)]));
  }

  take(event: PrepullEvent): void {
    if (event.type === 'joined') for (const item of event.items) this.#items.set(keyOf(item), plannedItem(item));
    if (event.type === 'finished') this.#items.set(keyOf(event.item), endedItem(event));
  }

  get items(): readonly PrepullItem[] {
    return [...this.#items.values()];
  }
}

/** Before anything is done. */
export function plannedItem(item: PlanItem): PrepullItem {
  return { ...item, result: plannedResult(item), outcome: null };
}

export function endedItem({ item, outcome }: PrepullEvent & { readonly type: 'finished' }): PrepullItem {
  return { ...item, result: outcome.result, outcome };
}

/** Of a run that has ended: why it was to be pulled is not why it was not. */
export function neverBegun(item: PrepullItem): PrepullItem {
  if (item.result !== 'pending' || item.outcome !== null) return item;
  return { ...item, outcome: { result: 'pending', reason: 'Interrupted', message: 'the run was interrupted before it was there', seconds: null, sizeBytes: null, digest: null } };
}

function plannedResult({ action }: PlanItem): PrepullItem['result'] {
  return action === 'skip' ? 'skipped' : action === 'refuse' ? 'refused' : 'pending';
}

function keyOf({ node, image }: PlanItem): string {
  return `${node} ${image}`;
}

export function prepullSummary(items: readonly PrepullItem[]): PrepullSummary {
  const count = (result: PrepullItem['result']): number => items.filter((item) => item.result === result).length;
  const estimates = estimateByNode(items);
  const sum = (of: (estimate: NodeEstimate) => number): number => estimates.reduce((total, estimate) => total + of(estimate), 0);
  const warm = count('pulled') + count('present') + count('skipped');
  return {
    nodes: new Set(items.map(({ node }) => node)).size, images: new Set(items.map(({ image }) => image)).size, items: items.length,
    pulled: count('pulled'), present: count('present'), skipped: count('skipped'), failed: count('failed'), refused: count('refused'), pending: count('pending'),
    plannedBytes: sum(({ plannedBytes }) => plannedBytes), unknownSizes: sum(({ unknownSizes }) => unknownSizes), sharedBytes: sum(({ sharedBytes }) => sharedBytes),
    mostBytesOnNode: estimates.reduce((most, { plannedBytes }) => Math.max(most, plannedBytes), 0),
    success: items.length === 0 ? 0 : warm / items.length,
  };
}
