import { fstatSync, writeSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { PipeClosed, type CommandContext } from './context.ts';
import { EXIT_CODES } from './exit-code.ts';
import { realPorts } from './wiring.ts';

/** SIGHUP: the terminal or the connection to it was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long a process whose command has ended may close what is open when nobody reads any more, in milliseconds. */
const PIPE_GRACE_MS = 2000;

const OUTPUT_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the device', EDQUOT: 'the disk quota is used up', EFBIG: 'the file is too large', EIO: 'input/output error',
};

/** A terminal signals the whole process group, and a launcher passes the signal on: both are one Ctrl-C. Milliseconds. */
const SAME_SIGNAL_MS = 250;

/** The context of a real process, and its end. */
export interface ProcessContext {
  readonly context: CommandContext;
  /** Sets the exit code of the process, now that the command has given its own. */
  readonly settle: (exitCode: number) => void;
}

/**
 * Joins a command to the running process. The first Ctrl-C (or SIGTERM, or the terminal that closes) aborts the signal so
 * that the command can clean up, the second one kills; a reader that goes away (`| head -1`) aborts it, too,
 * and what that means is the command's (main.ts); a full disk ends it with an error.
 * A process that ends before `settle` was called ends with the code of a defect, and says so.
 */
export function createProcessContext(version: string, programName: string): ProcessContext {
  const controller = new AbortController();
  let forced: number | null = null;
  let settled: number | null = null;
  // nothing waits for a promise that never settles: Node ends then, and would end with 0
  process.exitCode = EXIT_CODES.bug;
  process.on('exit', () => {
    if (settled !== null || forced !== null) return;
    process.exitCode = EXIT_CODES.bug; // an error that nothing caught ends with 1, which means findings here
    writeNow('error: internal error: ended before an answer was known\nThis is a defect of kubectl win: please report it, with the output of the same command with -v=6\n');
  });
  let isTold = false;
  const onSignal = (name: NodeJS.Signals): void => {
    if (isTold) return;
    isTold = true;
    setTimeout(() => {
      for (const signal of SIGNALS) process.removeListener(signal, onSignal);
    }, SAME_SIGNAL_MS).unref();
    forced ??= EXIT_CODES.interrupted;
    process.exitCode = forced;
    if (!controller.signal.aborted) controller.abort(new DOMException(`interrupted by ${name}`, 'AbortError'));
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  /** Open sockets would keep a process that has nothing left to do and nobody to write to. */
  const endSoon = (): void => {
    if (settled !== null && controller.signal.aborted) setTimeout(() => process.exit(), PIPE_GRACE_MS).unref(); // eslint-disable-line unicorn/no-process-exit -- see above
  };
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE' && forced === null) {
      forced = EXIT_CODES.usage;
      process.exitCode = forced;
      process.stderr.write(`error: standard output cannot be written: ${OUTPUT_PROBLEMS[error.code ?? ''] ?? error.message}\n`);
    }
    // told, and from here on as good as a closed pipe: @oclif/core's own listener (lib/command.js) throws all else
    error.code = 'EPIPE';
    if (!controller.signal.aborted) controller.abort(new PipeClosed('stdout was closed'));
    endSoon();
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
        return isFolder(0) ? unreadable('EISDIR') : process.stdin;
      },
      stdout: process.stdout, stderr: process.stderr,
      env: process.env,
      workingFolder: process.cwd(),
      get user() {
        return `${userName(process.env)}@${hostname()}`;
      },
      clock: { now: () => new Date() },
      signal: controller.signal,
      ports: realPorts,
    },
    settle: (exitCode) => {
      settled = exitCode;
      process.exitCode = forced ?? exitCode;
      endSoon();
    },
  };
}

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // in a container a user may have a number and no entry
    return env['USER'] ?? env['USERNAME'] ?? String(process.getuid?.() ?? 'unknown');
  }
}

/** Node takes a folder as standard input (`< /`) for an empty file. */
function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    return false;
  }
}

function unreadable(code: string): Readable {
  return new Readable({
    read() {
      this.destroy(Object.assign(new Error(code), { code }));
    },
  });
}

/** To stderr while the process ends, when streams write no more. */
function writeNow(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // nobody left to tell
  }
}

/** `kubectl win` from the name of the executable: kubectl turns dashes of a plugin's name into words and underscores into dashes. */
export function programNameOf(executable: string): string {
  const match = /^kubectl-([\w-]+?)(?:\.exe|\.js|\.cmd)?$/i.exec(basename(executable));
  if (match === null) return 'kubectl win';
  return ['kubectl', ...(match[1] ?? '').split('-').map((word) => word.replaceAll('_', '-'))].join(' ');
}
