import type { Config } from '@oclif/core/config';
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
 * What a command reads of oclif's Config is made by hand: loading one searches the disk for plugins and manifests, and
 * the class alone takes 2 ms to load.
 */
export async function runCommandClass(command: CommandClass, id: string, parsed: ParsedArgv, context: CommandContext): Promise<number> {
  const config = {
    name: 'kubectl-win',
    bin: context.programName,
    version: context.version,
    topicSeparator: ' ',
    userAgent: `kubectl-win/${context.version}`,
    scopedEnvVarKeys: () => [],
  } as Partial<Config> as Config; // all that Command's own methods ask for (lib/command.js of @oclif/core 5.1.9)
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
