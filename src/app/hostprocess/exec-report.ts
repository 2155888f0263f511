/** What a run of `hostprocess exec` has done, as data. */
import type { ExecEvent } from '../../domain/hostprocess/exec-event.ts';
import type { ExecPlan } from '../../domain/hostprocess/exec-plan.ts';
import { isSuccess, notBegun, type ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import type { SourceDescription } from '../ports.ts';

export interface ExecItem {
  readonly node: string;
  readonly pod: string | null;
  /** null: not begun, or not ended yet. */
  readonly outcome: ExecOutcome | null;
}

export interface ExecReport {
  readonly source: SourceDescription;
  readonly serverVersion: string | null;
  /** null: nothing was to be created. */
  readonly run: string | null;
  readonly namespace: string | null;
  readonly phase: 'planned' | 'running' | 'succeeded' | 'failed' | 'interrupted';
  readonly items: readonly ExecItem[];
  readonly notes: readonly string[];
}

/** Items of a plan as their events come. */
export class ExecProgress {
  readonly #items: Map<string, ExecItem>;

  constructor({ items }: ExecPlan) {
    this.#items = new Map(items.map(({ node, refusal }) => [node, { node, pod: null, outcome: refusal === null ? null : notBegun(refusal) }]));
  }

  take(event: ExecEvent): void {
    if (event.type === 'ended') this.#items.set(event.node, { node: event.node, pod: event.pod, outcome: event.outcome });
  }

  /** In the order of the plan. */
  get items(): readonly ExecItem[] {
    return [...this.#items.values()];
  }

  get hasSucceeded(): boolean {
    return this.items.length > 0 && this.items.every(({ outcome }) => outcome !== null && isSuccess(outcome));
  }
}
