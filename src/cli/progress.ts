/** What is told of long work while it is under way, on stderr. */
import { startSpinner } from '../output/progress/spinner.ts';
import type { CommandContext } from './context.ts';
import { isColourAllowed } from './warnings.ts';

export interface Progress<Step> {
  take(step: Step): void;
  /** Before anything else is printed; any number of times. */
  stop(): void;
}

/** What the steps of some work look like. */
export interface ProgressLook<Step> {
  /** Each is printed where lines stay: pipes, logs, CI. */
  lines(step: Step): readonly string[];
  /** Whether its lines are printed above the line that changes, too. */
  isNews(step: Step): boolean;
  /** Of the one line that a terminal shows. */
  readonly status: { take(step: Step, now: Date): void; text(now: Date, width: number): string };
}

/** The spinner and a blank. */
const SPINNER_WIDTH = 2;
/** A terminal that is narrower, or that does not know its width and says 0, for which ora would wipe lines without end, gets lines. */
const LEAST_WIDTH = 20;
/** How often the time in the line goes on, in milliseconds. */
const REFRESH_MS = 1_000;

/** A line that changes on a terminal, a line per change elsewhere and in CI, where what is overwritten is read by nobody. */
export async function showProgress<Step>(context: CommandContext, look: ProgressLook<Step>): Promise<Progress<Step>> {
  const { stderr, env } = context;
  const isInteractive = stderr.isTTY === true && (stderr.columns ?? 80) >= LEAST_WIDTH && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === '';
  return isInteractive ? spinnerProgress(context, look) : linesProgress(look, (line) => void stderr.write(`${line}\n`));
}

function linesProgress<Step>(look: ProgressLook<Step>, print: (line: string) => void): Progress<Step> {
  return {
    take: (step) => {
      for (const line of look.lines(step)) print(line);
    },
    stop: () => undefined,
  };
}

async function spinnerProgress<Step>(context: CommandContext, look: ProgressLook<Step>): Promise<Progress<Step>> {
  const { stderr, clock } = context;
  const width = (): number => Math.max(1, (stderr.columns ?? 80) - SPINNER_WIDTH - 1);
  const text = (): string => look.status.text(clock.now(), width());
  const spinner = await startSpinner(stderr, { text: text(), colour: isColourAllowed(stderr, context) });
  const timer = setInterval(() => spinner.show(text()), REFRESH_MS);
  timer.unref();
  let isStopped = false;
  const lines = linesProgress(look, (line) => (isStopped ? void stderr.write(`${line}\n`) : spinner.print(line)));
  return {
    take: (step) => {
      look.status.take(step, clock.now());
      if (look.isNews(step)) lines.take(step);
      if (!isStopped) spinner.show(text());
    },
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      spinner.stop();
    },
  };
}
