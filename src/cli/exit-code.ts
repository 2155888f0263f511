/** Exit codes of the program (product.md §3, README): what a script can rely on. */
export const EXIT_CODES = {
  /** It ran, and there is nothing to report. */
  ok: 0,
  /** It ran, and found what the user asked to be told: findings at or above --fail-on, a failed node, blockers. */
  found: 1,
  /** Wrong use, input that cannot be read, or output that cannot be written. */
  usage: 2,
  /** The cluster refused or did not answer, or has nothing of the name that was given. */
  cluster: 3,
  /** A defect of this program. */
  bug: 70,
  /** Ctrl-C, SIGTERM or SIGHUP, after clean-up. */
  interrupted: 130,
} as const;

/** An exit code as the process can really give it. */
export interface ProcessExitCode {
  /** 0 to 255. */
  readonly code: number;
  /** The number that was asked for, when it had to be changed; null when it fits. */
  readonly original: number | null;
}

/**
 * Fits a 32-bit Windows exit code into what a process can return. POSIX keeps the low byte only, so that
 * 256 and 0x80070100 would read as success: those become 1.
 */
export function clampExitCode(exitCode: number): ProcessExitCode {
  if (!Number.isInteger(exitCode)) return { code: EXIT_CODES.bug, original: null };
  if (exitCode >= 0 && exitCode <= 255) return { code: exitCode, original: null };
  const lowByte = exitCode & 0xff;
  return { code: lowByte === 0 ? 1 : lowByte, original: exitCode };
}
