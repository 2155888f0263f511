import { prepullImages, type PrepullOptions, type PrepullStep } from '../../app/prepull-images.ts';
import { endedItem, plannedItem, prepullSummary, type PrepullItem, type PrepullReport } from '../../app/prepull/prepull-report.ts';
import { ClusterError, UnfinishedError, withSuggestions, type InterruptedError } from '../../errors.ts';
import { renderObjects } from '../../output/objects.ts';
import type { OutputFormat } from '../../output/print.ts';
import { prepullLine } from '../../output/progress/prepull-lines.ts';
import { PrepullStatusLine } from '../../output/progress/prepull-status-line.ts';
import { sortItems } from '../../output/sort-by.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { prepullItemDocument, prepullItemLine, prepullLastLine, prepullView } from '../../output/views/prepull.ts';
import { prepullFooter, prepullGate } from '../../output/views/prepull-texts.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand } from '../base-command.ts';
import { PipeClosed } from '../context.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { showProgress, type ProgressLook } from '../progress.ts';
import type { prepullFlags } from './prepull-flags.ts';
import type { PrepullRequest } from './prepull-request.ts';
import { readUpgradePlan } from './read-upgrade-plan.ts';

export type PrepullCommand = BaseCommand<{ readonly flags: typeof prepullFlags }>;

type Planned = PrepullStep & { readonly type: 'planned' };

/** Plans, pulls, prints the report, and gives the exit code. */
export async function printPrepull(command: PrepullCommand, request: PrepullRequest): Promise<number> {
  const { context, signal, flags } = command;
  const settings = await command.settings();
  const manifests = flags.filename.length === 0 ? null : await context.ports.openManifests({ sources: flags.filename, recursive: flags.recursive }, context);
  const { reader, writer } = await command.openCluster();
  const planned = request.fromPlan === null ? null : await readUpgradePlan(request.fromPlan, reader.description.context, context);
  const images = await command.openImages({ isOffline: flags.inventory.length > 0 });
  const options: PrepullOptions = {
    ...request.pulls, ...(planned === null ? {} : { named: planned.images }), notes: [...request.notes, ...planned?.leftOut.map(({ image, because }) => `${image} of the plan is left out: ${because}`) ?? []],
    ...images, run: context.ports.createRunId(), origin: `kubectl win ${context.version} prepull`, namespace: reader.namespace ?? (request.pulls.isNamespaceGiven ? flags.namespace ?? null : null),
    asOf: command.now(), overrides: settings.lifecycle, poolLabels: settings.poolLabels, spaceOf: async (node) => await reader.nodeSpace?.(node, { signal }) ?? null, signal,
  };
  const clock = { now: () => context.clock.now(), sleep: context.ports.sleep };
  const ended: { report?: PrepullReport; planned?: Planned } = {};
  const steps = prepullImages(options, { reader, writer, manifests, clock }, (report) => {
    ended.report = report;
  });
  const printed = new Set<string>();
  let failure: { readonly error: unknown } | null = null;
  try {
    await follow(command, request.format.name === 'jsonl' ? withLines(command, steps, printed) : steps, (step) => {
      ended.planned = step;
    });
  } catch (error) {
    if (ended.report === undefined) throw signal.reason instanceof PipeClosed && request.pulls.dryRun === 'none' ? new UnfinishedError(interruption(signal), { suggestions: ['Nothing was begun.'] }) : error;
    failure = { error };
  }
  const { report, planned: step } = ended;
  if (report === undefined || step === undefined) throw new Error('the run ended without a report');
  if (request.format.name === 'yaml' && report.phase === 'planned') await writeOut(command.stdout, renderObjects(step.objects()));
  else if (request.format.name === 'jsonl') await printLastLines(command, report, printed);
  else await printReport(command, request.format, report, step.plan.nodes.length === 0 ? selectionOf(command) : '');
  const gate = sayHowItWent(command, request, report);
  if (failure === null) return gate;
  if (signal.aborted) throw interrupted(report, signal);
  // what is gone is no record, and its error says how to go on
  throw failure.error instanceof ClusterError && failure.error.reason !== 'NotFound' ? withSuggestions(failure.error, wordsOfRecord(report)) : failure.error;
}

async function follow(command: PrepullCommand, steps: AsyncIterable<PrepullStep>, onPlanned: (step: Planned) => void): Promise<void> {
  const progress = await showProgress(command.context, progressLook());
  try {
    for await (const step of steps) {
      if (step.type === 'planned') onPlanned(step);
      progress.take(step);
    }
  } finally {
    progress.stop();
  }
}

function progressLook(): ProgressLook<PrepullStep> {
  const status = new PrepullStatusLine();
  return {
    lines: (step) => (step.type === 'planned' ? step.plan.notes.map((note) => visibleControls(`note: ${note}`)) : [prepullLine(step)].filter((line) => line !== null)),
    // what goes well is counted; what does not is read
    isNews: (step) => step.type === 'planned' || step.type === 'note' || (step.type === 'slow' && step.message !== null) || step.type === 'retry' || step.type === 'joined' || step.type === 'paused' || (step.type === 'finished' && step.outcome.result === 'failed'),
    status: {
      take: (step, now) => {
        if (step.type !== 'planned') status.take(step, now);
      },
      text: (now, width) => status.text(now, width),
    },
  };
}

/** Prints items as they end, those first for which there is nothing to do. `printed` gets their keys. */
async function* withLines(command: PrepullCommand, steps: AsyncIterable<PrepullStep>, printed: Set<string>): AsyncGenerator<PrepullStep, void, undefined> {
  for await (const step of steps) {
    const ended = step.type === 'planned' ? step.plan.items.map(plannedItem).filter(({ result, reason }) => result !== 'pending' && !(command.flags['watch-nodes'] && reason === 'NodeNotReady')) : step.type === 'finished' ? [endedItem(step)] : [];
    for (const item of ended) printed.add(keyOf(item));
    if (ended.length > 0) await writeOut(command.stdout, ended.map(prepullItemLine));
    yield step;
  }
}

async function printLastLines(command: PrepullCommand, report: PrepullReport, printed: ReadonlySet<string>): Promise<void> {
  await writeOut(command.stdout, [...report.items.filter((item) => !printed.has(keyOf(item))).map(prepullItemLine), prepullLastLine({ report, summary: prepullSummary(report.items) }, documentOptionsOf(command))]);
}

function keyOf({ node, image }: PrepullItem): string {
  return `${node} ${image}`;
}

function documentOptionsOf(command: PrepullCommand): { readonly asOf: Date; readonly generatedAt: Date; readonly toolVersion: string } {
  return { asOf: command.now(), generatedAt: command.context.clock.now(), toolVersion: command.context.version };
}

async function printReport(command: PrepullCommand, format: OutputFormat, report: PrepullReport, selection: string): Promise<void> {
  const documentOptions = documentOptionsOf(command);
  const viewOf = (items: readonly PrepullItem[]): ReturnType<typeof prepullView> => prepullView({ report: { ...report, items }, summary: prepullSummary(items) }, documentOptions, selection);
  const sortBy = command.flags['sort-by'] ?? '';
  await command.print(viewOf(sortBy === '' ? report.items : sortItems(report.items, sortBy, viewOf(report.items).columns, prepullItemDocument)), format);
}

/** As typed. */
function selectionOf({ flags }: PrepullCommand): string {
  return [...flags.pool.map((pool) => `--pool=${pool}`), ...(flags.selector === undefined ? [] : [`-l ${flags.selector}`]), ...flags.node.map((name) => `--node=${name}`)].join(', ');
}

/** The lines below the report; gives the exit code of the gate. */
function sayHowItWent(command: PrepullCommand, { minSuccess, format }: PrepullRequest, report: PrepullReport): number {
  const counted = { report, summary: prepullSummary(report.items) };
  if (report.items.length > 0 && !(command.flags['no-headers'] && format.name !== 'json')) command.note(visibleControls(prepullFooter(counted)));
  if (report.phase === 'running' && report.run !== null) command.note(`run ${report.run} ${command.flags['keep-warm'] ? `stands until kubectl win prepull cleanup ${report.run} -n ${report.namespace}` : 'goes on without this program'}; how far it is: kubectl win prepull status ${report.run} -n ${report.namespace}`);
  const gate = prepullGate(counted, minSuccess);
  if (gate.reason !== null && report.phase !== 'interrupted') command.note(`--min-success: ${visibleControls(gate.reason)}`);
  return gate.failed ? EXIT_CODES.found : EXIT_CODES.ok;
}

function interrupted(report: PrepullReport, signal: AbortSignal): InterruptedError {
  if (report.run === null) return new UnfinishedError(interruption(signal));
  return new UnfinishedError(interruption(signal), { suggestions: report.isOnRecord === true ? wordsOfRecord(report) : ['The same command begins anew; what nodes list by then is skipped.'] });
}

function interruption({ reason }: AbortSignal): string {
  return reason instanceof PipeClosed ? 'interrupted: standard output was closed' : 'interrupted';
}

/** How to go on after a run that has left its record, whatever ended it. */
function wordsOfRecord({ run, namespace, isOnRecord = false }: PrepullReport): readonly string[] {
  if (run === null || !isOnRecord) return [];
  return ['The same command does the rest; what is done is not repeated.', `What is left of this run goes by itself; at once: kubectl win prepull cleanup ${run} -n ${namespace ?? 'default'}`];
}
