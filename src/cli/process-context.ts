import { basename } from 'node:path';
import { PipeClosed, type CommandContext } from './context.ts';
import { EXIT_CODES } from './exit-code.ts';
import { realPorts } from './wiring.ts';

/** How long a cancelled command may clean up before a closed pipe ends the process, in milliseconds. */
const PIPE_GRACE_MS = 2000;

const OUTPUT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the device', EDQUOT: 'the disk quota is used up', EFBIG: 'the file is too large', EIO: 'input/output error',
};

/** A terminal signals the whole process group, and a launcher passes the signal on: both are one Ctrl-C. Milliseconds. */
const SAME_SIGNAL_MS = 250;

/** The context of a real process, and how it came to an end from outside. */
export interface ProcessContext {
  readonly context: CommandContext;
  /** Exit code that Ctrl-C, SIGTERM or a closed stdout asks for; null when nothing did. */
  readonly forcedExitCode: () => number | null;
}

/**
 * Joins a command to the running process. The first Ctrl-C aborts the signal so that the command can clean up, the
 * second one kills; a reader that goes away (`| head -1`) ends the program quietly with 0, as the reader has what it wanted; a full disk
 * ends it with an error.
 */
export function createProcessContext(version: string, programName: string): ProcessContext {
  const controller = new AbortController();
  let forced: number | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) return;
    setTimeout(() => {
      process.removeListener('SIGINT', onSignal);
      process.removeListener('SIGTERM', onSignal);
    }, SAME_SIGNAL_MS).unref();
    forced = EXIT_CODES.interrupted;
    process.exitCode = forced;
    controller.abort(new DOMException(`interrupted by ${name}`, 'AbortError'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (forced === null && error.code !== 'EPIPE') {
      forced = EXIT_CODES.usage;
      process.stderr.write(`error: standard output cannot be written: ${OUTPUT_PROBLEMS[error.code ?? ''] ?? error.message}\n`);
      // told, and from here on as good as a closed pipe: @oclif/core's own listener (lib/command.js) throws all else
      error.code = 'EPIPE';
    }
    forced ??= EXIT_CODES.ok;
    process.exitCode = forced;
    if (!controller.signal.aborted) controller.abort(new PipeClosed('stdout was closed'));
    // open sockets would keep the process; nobody reads any more, so nothing can be cut off
    setTimeout(() => process.exit(forced ?? EXIT_CODES.ok), PIPE_GRACE_MS).unref(); // eslint-disable-line unicorn/no-process-exit -- see above
  };
  process.stdout.prependListener('error', onOutputError);
  // whatever is wrong with stderr, there is nobody left to tell
  process.stderr.on('error', () => undefined);
  return {
    context: {
      programName, version,
      platform: process.platform,
      // opened when a command reads it
      get stdin() {
        return process.stdin;
      },
      stdout: process.stdout, stderr: process.stderr,
      env: process.env,
      clock: { now: () => new Date() },
      signal: controller.signal,
      ports: realPorts,
    },
    forcedExitCode: () => forced,
  };
}

/** `kubectl win` from the name of the executable: kubectl turns dashes of a plugin's name into words and underscores into dashes. */
export function programNameOf(executable: string): string {
  const match = /^kubectl-([\w-]+?)(?:\.exe|\.js|\.cmd)?$/i.exec(basename(executable));
  if (match === null) return 'kubectl win';
  return ['kubectl', ...(match[1] ?? '').split('-').map((word) => word.replaceAll('_', '-'))].join(' ');
}
