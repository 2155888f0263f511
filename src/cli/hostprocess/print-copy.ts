/** `kubectl win hostprocess cp`. */
import { copyFiles, type CopyReport } from '../../app/copy-files.ts';
import type { ExecStep } from '../../app/exec-on-nodes.ts';
import type { CopyItem, CopyResult, CopyTotals } from '../../app/hostprocess/copy/copy-ledger.ts';
import type { ExecPlan } from '../../domain/hostprocess/exec-plan.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { InterruptedError, UnfinishedError } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { renderObjects, renderObjectsAsJson } from '../../output/objects.ts';
import { CopyStatusLine } from '../../output/progress/copy-status-line.ts';
import { failureText } from '../../output/progress/exec-lines.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { copyView } from '../../output/views/copy.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand } from '../base-command.ts';
import { PipeClosed } from '../context.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { showProgress, type Progress, type ProgressLook } from '../progress.ts';
import type { Settings } from '../settings.ts';
import { confirmRun } from './confirm.ts';
import type { copyFlags } from './copy-flags.ts';
import type { CopyCommandLine } from './copy-request.ts';
import { execExitCode } from './exec-exit-code.ts';
import { execProgressLook } from './exec-progress.ts';
import { openSink } from './open-sink.ts';
import { runSurroundings } from './run-surroundings.ts';

export type CopyCommand = BaseCommand<{ readonly flags: typeof copyFlags }>;

/** Files that are named below the table. */
const MOST_NAMED = 10;

/** Plans, asks, copies, prints, and gives the exit code. */
export async function printCopy(command: CopyCommand, request: CopyCommandLine): Promise<number> {
  const { context, signal } = command;
  const settings = await command.settings();
  const local = await context.ports.openLocalTree(request.places.localPath);
  const run = new ShownCopy(command, request);
  const isDryRun = request.run.dryRun !== 'none';
  try {
    const { reader, writer, exec } = await command.openCluster();
    const records = isDryRun ? null : await context.ports.openLocalRuns(context, (notice) => command.note(`note: ${visibleControls(notice)}`));
    const steps = copyFiles({
      ...request.run, ...request.places, platform: context.platform, ...runSurroundings(command, settings, { pod: request.pod, what: 'hostprocess cp', reason: request.reason }), confirm: (plan) => run.confirm(plan, settings),
    }, { reader, writer, exec, records, clock: { now: () => context.clock.now(), sleep: context.ports.sleep }, local, openSink, onProgress: (totals) => run.show(totals) }, (report) => {
      run.report = report;
    });
    await run.follow(steps);
  } catch (error) {
    if (signal.reason instanceof PipeClosed && !isDryRun) throw new UnfinishedError('interrupted: standard output was closed; what has arrived stays, and the next copy goes on behind it', { cause: error });
    if (run.report === null || signal.reason instanceof PipeClosed) throw error;
    await run.finish(run.report);
    throw signal.aborted ? new InterruptedError('interrupted: what has arrived stays, and the next copy goes on behind it', { cause: error }) : error;
  } finally {
    await local.close();
  }
  if (run.report === null) throw new Error('the copy ended without a report');
  return run.finish(run.report);
}

type CopyStep = ExecStep | { readonly type: 'copying'; readonly totals: CopyTotals };

function copyProgressLook(): ProgressLook<CopyStep> {
  const session = execProgressLook();
  const copy = new CopyStatusLine();
  return {
    lines: (step) => (step.type === 'copying' ? [] : session.lines(step)),
    isNews: (step) => step.type !== 'copying' && session.isNews(step),
    status: {
      take: (step, now) => (step.type === 'copying' ? copy.take(step.totals, now) : session.status.take(step, now)),
      text: (now, width) => copy.text(now, width) ?? session.status.text(now, width),
    },
  };
}

/** A copy as the user sees it. */
class ShownCopy {
  report: CopyReport | null = null;
  readonly #command: CopyCommand;
  readonly #request: CopyCommandLine;
  #progress: Progress<CopyStep> | null = null;
  #objects: readonly KubeObject[] = [];
  #isDeclined = false;

  constructor(command: CopyCommand, request: CopyCommandLine) {
    this.#command = command;
    this.#request = request;
  }

  show(totals: CopyTotals): void {
    this.#progress?.take({ type: 'copying', totals });
  }

  async confirm(plan: ExecPlan, settings: Settings): Promise<boolean> {
    this.#progress?.stop();
    const isConfirmed = await confirmRun(plan, { confirmAbove: settings.hostProcess.confirmAbove, isAnswered: this.#command.flags.yes, runAsUserName: this.#request.pod.runAsUserName, what: 'a copy', stdinUsedBy: null }, this.#command.context);
    this.#isDeclined = !isConfirmed;
    if (isConfirmed) this.#progress = await showProgress(this.#command.context, copyProgressLook());
    return isConfirmed;
  }

  async follow(steps: AsyncIterable<ExecStep>): Promise<void> {
    this.#progress = await showProgress(this.#command.context, copyProgressLook());
    try {
      for await (const step of steps) {
        if (step.type === 'planned') this.#objects = step.objects;
        this.#progress.take(step);
      }
    } finally {
      this.#progress.stop();
    }
  }

  /** Prints the report, and gives the exit code. */
  async finish(report: CopyReport): Promise<number> {
    if (this.#isDeclined) {
      this.#command.note('Nothing was copied');
      return EXIT_CODES.found;
    }
    const { format } = this.#request;
    const { stdout, context } = this.#command;
    const isPlan = report.phase === 'planned';
    if (isPlan && (format.name === 'yaml' || format.name === 'json')) await writeOut(stdout, format.name === 'yaml' ? renderObjects(this.#objects) : renderObjectsAsJson(this.#objects));
    else await this.#command.print(copyView(report, { asOf: this.#command.now(), generatedAt: context.clock.now(), toolVersion: context.version }), format);
    this.#sayHowItWent(report);
    // a file that is not on the node is input that cannot be read, as one that is not here
    if (report.run !== null && report.outcome?.error?.reason === 'NotFound') return EXIT_CODES.usage;
    return execExitCode([report.outcome], isPlan);
  }

  /** The lines below the report. */
  #sayHowItWent({ node, outcome, items, phase, from }: CopyReport): void {
    const byResult = Map.groupBy(items, ({ result }) => result);
    const of = (result: CopyResult): readonly CopyItem[] => byResult.get(result) ?? [];
    const nameOf = ({ path }: CopyItem): string => (path === '' ? from : path);
    for (const item of [...of('failed'), ...of('refused')].slice(0, MOST_NAMED)) this.#say(`${item.result} ${nameOf(item)}: ${item.message ?? ''}`);
    const more = of('failed').length + of('refused').length - MOST_NAMED;
    if (more > 0) this.#say(`and ${more} more: -o json names all`);
    const [skipped] = of('skipped');
    if (skipped !== undefined) this.#say(`note: ${of('skipped').length} skipped (${nameOf(skipped)}: ${skipped.message ?? ''}); -o json names all`);
    const text = outcome?.error == null ? null : failureText(outcome);
    if (text !== null) this.#say(`${node ?? '<unknown>'}  ${text}`);
    if (outcome?.error?.remedy != null) this.#say(outcome.error.remedy);
    if (phase !== 'planned' && of('pending').length > 0) this.#say(`note: ${counted(of('pending').length, 'file')} not copied to the end; the same command goes on behind what has arrived`);
  }

  #say(line: string): void {
    this.#command.note(visibleControls(line));
  }
}
