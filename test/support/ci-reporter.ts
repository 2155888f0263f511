import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import type { MochaOptions, Runner } from 'mocha';

/** How many tests (or checks) ended how. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** `3 passed, 1 failed`, and `, 2 skipped` where there are any. */
export function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

// A run that hangs must end: a CI system would wait for hours.
const graceMilliseconds = 15_000;

/**
 * Mocha's spec reporter, with one plain line of counts at the end. With KUBECTL_WIN_TEST_COUNTS the counts go to that
 * file instead, for run-tests.ts to add up.
 */
class CiReporter extends Mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const counts: Counts = { passed: this.stats.passes, failed: this.stats.failures, skipped: this.stats.pending };
      const file = process.env['KUBECTL_WIN_TEST_COUNTS'];
      if (file === undefined) process.stdout.write(`${countLine(counts)}\n`);
      else writeFileSync(file, JSON.stringify(counts));
      // Fires only if something else keeps the process running; then it says what.
      setTimeout(() => {
        process.stderr.write(`still running ${graceMilliseconds / 1000} s after the last test, held by: ${process.getActiveResourcesInfo().join(', ')}\n`);
        process.kill(process.pid, 'SIGKILL');
      }, graceMilliseconds).unref();
    });
  }
}

// Mocha loads reporters with require(), which takes this name for the whole module.
export { CiReporter as 'module.exports' };
