/** What a run of `hostprocess exec` has done, as data. */
import type { ExecOutcome } from '../../domain/hostprocess/outcome.ts';
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
