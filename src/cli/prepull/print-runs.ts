/** `kubectl win prepull status` and `cleanup`. */
import { cleanUp, runStatuses } from '../../app/prepull/clean-up.ts';
import { findKruiseRuns, removeKruiseRun } from '../../app/prepull/kruise-pulls.ts';
import { findStanding, removeStanding, standingStatus, type StandingRun } from '../../app/prepull/keep-warm.ts';
import type { ClusterReader } from '../../app/ports.ts';
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
  const standing = (await standingRuns(command, reader, namespace)).filter((one) => run === null || one.run === run);
  const runs = [...await runStatuses(reader, { namespace, run, now: command.now(), signal }), ...standing.map(standingStatus), ...(await findKruiseRuns(reader, namespace, signal)).map(({ status }) => status).filter((one) => run === null || one.run === run)];
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
  const jobs = await cleanUp(reader, writer, { namespace, runs: flags.all ? 'all' : words, signal });
  const standing = (await standingRuns(command, reader, namespace)).filter(({ run }) => flags.all || words.includes(run));
  for (const one of standing) await removeStanding(one, writer, signal);
  const kruise = (await findKruiseRuns(reader, namespace, signal)).filter(({ status: { run } }) => flags.all || words.includes(run));
  for (const one of kruise) await removeKruiseRun(one, writer, signal);
  const removed = [...jobs.map((one) => ({ ...one, daemonSets: 0 })), ...standing.map(({ run, namespace: place, daemonSets }) => ({ run, namespace: place, jobs: 0, daemonSets: daemonSets.length })), ...kruise.map(({ status: { run, namespace: place }, jobs: own }) => ({ run, namespace: place, jobs: own.length, daemonSets: 0 }))];
  const missing = words.filter((word) => removed.every(({ run }) => run !== word));
  // what is to be said of nothing is said below
  const emptyMessage = nothingIn('No runs found', namespace);
  if (removed.length > 0 || missing.length === 0) await command.print(prepullCleanupView(removed, reader.description, emptyMessage, documentOptions(command, context)), format);
  const [code = EXIT_CODES.ok] = [...new Set(missing)].map((run) => command.report(notFound(run, namespace)));
  return code;
}

/** Those who may not list DaemonSets are told so, and see the rest. */
async function standingRuns(command: PrepullStatusCommand | PrepullCleanupCommand, reader: ClusterReader, namespace: string | undefined): Promise<readonly StandingRun[]> {
  const standing = await findStanding(reader, namespace, command.signal);
  if (standing === null) command.note('note: daemonsets may not be listed: what --keep-warm made is not looked at');
  return standing ?? [];
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
