/** What became of a command on a node. */

export type ExecErrorReason =
  | 'NotFound' | 'NotWindows' | 'OsUnknown' | 'NotSupported' | 'NotReady' | 'NodeLost' | 'NodeFull' | 'Refused' | 'QuotaExceeded' | 'PullFailed' | 'StartTimeout' | 'StartFailed' | 'CommandNotFound'
  | 'Timeout' | 'ConnectionLost' | 'EndNotSeen' | 'UpgradeRefused' | 'Forbidden' | 'Deleted' | 'Interrupted' | 'Skipped' | 'Unknown';

export interface ExecError {
  readonly reason: ExecErrorReason;
  readonly message: string;
}

export interface ExecOutcome {
  /** The command's own, 0 to 4294967295; null where it has not ended, or not begun. */
  readonly exitCode: number | null;
  readonly error: ExecError | null;
  /** On the node, where the runner has said it. */
  readonly pid: number | null;
  /** Of the command, without the start of its pod. */
  readonly durationSeconds: number;
}
