/** `kubectl win hostprocess sweep`. */
import type { Leftover } from '../../domain/hostprocess/leftover.ts';
import { findNamespace } from '../../app/hostprocess/find-namespace.ts';
import { sweepRuns, type SweepReport } from '../../app/sweep-runs.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { sweepView } from '../../output/views/sweep.ts';
import type { BaseCommand } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { sweepFlags } from './sweep-flags.ts';

export type SweepCommand = BaseCommand<{ readonly flags: typeof sweepFlags }>;

/** Objects that a question names. */
const MOST_NAMED = 10;

export async function printSweep(command: SweepCommand): Promise<number> {
  const { words: runs, flags, signal, context } = command;
  const format = await command.outputFormat();
  const { reader, writer } = await command.openCluster();
  if (writer === null) throw new Error('this command reads no inventory');
  const { hostProcess } = await command.settings();
  const records = await context.ports.openLocalRuns(context, (text) => command.note(`note: ${visibleControls(text)}`));
  const { namespace } = await findNamespace(flags.namespace ?? null, hostProcess, reader, signal);
  const outcome: { report: SweepReport | null; stoppedBy: { readonly error: unknown } | null } = { report: null, stoppedBy: null };
  try {
    await sweepRuns(
      {
        namespaces: flags['all-namespaces'] ? 'all' : [namespace], withRecorded: flags.namespace === undefined, runs, allRuns: flags['all-runs'], isDryRun: flags['dry-run'] !== 'none', signal,
        confirm: async (others) => flags.yes || await confirm(command, others),
      },
      { reader, writer, records, clock: { now: () => context.clock.now(), sleep: context.ports.sleep } },
      (report) => {
        outcome.report = report;
      },
    );
  } catch (error) {
    outcome.stoppedBy = { error };
  }
  const code = outcome.report === null ? EXIT_CODES.ok : await show(command, outcome.report, { namespace, format, isComplete: outcome.stoppedBy === null });
  if (outcome.stoppedBy !== null) throw outcome.stoppedBy.error;
  return code;
}

interface Shown {
  /** Of runs, where none is named. */
  readonly namespace: string;
  readonly format: Awaited<ReturnType<SweepCommand['outputFormat']>>;
  readonly isComplete: boolean;
}

async function show(command: SweepCommand, report: SweepReport, { namespace, format, isComplete }: Shown): Promise<number> {
  const { words: runs, flags, context } = command;
  const missing = isComplete && report.hasSeenAll ? [...new Set(runs)].filter((run) => !report.forgotten.includes(run) && report.items.every((item) => item.run !== run)) : [];
  if (report.items.length > 0 || missing.length === 0) {
    const place = flags['all-namespaces'] ? '' : flags.namespace === undefined ? ` in the namespace ${namespace}, nor in those of runs on record` : ` in the namespace ${flags.namespace}`;
    await command.print(sweepView(report, `No objects of runs found${place}`, { asOf: command.now(), generatedAt: context.clock.now(), toolVersion: context.version }), format);
  }
  for (const note of report.notes) command.note(visibleControls(`note: ${note}`));
  for (const { result, resource, name, message } of report.items) if (result === 'ending') command.note(visibleControls(`note: ${resource} "${name}": ${message ?? ''}`));
  const kept = new Map(report.items.flatMap(({ judgement, result, run, message }) => (judgement === 'own' && result === 'left' ? [[run, message ?? '']] as const : [])));
  for (const [run, why] of kept) command.note(visibleControls(`note: ${run} is left alone: ${why}`));
  const others = report.items.filter(({ judgement, result }) => judgement === 'others' && result === 'left').length;
  const forged = report.items.filter(({ judgement }) => judgement === 'forged').length;
  if (others > 0 && !flags['all-runs']) command.note(`note: ${others === 1 ? 'an object is' : `${others} objects are`} not in the record of this machine and left alone; --all-runs removes ${others === 1 ? 'it' : 'them'}, after a question`);
  if (forged > 0) command.note(`note: ${forged === 1 ? 'an object has the labels of runs and is none' : `${forged} objects have the labels of runs and are none`}; sweep never removes them (-o wide says why)`);
  if (report.forgotten.length > 0 && report.items.length === 0) command.note(`note: nothing is left of ${report.forgotten.join(', ')}: no longer on record`);
  let code: number = EXIT_CODES.ok;
  for (const error of [...report.refusals, ...missing.map((run) => notFound(run))]) code = command.report(error);
  return code;
}

function notFound(run: string): ClusterError {
  return new ClusterError(`hostprocess run "${run}" not found`, { reason: 'NotFound', suggestions: ['The cluster removes what is left of a run by itself after its deadline.', '-A looks in all namespaces.'] });
}

async function confirm(command: SweepCommand, others: readonly Leftover[]): Promise<boolean> {
  for (const { namespace, name, node, origin, isAlive } of others.slice(0, MOST_NAMED)) {
    command.note(visibleControls(`${namespace}/${name} on ${node ?? 'an unknown node'}, by ${origin ?? 'nobody knows whom'}${isAlive ? ', under way' : ''}`));
  }
  if (others.length > MOST_NAMED) command.note(`and ${others.length - MOST_NAMED} more`);
  const answer = await command.context.ports.ask(`Remove ${others.length === 1 ? 'this object, which is' : `these ${others.length} objects, which are`} not in the record of this machine? [y/N] `, command.context);
  if (answer === null) throw new UsageError(`--all-runs would remove ${others.length === 1 ? 'an object' : `${others.length} objects`} of runs that this machine has not begun, and nobody can be asked`, { suggestions: ['--yes removes without a question'] });
  return /^y(?:es)?$/i.test(answer.trim());
}
