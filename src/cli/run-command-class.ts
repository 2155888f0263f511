import { Config } from '@oclif/core/config';
import type { ParsedArgv } from './argv.ts';
import type { CommandClass } from './base-command.ts';
import type { CommandContext } from './context.ts';
import { EXIT_CODES } from './exit-code.ts';

/** oclif's protected entry, which its own static `run` calls after it has read package.json; here nothing is read. */
interface Runnable {
  _run(): Promise<unknown>;
}

/**
 * Runs one command with what was typed and gives its exit code; errors are thrown.
 * oclif's Config is built by hand: loading it searches the disk for plugins and manifests.
 */
export async function runCommandClass(command: CommandClass, id: string, parsed: ParsedArgv, context: CommandContext): Promise<number> {
  const config = new Config({ root: '/' });
  config.name = 'kubectl-win';
  config.bin = context.programName;
  config.version = context.version;
  config.topicSeparator = ' ';
  config.userAgent = `kubectl-win/${context.version}`;
  const instance = new command(parsed, config, context);
  instance.id = id;
  const exitCode = await (instance as unknown as Runnable)._run();
  if (instance.areWarningsErrors && instance.warningCount > 0) {
    // https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/cmd.go, read 2026-11-30
    context.stderr.write(`error: ${instance.warningCount} ${instance.warningCount === 1 ? 'warning' : 'warnings'} received\n`);
    return EXIT_CODES.found;
  }
  return typeof exitCode === 'number' ? exitCode : EXIT_CODES.ok;
}
