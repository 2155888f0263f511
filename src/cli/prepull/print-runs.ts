/** `kubectl win prepull status` and `cleanup`. */
import { cleanUp } from '../../app/prepull/clean-up.ts';
import { listRuns } from '../../app/prepull/list-runs.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import { prepullCleanupView } from '../../output/views/prepull-cleanup.ts';
import { prepullRunsView } from '../../output/views/prepull-runs.ts';
import type { BaseCommand } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { prepullCleanupFlags, prepullStatusFlags } from './prepull-flags.ts';

export type PrepullStatusCommand = BaseCommand<{ readonly flags: typeof prepullStatusFlags }>;
export type PrepullCleanupCommand = BaseCommand<{ readonly flags: typeof prepullCleanupFlags }>;

export async function printStatus(command: PrepullStatusCommand): Promise<number> {
  const { words, flags, signal, context } = command;
  const format = await command.outputFormat();
  const reader = await command.openReader();
  const namespace = flags['all-namespaces'] ? undefined : reader.namespace ?? undefined;
  const [run = null] = words;
  const { runs, notes } = await listRuns(reader, { namespace, run, now: command.now(), signal });
  for (const note of notes) command.note(`note: ${note}`);
  if (run !== null && runs.length === 0) throw notFound(run, namespace);
  await command.print(prepullRunsView(runs, reader.description, nothingIn('No runs found', namespace), documentOptions(command, context)), format);
  return EXIT_CODES.ok;
}

export async function printCleanup(command: PrepullCleanupCommand): Promise<number> {
  const { words, flags, signal, context } = command;
  if (flags.all && words.length > 0) throw new UsageError('--all removes all runs; it cannot be used with the names of some');
  if (!flags.all && words.length === 0) throw new UsageError('no run given: name it, or take --all', { suggestions: ['kubectl win prepull status lists them'] });
  const format = await command.outputFormat();
  const { reader, writer } = await command.openCluster();
  if (writer === null) throw new Error('this command reads no inventory');
  const namespace = flags['all-namespaces'] ? undefined : reader.namespace ?? undefined;
  const { removed, refusals, hasSeenAll, notes, stoppedBy } = await cleanUp({ namespace, runs: flags.all ? 'all' : words, signal }, { reader, writer, clock: { sleep: context.ports.sleep } });
  for (const note of notes) command.note(`note: ${note}`);
  const missing = hasSeenAll && stoppedBy === null ? words.filter((word) => removed.every(({ run }) => run !== word)) : [];
  // what is to be said of nothing is said below
  if (removed.length > 0 || missing.length + refusals.length === 0 && stoppedBy === null) await command.print(prepullCleanupView(removed, reader.description, nothingIn('No runs found', namespace), documentOptions(command, context)), format);
  let code: number = EXIT_CODES.ok;
  for (const error of [...refusals, ...[...new Set(missing)].map((run) => notFound(run, namespace))]) code = command.report(error);
  if (stoppedBy !== null) throw stoppedBy.error;
  return code;
}

function documentOptions(command: PrepullStatusCommand | PrepullCleanupCommand, { clock, version }: BaseCommand['context']): { readonly asOf: Date; readonly generatedAt: Date; readonly toolVersion: string } {
  return { asOf: command.now(), generatedAt: clock.now(), toolVersion: version };
}

function nothingIn(message: string, namespace: string | undefined): string {
  return namespace === undefined ? message : `${message} in ${namespace} namespace.`;
}

/** A run that has ended well leaves nothing, so that this is often good news. */
function notFound(run: string, namespace: string | undefined): ClusterError {
  return new ClusterError(`prepull run "${run}" not found${namespace === undefined ? '' : ` in namespace ${namespace}`}`, {
    reason: 'NotFound', suggestions: ['A run that has come to its end leaves nothing behind.', ...(namespace === undefined ? [] : ['-A looks in all namespaces.'])],
  });
}
