/** What became of a command on a node. */
import type { Sign } from './command/transport.ts';

export type ExecErrorReason =
  | 'NotFound' | 'NotWindows' | 'OsUnknown' | 'NotSupported' | 'NotReady' | 'NodeLost' | 'NodeFull' | 'Refused' | 'QuotaExceeded' | 'PullFailed' | 'StartTimeout' | 'StartFailed' | 'CommandNotFound'
  | 'Timeout' | 'ConnectionLost' | 'EndNotSeen' | 'OutputUnreadable' | 'UpgradeRefused' | 'Forbidden' | 'Deleted' | 'Interrupted' | 'Skipped' | 'Unknown';

export interface ExecError {
  readonly reason: ExecErrorReason;
  /** A clause or two without a full stop. */
  readonly message: string;
  /** What to do, imperative, with a full stop. */
  readonly remedy?: string | null;
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

/** How a command came to its end, as far as it was seen. */
export interface CommandEnd {
  /** What the API server says; null where the connection ended without. */
  readonly exitCode: number | null;
  /** Why it ended without. */
  readonly error: ExecError | null;
  readonly signs: readonly Sign[];
  /** What has become of its pod meanwhile; null where it is there and runs, or that is not known. */
  readonly lost?: ExecError | null;
  /** Whether signs come at all: not from a terminal, and not from a command that is sent as it is. */
  readonly hasSigns: boolean;
  /** What takes the command up on the node: `powershell.exe`. */
  readonly program: string;
  readonly durationSeconds: number;
}

/**
 * Exit code 0 counts together with the runner's end sign alone: the API server says 0 also where its own connection to the kubelet breaks
 * (https://github.com/kubernetes/kubectl/issues/1726, open, 2026-11-30). A code in the end sign is the command's own, whatever came after it.
 */
export function outcomeOf(end: CommandEnd): ExecOutcome {
  const { exitCode, error, signs, lost = null, hasSigns, program, durationSeconds } = end;
  const pid = signs.find((sign) => sign.sign === 'start')?.pid ?? null;
  const of = (code: number | null, why: ExecError | null): ExecOutcome => ({ exitCode: code, error: why, pid, durationSeconds });
  const failed = signs.find((sign) => sign.sign === 'failed');
  if (failed !== undefined) return of(null, { reason: REASON_OF_SIGN[failed.reason], message: failed.message === '' ? `${program} could not start the command` : failed.message });
  const ended = signs.find((sign) => sign.sign === 'end');
  const told = ended?.code ?? null;
  if (told !== null && (exitCode === null || exitCode === 0)) return of(told, null);
  if (lost !== null && mayBeCutOff(end)) return of(null, { ...lost, message: `${lost.message}; the end of the command was not seen (${exitCode === null ? error?.message ?? 'no exit code came' : `the API server says exit code ${exitCode}`})` });
  if (error !== null || exitCode === null) return of(null, error ?? { reason: 'Unknown', message: 'it ended without an exit code' });
  if (!hasSigns || ended !== undefined) return of(exitCode, null);
  if (exitCode === 0) return of(null, { reason: 'EndNotSeen', message: 'the API server says that it ended with 0, and the sign of its end did not come: the connection to the kubelet broke, or a script ended its own process' });
  // the code of a runner that was killed, or of a script that ended its own process
  if (pid !== null) return of(exitCode, null);
  return of(null, notTakenUp(program, exitCode));
}

/**
 * Whether it may have ended with its pod: of what is killed that way the kubelet says an exit code, too. Without signs a code but 0 may be the
 * command's own or that.
 */
export function mayBeCutOff({ exitCode, error, signs, hasSigns }: Pick<CommandEnd, 'exitCode' | 'error' | 'signs' | 'hasSigns'>): boolean {
  if (error !== null) return OF_THE_WAY.has(error.reason) && !signs.some(({ sign }) => sign === 'end' || sign === 'failed');
  return hasSigns ? !signs.some(({ sign }) => sign === 'end' || sign === 'failed') : exitCode !== 0;
}

const OF_THE_WAY: ReadonlySet<ExecErrorReason> = new Set(['ConnectionLost', 'EndNotSeen', 'NodeLost', 'Unknown']);

const REASON_OF_SIGN = { NotFound: 'CommandNotFound', StartFailed: 'StartFailed', Refused: 'Refused' } as const;

function notTakenUp(program: string, exitCode: number): ExecError {
  if (/^pwsh/i.test(program)) return { reason: 'CommandNotFound', message: `${program} is not on the node, or does not start there (exit code ${exitCode})`, remedy: 'Use Windows PowerShell, which every node has (--shell powershell).' };
  return { reason: 'StartFailed', message: `${program} ended with exit code ${exitCode} before it took the command up` };
}

/**
 * Why a runtime could not start a program: of hcsshim, Windows and runc
 * (https://github.com/microsoft/hcsshim/blob/7c9ff7f/internal/jobcontainers/path.go, https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-, read 2026-11-30).
 */
export function startFailure(message: string): ExecError {
  const isMissing = /cannot find the (?:file|path) specified|0x2\b|executable file not found|no such file or directory|does not exist in job container PATH/i.test(message);
  return { reason: isMissing ? 'CommandNotFound' : 'StartFailed', message };
}

/** A sentence of what may help; where one of it is a text of several lines, as a role is, each stays on lines of its own, to be copied. null for nothing. */
export function remedyOf(suggestions: readonly string[]): string | null {
  if (suggestions.length === 0) return null;
  return suggestions.some((one) => one.includes('\n')) ? suggestions.join('\n') : `${suggestions.join('; ')}.`;
}

/** Not begun, and why. */
export function notBegun(error: ExecError): ExecOutcome {
  return { exitCode: null, error, pid: null, durationSeconds: 0 };
}

export function isSuccess({ exitCode, error }: ExecOutcome): boolean {
  return exitCode === 0 && error === null;
}
