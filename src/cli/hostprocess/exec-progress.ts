import type { ExecStep } from '../../app/exec-on-nodes.ts';
import { execLine } from '../../output/progress/exec-lines.ts';
import { ExecStatusLine } from '../../output/progress/exec-status-line.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { ProgressLook } from '../progress.ts';

/** Of a run whose result is printed at its end. */
export function execProgressLook(): ProgressLook<ExecStep> {
  const status = new ExecStatusLine();
  return {
    lines: (step) => {
      if (step.type === 'planned') return step.plan.notes.map((note) => visibleControls(`note: ${note}`));
      // what failed stands below the report
      if (step.type === 'ended') return [];
      return [execLine(step)].filter((line) => line !== null);
    },
    isNews: (step) => step.type === 'planned' || step.type === 'note' || step.type === 'stopped',
    status: {
      take: (step, now) => {
        if (step.type !== 'planned') status.take(step, now);
      },
      text: (now, width) => status.text(now, width),
    },
  };
}
