import type { PrepullStep } from '../../app/prepull-images.ts';
import { prepullLine } from '../../output/progress/prepull-lines.ts';
import { PrepullStatusLine } from '../../output/progress/prepull-status-line.ts';
import { startSpinner } from '../../output/progress/spinner.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { CommandContext } from '../context.ts';
import { isColourAllowed } from '../warnings.ts';

/** What is told of a run while it is under way, on stderr. */
export interface Progress {
  take(step: PrepullStep): void;
  /** Before anything else is printed. */
  stop(): void;
}

/** The spinner and a blank. */
const SPINNER_WIDTH = 2;
/** A terminal that is narrower, or that does not know its width and says 0, for which ora would wipe lines without end, gets lines. */
const LEAST_WIDTH = 20;
/** How often the time in the line goes on, in milliseconds. */
const REFRESH_MS = 1_000;

/** A line that changes on a terminal, a line per change elsewhere and in CI, where what is overwritten is read by nobody. */
export async function showProgress(context: CommandContext): Promise<Progress> {
  const { stderr, env } = context;
  const isInteractive = stderr.isTTY === true && (stderr.columns ?? 80) >= LEAST_WIDTH && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === '';
  return isInteractive ? spinnerProgress(context) : linesProgress((line) => void stderr.write(`${line}\n`));
}

function linesProgress(print: (line: string) => void): Progress {
  return {
    take: (step) => {
      if (step.type === 'planned') for (const note of step.plan.notes) print(visibleControls(`note: ${note}`));
      const line = step.type === 'planned' ? null : prepullLine(step);
      if (line !== null) print(line);
    },
    stop: () => undefined,
  };
}

async function spinnerProgress(context: CommandContext): Promise<Progress> {
  const { stderr, clock } = context;
  const status = new PrepullStatusLine();
  const width = (): number => Math.max(1, (stderr.columns ?? 80) - SPINNER_WIDTH - 1);
  const text = (): string => status.text(clock.now(), width());
  const spinner = await startSpinner(stderr, { text: text(), colour: isColourAllowed(stderr, context) });
  const timer = setInterval(() => spinner.show(text()), REFRESH_MS);
  timer.unref();
  const lines = linesProgress((line) => spinner.print(line));
  return {
    take: (step) => {
      // what goes well is counted; what does not is read
      const isNews = step.type === 'planned' || step.type === 'note' || (step.type === 'slow' && step.message !== null) || step.type === 'retry' || step.type === 'joined' || step.type === 'paused' || (step.type === 'finished' && step.outcome.result === 'failed');
      if (step.type !== 'planned') status.take(step, clock.now());
      if (isNews) lines.take(step);
      spinner.show(text());
    },
    stop: () => {
      clearInterval(timer);
      spinner.stop();
    },
  };
}
