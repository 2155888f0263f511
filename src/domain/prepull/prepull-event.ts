import type { PlanItem } from './prepull-plan.ts';

/** What became of an item. Field names are a contract: PrepullReport.items. */
export type PrepullResult = 'pulled' | 'present' | 'failed' | 'refused' | 'skipped' | 'pending';

export interface PrepullOutcome {
  readonly result: PrepullResult;
  /** Of the plan, or why it failed: one word. */
  readonly reason: string;
  readonly message: string;
  /** That the pull took, as the kubelet says, else as it was seen from outside; null when there was none. */
  readonly seconds: number | null;
  /** As the kubelet says; null when it did not. */
  readonly sizeBytes: number | null;
  /** Under which the node has what came (pulled-content.ts); null when nothing told. */
  readonly digest: string | null;
}

/** All that can happen in a run, in the order in which it does. */
export type PrepullEvent =
  | { readonly type: 'began'; readonly run: string; readonly namespace: string; readonly items: number }
  | { readonly type: 'started'; readonly item: PlanItem; readonly attempt: number }
  | { readonly type: 'scheduled'; readonly item: PlanItem }
  /** Its pull cannot begin for now, and is tried again: the cluster makes no pod, or its node no sandbox. `message`: what is said of that. */
  | { readonly type: 'stalled'; readonly item: PlanItem; readonly message: string }
  /** Still pulled, so many seconds after a node took it; `message`: what is said of the pod meanwhile, null for nothing. */
  | { readonly type: 'slow'; readonly item: PlanItem; readonly seconds: number; readonly message: string | null }
  /** Pulls go on after a while. */
  | { readonly type: 'retry'; readonly item: PlanItem; readonly attempt: number; readonly seconds: number; readonly message: string }
  /** Nothing is begun for a while: a registry or the API server asked for it, or did not answer. */
  | { readonly type: 'paused'; readonly seconds: number; readonly message: string }
  /** The last one of an item counts: what was pulled is lost where another node has come in the place of its own. */
  | { readonly type: 'finished'; readonly item: PlanItem; readonly outcome: PrepullOutcome }
  /** A node has come, or has become Ready, and this is the plan for it. */
  | { readonly type: 'joined'; readonly node: string; readonly items: readonly PlanItem[] }
  | { readonly type: 'note'; readonly message: string }
  | { readonly type: 'cleaned-up' };
