/** How far a pod of a run has come. */
import type { ExecErrorReason } from './outcome.ts';

export type StartState =
  | { readonly state: 'pending'; readonly message: string | null }
  | { readonly state: 'pulling' }
  | { readonly state: 'starting' }
  | { readonly state: 'running'; readonly pod: string }
  | { readonly state: 'ended'; readonly exitCode: number | null }
  | { readonly state: 'failed'; readonly reason: ExecErrorReason; readonly message: string };
