/** What happens in a run of `hostprocess exec`. */
import type { ExecOutcome } from './outcome.ts';

export type ExecEvent =
  | { readonly type: 'began'; readonly run: string; readonly namespace: string; readonly nodes: number }
  | { readonly type: 'batch'; readonly batch: number; readonly nodes: readonly string[] }
  | { readonly type: 'pause'; readonly seconds: number }
  | { readonly type: 'creating' | 'pulling' | 'started'; readonly node: string; readonly message: string | null }
  | { readonly type: 'ended'; readonly node: string; readonly pod: string | null; readonly outcome: ExecOutcome }
  /** No more are begun. */
  | { readonly type: 'stopped'; readonly failures: number; readonly left: number }
  | { readonly type: 'note'; readonly message: string }
  | { readonly type: 'cleaned-up' };
