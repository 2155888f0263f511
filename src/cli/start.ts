import type { CommandTable } from './command-table.ts';
import { EXIT_CODES } from './exit-code.ts';
import { main } from './main.ts';
import { createProcessContext, programNameOf } from './process-context.ts';

/** Runs the program in this process. The exit code is set, never forced: a forced exit cuts off what pipes have not taken yet. */
export async function start(argv: readonly string[], executable: string, table: CommandTable, version: string): Promise<void> {
  const { context, settle } = createProcessContext(version, programNameOf(executable));
  let exitCode: number = EXIT_CODES.bug;
  try {
    exitCode = await main(argv, table, context);
  } finally {
    settle(exitCode);
  }
}
