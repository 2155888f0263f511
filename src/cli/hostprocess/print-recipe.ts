/** `kubectl win hostprocess run`. */
import { join } from 'node:path';
import type { ExecStep } from '../../app/exec-on-nodes.ts';
import { recipeItem, type RecipeItem, type RecipeReport } from '../../app/hostprocess/recipe-report.ts';
import { readKubeletLogs } from '../../app/hostprocess/kubelet-logs.ts';
import { runRecipe } from '../../app/run-recipe.ts';
import type { ExecPlan } from '../../domain/hostprocess/exec-plan.ts';
import { RECIPES } from '../../domain/hostprocess/recipes/index.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { UnfinishedError } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { renderObjects, renderObjectsAsJson } from '../../output/objects.ts';
import { failureText, remedyLines } from '../../output/progress/exec-lines.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { DocumentOptions } from '../../output/views/document-metadata.ts';
import { execFooter } from '../../output/views/exec-texts.ts';
import { recipeItemLine, recipeLastLine, recipeListView, recipeView } from '../../output/views/recipe.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand } from '../base-command.ts';
import { PipeClosed } from '../context.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { showProgress, type Progress } from '../progress.ts';
import type { Settings } from '../settings.ts';
import { confirmRun } from './confirm.ts';
import { execExitCode } from './exec-exit-code.ts';
import { execProgressLook } from './exec-progress.ts';
import { readFailedNodes, requireSameContext } from './failed-nodes.ts';
import { interruptedRun } from './interrupted-run.ts';
import { NodeOutputs } from './node-streams.ts';
import { openSink } from './open-sink.ts';
import type { recipeFlags } from './recipe-flags.ts';
import { recipeOf, type RecipeCommandLine } from './recipe-request.ts';
import { runSurroundings } from './run-surroundings.ts';

export type RecipeCommand = BaseCommand<{ readonly flags: typeof recipeFlags }>;

/** --list. */
export async function printRecipes(command: RecipeCommand): Promise<number> {
  const format = await command.outputFormat();
  const [id] = command.words;
  await command.print(recipeListView(id === undefined ? RECIPES : [recipeOf(id)]), format);
  return EXIT_CODES.ok;
}

/** --show-script. */
export async function printScript(command: RecipeCommand): Promise<number> {
  await writeOut(command.stdout, [await command.context.ports.loadRecipe(recipeOf(command.words[0]))]);
  return EXIT_CODES.ok;
}

/** Plans, asks, runs, prints, and gives the exit code. */
export async function printRecipe(command: RecipeCommand, request: RecipeCommandLine): Promise<number> {
  const { context, signal } = command;
  const { recipe, parameters, failedOf } = request;
  const failed = failedOf === null ? null : await readFailedNodes(failedOf, context);
  if (failed !== null && failed.nodes.length === 0) {
    command.note('No node of the report has failed: nothing to do');
    return EXIT_CODES.ok;
  }
  const settings = await command.settings();
  const text = await context.ports.loadRecipe(recipe);
  const { reader, writer, exec, podLogs, nodeLogs } = await command.openCluster();
  if (failed !== null) requireSameContext(failed, reader.description.context);
  const run = new ShownRecipe(command, request);
  const isDryRun = request.run.dryRun !== 'none';
  const records = isDryRun || request.isByKubelet ? null : await context.ports.openLocalRuns(context, (notice) => command.note(`note: ${visibleControls(notice)}`));
  const nodes = { ...request.nodes, ...(failed === null ? {} : { targets: failed.nodes.map((name) => ({ kind: 'node' as const, name })) }) };
  const surroundings = runSurroundings(command, settings, { pod: request.pod, what: 'hostprocess run', reason: request.reason });
  const clock = { now: () => context.clock.now(), sleep: context.ports.sleep };
  const onReport = (report: RecipeReport): void => {
    run.report = report;
  };
  const steps = request.isByKubelet
    ? readKubeletLogs({ ...request.run, ...nodes, recipe, parameters, maxOutputBytes: request.maxOutputBytes, describe: surroundings.describe, signal }, { reader, nodeLogs, clock }, onReport, (item) => run.logs.set(item.node, item))
    : runRecipe({ ...request.run, ...nodes, recipe, text, parameters, ...surroundings, confirm: (plan) => run.confirm(plan, settings) }, {
      reader, writer, exec, podLogs, records, clock, streamsOf: (node) => run.outputs.streamsOf(node), outputsOf: (node) => run.outputs.keptOf(node),
      ...(request.to === null || recipe.id !== 'logs' || request.run.via === 'logs' ? {} : { fetch: { openFolder: () => context.ports.openLocalTree(request.to ?? ''), openSink, platform: context.platform } }),
    }, onReport);
  try {
    await run.follow(steps);
  } catch (error) {
    if (signal.reason instanceof PipeClosed && !isDryRun) throw new UnfinishedError('interrupted: standard output was closed', { cause: error });
    if (run.report === null || signal.reason instanceof PipeClosed) throw error;
    await run.finish(run.report);
    throw signal.aborted ? interruptedRun(error, run.isCleanedUp) : error;
  }
  if (run.report === null) throw new Error('the run ended without a report');
  const { report } = run;
  // what cannot be written is no reason to lose what has come
  const unsaved = request.to === null ? null : await saveDocuments(command, request.to, report).then(() => null, (error: unknown) => ({ error }));
  const code = await run.finish(report);
  if (unsaved !== null) throw unsaved.error;
  return code;
}

/** `FOLDER/NODE/RECIPE.json`. */
async function saveDocuments({ context, signal }: RecipeCommand, to: string, { items, recipe }: RecipeReport): Promise<void> {
  const withData = items.filter(({ data }) => data !== null);
  if (withData.length === 0) return;
  const tree = await context.ports.openLocalTree(to);
  try {
    await tree.makeFolder([]);
    for (const { node, data } of withData) {
      // refuses what is no name of a folder
      await tree.makeFolder([node]);
      await context.ports.writeTextFile(join(to, node, `${recipe.id}.json`), [`${JSON.stringify(data, null, 2)}\n`], signal);
    }
  } finally {
    await tree.close();
  }
}

/** A run as the user sees it. */
class ShownRecipe {
  report: RecipeReport | null = null;
  /** Nothing that the run has made is left. */
  isCleanedUp = false;
  readonly outputs: NodeOutputs;
  /** What kubelets have given, by node; other runs have it in `outputs`. */
  readonly logs = new Map<string, RecipeItem>();
  readonly #command: RecipeCommand;
  readonly #request: RecipeCommandLine;
  #progress: Progress<ExecStep> | null = null;
  #objects: readonly KubeObject[] = [];
  #isDeclined = false;
  /** Nodes whose line has been printed. */
  readonly #printed = new Set<string>();

  constructor(command: RecipeCommand, request: RecipeCommandLine) {
    this.#command = command;
    this.#request = request;
    const { stdout, stderr } = command;
    this.outputs = new NodeOutputs({ mode: 'captured', nodes: [], stdout, stderr, maxOutputBytes: request.maxOutputBytes, stdin: () => null, session: null, transcript: null, onStart: () => undefined });
  }

  async confirm(plan: ExecPlan, settings: Settings): Promise<boolean> {
    const { pod, recipe, failedOf } = this.#request;
    this.#progress?.stop();
    const isConfirmed = await confirmRun(plan, {
      confirmAbove: settings.hostProcess.confirmAbove, isAnswered: this.#command.flags.yes, runAsUserName: pod.runAsUserName, what: `the recipe ${recipe.id}`, stdinUsedBy: failedOf === '-' ? '--failed-of -' : null,
    }, this.#command.context);
    this.#isDeclined = !isConfirmed;
    if (isConfirmed) this.#progress = await showProgress(this.#command.context, execProgressLook());
    return isConfirmed;
  }

  async follow(steps: AsyncIterable<ExecStep>): Promise<void> {
    this.#progress = await showProgress(this.#command.context, execProgressLook());
    try {
      for await (const step of steps) {
        if (step.type === 'planned') this.#objects = step.objects;
        if (step.type === 'cleaned-up') this.isCleanedUp = true;
        this.#progress.take(step);
        if (step.type === 'ended' && this.#request.format.name === 'jsonl') await this.#printLine(this.logs.get(step.node) ?? recipeItem(this.#request.recipe, step, this.outputs.keptOf(step.node)));
      }
    } finally {
      this.#progress.stop();
    }
  }

  async #printLine(item: RecipeItem): Promise<void> {
    this.#printed.add(item.node);
    await writeOut(this.#command.stdout, [recipeItemLine(item)]);
  }

  /** Prints the report, and gives the exit code. */
  async finish(report: RecipeReport): Promise<number> {
    if (this.#isDeclined) {
      this.#command.note('Nothing was run');
      return EXIT_CODES.found;
    }
    const { format } = this.#request;
    const isPlan = report.phase === 'planned';
    if (isPlan && !this.#request.isByKubelet && (format.name === 'yaml' || format.name === 'json')) await writeOut(this.#command.stdout, format.name === 'yaml' ? renderObjects(this.#objects) : renderObjectsAsJson(this.#objects));
    else if (format.name === 'jsonl') {
      for (const item of report.items) if (!this.#printed.has(item.node)) await this.#printLine(item);
      await writeOut(this.#command.stdout, [recipeLastLine(report, this.#documentOptions)]);
    } else await this.#command.print(recipeView(report, this.#documentOptions), format);
    this.#sayHowItWent(report);
    // what went well with a script is not its exit code alone
    const codes = report.items.map(({ outcome }) => outcome);
    return codes.length === 1 && (codes[0]?.exitCode ?? 0) !== 0 ? EXIT_CODES.found : execExitCode(codes, isPlan);
  }

  get #documentOptions(): DocumentOptions {
    return { asOf: this.#command.now(), generatedAt: this.#command.context.clock.now(), toolVersion: this.#command.context.version };
  }

  /** The lines below the report. */
  #sayHowItWent(report: RecipeReport): void {
    for (const { node, outcome, stderr } of report.items) {
      const text = outcome === null ? null : failureText(outcome);
      if (text !== null) this.#command.note(visibleControls(`${node}  ${text}`));
      // what a script has failed at stands at the end of it
      for (const line of text === null ? [] : lastLines(stderr ?? '')) this.#command.note(visibleControls(`${node}  ${line}`));
    }
    for (const line of remedyLines(report.items)) this.#command.note(line);
    const incomplete = report.items.filter(({ data }) => (data?.problems.length ?? 0) > 0).length;
    const { output = '', to } = this.#command.flags;
    if (incomplete > 0) this.#command.note(`note: on ${counted(incomplete, 'node')} not all could be read${output === '' ? '; -o wide and -o json say what' : ''}`);
    // the table merely counts them
    if (report.recipe.id === 'logs' && output === '' && to === undefined && report.items.some(({ data }) => data !== null)) this.#command.note(`note: -o json prints the events and lines of logs, and --to DIR writes them to files${this.#request.isByKubelet || this.#request.run.via === 'logs' ? '' : ', with the log files themselves'}`);
    if (report.items.length > 0) this.#command.note(execFooter(report));
  }
}

/** Of stderr below the table: -o json has all of it. */
const MOST_LINES = 3;
const LONGEST_LINE = 400;

function lastLines(stderr: string): readonly string[] {
  return stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '').slice(-MOST_LINES).map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line));
}
