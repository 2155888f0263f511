/** Which nodes a command is run on, and which not. */
import type { WindowsNode } from '../node/windows-node.ts';
import type { ExecError, ExecErrorReason } from './outcome.ts';

export type ExecTarget = { readonly kind: 'node'; readonly name: string } | { readonly kind: 'pod'; readonly namespace: string | null; readonly name: string };

export interface TargetNode {
  readonly node: WindowsNode;
  /** `pod/NAME` that it was named by. */
  readonly by: string | null;
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
  /** 0 for the first. */
  readonly batch: number;
  readonly refusal: ExecError | null;
}

export interface ExecPlan {
  readonly items: readonly ExecPlanItem[];
  readonly notes: readonly string[];
}
