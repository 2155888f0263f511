import type { PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { writeRecord, type RecordedResult, type RunRecord } from '../../domain/prepull/run-record.ts';

/** What a run set out to pull, and what has become of it. */
export class RunLedger {
  readonly startedAt: string;
  readonly #counts: { readonly refused: number; readonly skipped: number };
  readonly #planned = new Set<string>();
  readonly #results = new Map<string, { readonly item: PlanItem; readonly recorded: RecordedResult }>();

  /** `counts`: of the plan, for the record. */
  constructor(startedAt: string, counts: { readonly refused: number; readonly skipped: number }) {
    this.startedAt = startedAt;
    this.#counts = { refused: counts.refused, skipped: counts.skipped };
  }

  plan(items: readonly PlanItem[]): void {
    for (const item of items) this.#planned.add(keyOf(item));
  }

  get planned(): number {
    return this.#planned.size;
  }

  get isEmpty(): boolean {
    return this.#results.size === 0;
  }

  get hasFailures(): boolean {
    return [...this.#results.values()].some(({ recorded }) => recorded.result === 'failed');
  }

  /** The last word on an item counts. */
  finish(item: PlanItem, { result, reason }: PrepullOutcome): void {
    if (result !== 'pulled' && result !== 'present' && result !== 'failed') return;
    const key = keyOf(item);
    // the latest stay where there is no room for all
    this.#results.delete(key);
    this.#results.set(key, { item, recorded: { node: item.node, image: item.image, result, reason: result === 'failed' ? reason : null } });
  }

  /** Items of a node that went well. */
  warmOn(node: string): readonly PlanItem[] {
    return [...this.#results.values()].filter(({ item, recorded }) => item.node === node && recorded.result !== 'failed').map(({ item }) => item);
  }

  record(phase: RunRecord['phase']): string {
    return writeRecord({ startedAt: this.startedAt, phase, planned: this.planned, ...this.#counts, results: [...this.#results.values()].map(({ recorded }) => recorded) });
  }
}

function keyOf({ node, image }: PlanItem): string {
  return `${node} ${image}`;
}
