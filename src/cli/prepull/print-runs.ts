/** `kubectl win prepull status` and `cleanup`. */
import { cleanUp } from '../../app/prepull/clean-up.ts';
import { listRuns } from '../../app/prepull/list-runs.ts';
import { waitForRun, type Waited, type WaitOptions } from '../../app/prepull/wait-for-run.ts';
import type { ClusterReader } from '../../app/ports.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { prepullCleanupView } from '../../output/views/prepull-cleanup.ts';
import { prepullRunsView, runGate, runProgressLine } from '../../output/views/prepull-runs.ts';
import type { BaseCommand } from '../base-command.ts';
import { secondsOf } from '../duration.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { prepullCleanupFlags, prepullStatusFlags } from './prepull-flags.ts';
import { shareOf } from './prepull-request.ts';

export type PrepullStatusCommand = BaseCommand<{ readonly flags: typeof prepullStatusFlags }>;
export type PrepullCleanupCommand = BaseCommand<{ readonly flags: typeof prepullCleanupFlags }>;

export async function printStatus(command: PrepullStatusCommand): Promise<number> {
  const { words, flags, signal, context } = command;
  const [run = null] = words;
  const { minSuccess, timeoutSeconds } = gateFlags(command, run);
  const format = await command.outputFormat();
  const reader = await command.openReader();
  const namespace = flags['all-namespaces'] ? undefined : reader.namespace ?? undefined;
  const { runs, notes, hasEnded } = run !== null && flags.wait ? await waited(command, reader, { namespace, run, timeoutSeconds, signal }) : { ...await listRuns(reader, { namespace, run, now: command.now(), signal }), hasEnded: true };
  for (const note of notes) command.note(`note: ${note}`);
  if (run !== null && runs.length === 0) throw notFound(run, namespace);
  await command.print(prepullRunsView(runs, reader.description, nothingIn('No runs found', namespace), documentOptions(command, context)), format);
  const [one] = runs;
  if (minSuccess === null || one === undefined) return EXIT_CODES.ok;
  const gate = runGate(one, minSuccess);
  if (!hasEnded) command.note(`--timeout: the run ${one.run} has not ended within ${flags.timeout}`);
  if (gate.reason !== null) command.note(`--min-success: ${gate.reason}`);
  return gate.failed || !hasEnded ? EXIT_CODES.found : EXIT_CODES.ok;
}

/** minSuccess: null where nothing is asked. */
function gateFlags({ flags }: PrepullStatusCommand, run: string | null): { readonly minSuccess: number | null; readonly timeoutSeconds: number | null } {
  const given = flags['min-success'];
  const isGate = flags.wait || given !== undefined;
  if (flags.timeout !== undefined && !flags.wait) throw new UsageError('--timeout is for --wait');
  if (isGate && run === null) throw new UsageError(`${flags.wait ? '--wait' : '--min-success'} takes the name of a run`, { suggestions: ['kubectl win prepull status lists them'] });
  if (isGate && flags['all-namespaces']) throw new UsageError(`${flags.wait ? '--wait' : '--min-success'} is for one run: -A cannot be used with it, -n says where it is`);
  if (flags.wait && flags.inventory.length > 0) throw new UsageError('--wait and --inventory cannot be used together: a recording does not change');
  return { minSuccess: isGate ? shareOf(given ?? '100%', 'min-success') : null, timeoutSeconds: flags.timeout === undefined ? null : secondsOf(flags.timeout, 'timeout') };
}

async function waited(command: PrepullStatusCommand, reader: ClusterReader, options: WaitOptions): Promise<Waited> {
  const { clock, ports } = command.context;
  const looks = waitForRun(reader, { now: () => clock.now(), sleep: ports.sleep }, options);
  let told = '';
  for (;;) {
    const { done, value } = await looks.next();
    if (done === true) return value;
    const line = runProgressLine(value);
    // words of a failure change with each attempt
    if (line !== told) command.note(visibleControls(line));
    told = line;
  }
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

/** Of a run that was followed, its own program has told how it went. */
function notFound(run: string, namespace: string | undefined): ClusterError {
  return new ClusterError(`prepull run "${run}" not found${namespace === undefined ? '' : ` in namespace ${namespace}`}`, {
    reason: 'NotFound', suggestions: ['A run that its program followed to its end, well or not, is not on record; one with --detach is for a day after its deadline.', ...(namespace === undefined ? [] : ['-A looks in all namespaces.'])],
  });
}
