/** An object that a run may have left behind. */

export interface Leftover {
  readonly resource: 'jobs' | 'pods';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** '' where its label is missing. */
  readonly run: string;
  readonly node: string | null;
  readonly origin: string | null;
  readonly createdAt: string | null;
  /** `own`: in the local record, by UID. `others`: ours by its shape. `forged`: has our labels and another shape. */
  readonly judgement: 'own' | 'others' | 'forged';
  /** Whether its pod may run still. */
  readonly isAlive: boolean;
  /** When the cluster ends it by itself. */
  readonly endsBy: string | null;
  /** A clause without a full stop. */
  readonly because: string;
}
