import type { ExecErrorReason, ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { EXIT_CODES } from '../exit-code.ts';

/** The node, or the command on it, has failed; all others are failures of the cluster or of the way to it, as is a name that the cluster does not have. */
const OF_THE_NODE: ReadonlySet<ExecErrorReason> = new Set(['OsUnknown', 'NotSupported', 'StartFailed', 'CommandNotFound', 'Timeout', 'OutputUnreadable', 'Skipped']);

/** The exit code of a run; `outcomes`: null for what would run, or has not ended. */
export function execExitCode(outcomes: readonly (Pick<ExecOutcome, 'exitCode' | 'error'> | null)[], isPlan: boolean): number {
  const [only = null] = outcomes;
  if (outcomes.length === 1) return exitCodeOfOne(only, isPlan);
  return outcomes.every((outcome) => (outcome === null ? isPlan : outcome.error === null && outcome.exitCode === 0)) ? EXIT_CODES.ok : EXIT_CODES.found;
}

/** The command's own, all 32 bits of it; where there is none, or where 0 does not mean success, one of ours. */
function exitCodeOfOne(outcome: Pick<ExecOutcome, 'exitCode' | 'error'> | null, isPlan: boolean): number {
  if (outcome === null) return isPlan ? EXIT_CODES.ok : EXIT_CODES.cluster;
  const { exitCode, error } = outcome;
  if (error === null) return exitCode ?? EXIT_CODES.cluster;
  if ((exitCode ?? 0) !== 0) return exitCode ?? 0;
  if (error.reason === 'Interrupted') return EXIT_CODES.interrupted;
  // what was named is no node for this
  if (error.reason === 'NotWindows') return EXIT_CODES.usage;
  return OF_THE_NODE.has(error.reason) ? EXIT_CODES.found : EXIT_CODES.cluster;
}
