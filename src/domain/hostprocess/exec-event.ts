/** What happens in a run of `hostprocess exec`. */
import type { ExecOutcome } from './outcome.ts';

export type ExecEvent =
  | { readonly type: 'began'; readonly run: string; readonly namespace: string; readonly nodes: number }
  /** Where there are several; counts from 0. */
  | { readonly type: 'batch'; readonly batch: number; readonly nodes: readonly string[] }
  | { readonly type: 'pause'; readonly seconds: number }
  | { readonly type: 'creating' | 'pulling' | 'started'; readonly node: string; readonly message: string | null }
  /** Once for each node of the plan, also for one that is refused or skipped; not for those that an interruption finds not begun. */
  | { readonly type: 'ended'; readonly node: string; readonly pod: string | null; readonly outcome: ExecOutcome }
  /** No more are begun. */
  | { readonly type: 'stopped'; readonly failures: number; readonly left: number }
  | { readonly type: 'note'; readonly message: string }
  /** Nothing of the run is left in the cluster. */
  | { readonly type: 'cleaned-up' };
