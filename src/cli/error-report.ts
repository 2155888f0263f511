import { AppError, ClusterError, UsageError } from '../errors.ts';
import { visibleControlsInText } from '../output/terminal-text.ts';
import type { CommandContext } from './context.ts';
import { EXIT_CODES } from './exit-code.ts';


/** Openings that kubectl prints without `error: ` before them: https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/util/helpers.go, read 2026-11-30 */
const OWN_OPENINGS = /^(?:error: |Error from server|Error in configuration: |The connection to the server|Unable to connect to the server|The [A-Z]\S* "[^"]*" is invalid)/;

export interface ReportOptions {
  /** `kubectl win nodes`: where the help for a usage error is. */
  readonly commandPath: string;
  /** Level of -v. */
  readonly verbosity: number;
}

/** Prints an error as kubectl does, its next steps below, and tells the exit code. Only defects get a stack. */
export function reportError(error: unknown, context: Pick<CommandContext, 'stderr' | 'env'>, options: ReportOptions): number {
  const lines: string[] = [];
  const isTalkative = options.verbosity >= 6 || context.env['DEBUG'] === 'kubectl-win';
  if (error instanceof AppError) {
    if (error.message !== '') lines.push(OWN_OPENINGS.test(error.message) ? error.message : `error: ${error.message}`);
    lines.push(...error.suggestions);
    if (error instanceof UsageError) lines.push(`See '${options.commandPath} --help' for usage.`);
    if (isTalkative && error instanceof ClusterError && error.cause !== undefined) lines.push(`cause: ${describe(error.cause)}`);
  } else {
    lines.push(`error: internal error: ${describe(error)}`);
    if (isTalkative && error instanceof Error && error.stack !== undefined) lines.push(error.stack);
    else lines.push('This is a defect of kubectl win: please report it, with the output of the same command with -v=6');
  }
  // tabs are kubectl's own indentation
  context.stderr.write(`${lines.map(visibleControlsInText).join('\n')}\n`);
  return error instanceof AppError ? error.exitCode : EXIT_CODES.bug;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
