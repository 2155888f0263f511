/** `kubectl win hostprocess exec`. */
import { basename } from 'node:path';
import { execOnNodes, type ExecOptions, type ExecStep } from '../../app/exec-on-nodes.ts';
import type { ExecReport } from '../../app/hostprocess/exec-report.ts';
import type { ByteSource, Terminal } from '../../app/ports.ts';
import { planTransport } from '../../domain/hostprocess/command/plan-transport.ts';
import type { CommandRequest } from '../../domain/hostprocess/command/transport.ts';
import type { ExecPlan } from '../../domain/hostprocess/exec-plan.ts';
import type { ExecError } from '../../domain/hostprocess/outcome.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { InputError, UnfinishedError, UsageError } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { blockText } from '../../output/exec/block-text.ts';
import { foldedText } from '../../output/exec/folded-text.ts';
import { renderObjects, renderObjectsAsJson } from '../../output/objects.ts';
import { execLine, failureText, remedyLines } from '../../output/progress/exec-lines.ts';
import { ExecStatusLine } from '../../output/progress/exec-status-line.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { execItemLine, execLastLine, execView, type ShownReport } from '../../output/views/exec.ts';
import { execFooter, type ShownItem } from '../../output/views/exec-texts.ts';
import { writeOut } from '../../output/write-out.ts';
import type { BaseCommand } from '../base-command.ts';
import { PipeClosed } from '../context.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { showProgress, type Progress, type ProgressLook } from '../progress.ts';
import { placeOf, readInputText, readStandardInput } from '../read-input.ts';
import type { Settings } from '../settings.ts';
import { confirmRun } from './confirm.ts';
import { execExitCode } from './exec-exit-code.ts';
import type { execFlags, OutputMode } from './exec-flags.ts';
import type { ExecCommandLine } from './exec-request.ts';
import { readFailedNodes, requireSameContext } from './failed-nodes.ts';
import { beginSession, findTerminal } from './interactive.ts';
import { interruptedRun } from './interrupted-run.ts';
import { NodeOutputs } from './node-streams.ts';
import { runSurroundings } from './run-surroundings.ts';
import { beginTranscript, type TranscriptFile } from './transcript.ts';

export type ExecCommand = BaseCommand<{ readonly flags: typeof execFlags }>;

/** What --stdin-all holds. */
const MOST_INPUT_BYTES = 16 * 2 ** 20;

/** Plans, asks, runs, prints, and gives the exit code. */
export async function printExec(command: ExecCommand, request: ExecCommandLine, execute: typeof execOnNodes = execOnNodes): Promise<number> {
  const failed = request.failedOf === null ? null : await readFailedNodes(request.failedOf, command.context);
  if (failed !== null && failed.nodes.length === 0) {
    command.note('No node of the report has failed: nothing to do');
    return EXIT_CODES.ok;
  }
  const isDryRun = request.run.dryRun !== 'none';
  const terminal = request.isTerminal && !isDryRun ? await findTerminal(command.context, (line) => command.note(line)) : null;
  const commandRequest: Omit<CommandRequest, 'nonce'> = { ...request.command, script: await readScript(command, request), hasTerminal: terminal !== null || (request.isTerminal && isDryRun) };
  requireSendable(commandRequest);
  const input = await readInput(command, request, isDryRun);
  const settings = await command.settings();
  const { reader, writer, exec, podLogs } = await command.openCluster();
  if (failed !== null) requireSameContext(failed, reader.description.context);
  const { context } = command;
  // what a run is used again for is planned with its record
  const records = isDryRun && request.run.reuse === null ? null : await context.ports.openLocalRuns(context, (text) => command.note(`note: ${visibleControls(text)}`));
  const surroundings = runSurroundings(command, settings, { pod: request.pod, what: 'hostprocess exec', reason: request.reason });
  const run = new ShownRun(command, request, { terminal, input, image: surroundings.objects.image });
  const options: ExecOptions = {
    ...request.run, ...request.nodes, ...(failed === null ? {} : { targets: failed.nodes.map((name) => ({ kind: 'node' as const, name })) }), command: commandRequest,
    ...surroundings,
    confirm: (plan) => run.confirm(plan, settings, whatOf(commandRequest)),
  };
  const steps = execute(options, { reader, writer, exec, podLogs, records, clock: { now: () => context.clock.now(), sleep: context.ports.sleep }, streamsOf: (node) => run.outputs.streamsOf(node) }, (report) => run.report = report);
  return run.follow(steps, options.run);
}

/** Text of --script. */
async function readScript({ context }: ExecCommand, { scriptFile }: ExecCommandLine): Promise<CommandRequest['script']> {
  if (scriptFile === null) return null;
  const text = await readInputText(scriptFile, context);
  // what is no UTF-8 is read as U+FFFD, and would run as another script
  if (text.includes('\u{fffd}')) throw new InputError(placeOf(scriptFile), 'holds bytes that are no UTF-8, or U+FFFD, which stands for such', { suggestions: ['save the script as UTF-8'] });
  return { name: scriptFile === '-' ? 'stdin' : basename(scriptFile), text };
}

/** What cannot be sent is said before anything is asked or read. */
function requireSendable(command: Omit<CommandRequest, 'nonce'>): void {
  const transport = planTransport({ ...command, nonce: '0'.repeat(16) });
  if ('refused' in transport) throw new UsageError(transport.refused, { suggestions: transport.suggestions });
}

/** Gives the stdin of a node. */
async function readInput({ context }: ExecCommand, { stdin }: ExecCommandLine, isDryRun: boolean): Promise<() => ByteSource | null> {
  if (stdin === 'none' || isDryRun) return () => null;
  if (stdin === 'one') return () => context.stdin;
  let bytes: Buffer;
  try {
    bytes = await readStandardInput(context.stdin, context.signal, MOST_INPUT_BYTES);
  } catch (error) {
    context.signal.throwIfAborted();
    throw new InputError({ file: 'stdin' }, `cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return async function* inputOfEach() {
    yield bytes;
  };
}

/** What a question names. */
function whatOf({ words, script, isPrivate }: Omit<CommandRequest, 'nonce'>): string {
  if (script !== null) return `the script ${script.name}`;
  return isPrivate ? 'a private command' : words.length === 0 ? 'a shell' : words.join(' ');
}

/** How output is shown: as it comes from the only node, or one of the modes of several. */
type Mode = 'raw' | OutputMode | 'report';

/** A run as the user sees it. */
class ShownRun {
  report: ExecReport | null = null;
  readonly #command: ExecCommand;
  readonly #request: ExecCommandLine;
  readonly #terminal: Terminal | null;
  readonly #input: () => ByteSource | null;
  readonly #image: string;
  #outputs: NodeOutputs | null = null;
  #transcript: TranscriptFile | null = null;
  #progress: Progress<ExecStep> | null = null;
  #mode: Mode = 'prefix';
  #isSingle = false;
  #isDeclined = false;
  #hasBegun = false;
  /** Nothing that the run has made is left. */
  #isCleanedUp = false;
  #objects: readonly KubeObject[] = [];
  #namespace = '';
  /** Nodes whose end has been shown, on stderr or as a block or line. */
  readonly #told = new Set<string>();

  constructor(command: ExecCommand, request: ExecCommandLine, { terminal, input, image }: { readonly terminal: Terminal | null; readonly input: () => ByteSource | null; readonly image: string }) {
    this.#command = command;
    this.#request = request;
    this.#terminal = terminal;
    this.#input = input;
    this.#image = image;
  }

  get outputs(): NodeOutputs {
    if (this.#outputs === null) throw new Error('a command began before there was a plan');
    return this.#outputs;
  }

  async confirm(plan: ExecPlan, settings: Settings, what: string): Promise<boolean> {
    const { stdin, pod, failedOf, scriptFile } = this.#request;
    const stdinUsedBy = stdin === 'all' ? '--stdin-all' : stdin === 'one' && this.#terminal === null ? '-i' : scriptFile === '-' ? '--script -' : failedOf === '-' ? '--failed-of -' : null;
    let isAsked = false;
    const beforeAsking = (): void => {
      isAsked = true;
      this.#progress?.stop();
    };
    const isConfirmed = await confirmRun(plan, { confirmAbove: settings.hostProcess.confirmAbove, isAnswered: this.#command.flags.yes, runAsUserName: pod.runAsUserName, what, stdinUsedBy, beforeAsking }, this.#command.context);
    this.#isDeclined = !isConfirmed;
    if (isAsked && isConfirmed) this.#progress = await this.#newProgress();
    return isConfirmed;
  }

  /** Shows what happens, and gives the exit code. */
  async follow(steps: AsyncIterable<ExecStep>, run: string): Promise<number> {
    let failure: { readonly error: unknown } | null = null;
    this.#progress = await this.#newProgress();
    try {
      for await (const step of steps) {
        if (step.type === 'planned') await this.#plan(step, run);
        if (step.type === 'began') this.#hasBegun = true;
        if (step.type === 'cleaned-up') this.#isCleanedUp = true;
        this.#progress?.take(step);
        if (step.type === 'ended') await this.#ended({ node: step.node, pod: step.pod, outcome: step.outcome });
      }
    } catch (error) {
      failure = { error };
    } finally {
      this.#progress?.stop();
      this.#outputs?.close();
      await (this.#hasBegun ? this.#transcript?.close() : this.#transcript?.discard());
    }
    const { report } = this;
    const isUnread = this.#command.signal.reason instanceof PipeClosed;
    if (failure !== null && report === null && isUnread && this.#request.run.dryRun === 'none') throw new UnfinishedError('interrupted: standard output was closed before anything was run', { cause: failure.error });
    if (failure !== null && (report === null || (isUnread && report.phase !== 'interrupted'))) throw failure.error;
    if (failure !== null && isUnread && report !== null) return this.#readerLeft(report);
    if (report === null) throw new Error('the run ended without a report');
    const code = this.#isDeclined ? this.#declined() : await this.#finish(report);
    if (failure === null) return code;
    throw this.#command.signal.aborted ? interruptedRun(failure.error, this.#isCleanedUp) : failure.error;
  }

  async #plan({ plan, objects, namespace }: ExecStep & { readonly type: 'planned' }, run: string): Promise<void> {
    const { format, outputMode, transcript, run: { dryRun }, maxOutputBytes, isTerminal, stdin } = this.#request;
    const { stdout, stderr, context } = this.#command;
    const nodes = plan.items.map(({ node }) => node);
    if (nodes.length > 1 && isTerminal) throw new UsageError(`a terminal (-t) is for one node, and ${counted(nodes.length, 'node')} are meant`);
    if (nodes.length > 1 && stdin === 'one') throw new UsageError(`-i is for one node, and ${counted(nodes.length, 'node')} are meant`, { suggestions: ['--stdin-all reads stdin to its end and gives all of it to each node'] });
    this.#objects = objects;
    this.#namespace = namespace;
    this.#isSingle = nodes.length === 1;
    this.#mode = format !== null || dryRun !== 'none' ? 'report' : outputMode ?? (this.#isSingle ? 'raw' : 'prefix');
    const terminal = this.#terminal;
    if (transcript !== null && dryRun === 'none') this.#transcript = await beginTranscript(transcript, { run, nodes, size: terminal?.size ?? null }, context);
    this.#outputs = new NodeOutputs({
      mode: this.#mode === 'raw' || this.#mode === 'prefix' ? this.#mode : 'captured', nodes, stdout, stderr, maxOutputBytes, stdin: this.#input, transcript: this.#transcript,
      session: terminal === null ? null : () => beginSession(terminal, { hasInput: stdin === 'one', onResize: async (size) => this.#transcript?.resize(size) }),
      onStart: () => {
        // from here on the terminal is the command's
        if (this.#mode === 'raw') this.#progress?.stop();
      },
    });
  }

  async #newProgress(): Promise<Progress<ExecStep>> {
    const status = new ExecStatusLine();
    const look: ProgressLook<ExecStep> = {
      lines: (step) => {
        if (step.type === 'planned') return step.plan.notes.map((note) => visibleControls(`note: ${note}`));
        // a block says how its node ended
        if (this.#mode === 'block' && step.type === 'ended' && this.#command.stdout.isTTY === true) return [];
        // of the only node there is no more to say than what it says itself, and how it ended
        if (this.#isSingle && step.type !== 'note' && step.type !== 'creating' && step.type !== 'pulling') return [];
        return [execLine(step)].filter((line) => line !== null);
      },
      isNews: (step) => !['began', 'batch', 'cleaned-up'].includes(step.type),
      status: {
        take: (step, now) => {
          if (step.type !== 'planned') status.take(step, now);
        },
        text: (now, width) => status.text(now, width),
      },
    };
    return showProgress(this.#command.context, look);
  }

  /** Prints what is to be printed of a node as it ends. */
  async #ended(item: Omit<ShownItem, 'stdout' | 'stderr'>): Promise<void> {
    const text = this.#textOf({ ...item, ...this.outputs.keptOf(item.node) });
    this.#told.add(item.node);
    if (text !== null) await writeOut(this.#command.stdout, [text]);
  }

  #textOf(item: ShownItem): string | null {
    if (this.#request.format?.name === 'jsonl') return execItemLine(item);
    if (this.#mode !== 'block') return null;
    return `${this.#told.size === 0 ? '' : '\n'}${blockText({ nodes: [item.node], outcome: item.outcome, stdout: item.stdout, stderr: item.stderr })}`;
  }

  /** Prints the rest, and gives the exit code. */
  async #finish(report: ExecReport): Promise<number> {
    const shown: ShownReport = { ...report, items: report.items.map((item) => ({ ...item, ...this.#outputs?.keptOf(item.node) ?? { stdout: null, stderr: null } })) };
    const { format } = this.#request;
    const isPlan = report.phase === 'planned';
    const rest = shown.items.filter(({ node }) => !this.#told.has(node));
    if (isPlan && (format?.name === 'yaml' || format?.name === 'json')) await writeOut(this.#command.stdout, format.name === 'yaml' ? renderObjects(this.#objects) : renderObjectsAsJson(this.#objects));
    else if (format?.name === 'jsonl') await writeOut(this.#command.stdout, [...rest.map(execItemLine), execLastLine(shown, this.#documentOptions)]);
    else if (this.#mode === 'report' || isPlan) await this.#command.print(execView(shown, this.#documentOptions), format ?? { name: 'table' });
    else if (this.#mode === 'fold') await writeOut(this.#command.stdout, foldedText(shown.items));
    else if (this.#mode === 'block') for (const item of rest) if (item.outcome !== null) await this.#ended(item);
    this.#sayHowItWent(report, isPlan && format?.name !== 'yaml' && format?.name !== 'json');
    return execExitCode(report.items.map(({ outcome }) => outcome), isPlan);
  }

  /** What was to be read alone is read when its reader leaves; a command that is ended in the middle is no success, whatever `| head` has of it. Throws UnfinishedError for that. */
  #readerLeft({ items }: ExecReport): number {
    const outcomes = items.map(({ outcome }) => outcome);
    const unended = outcomes.filter((outcome) => outcome === null || outcome.error?.reason === 'Interrupted').length;
    if (unended === 0) return execExitCode(outcomes, false);
    throw new UnfinishedError(`interrupted: standard output was closed before the command had ended${items.length === 1 ? '' : ` on ${unended} of ${counted(items.length, 'node')}`}, and so it was ended`);
  }

  get #documentOptions(): { readonly asOf: Date; readonly generatedAt: Date; readonly toolVersion: string } {
    return { asOf: this.#command.now(), generatedAt: this.#command.context.clock.now(), toolVersion: this.#command.context.version };
  }

  /** The lines below the output. `isShown`: what is refused stands in it. */
  #sayHowItWent(report: ExecReport, isShown: boolean): void {
    const [only] = report.items;
    if (isShown) this.#sayWhatWouldRun(report);
    if (only !== undefined && report.items.length === 1) {
      const { outcome } = only;
      // what has ended all of it is said as that
      if (outcome === null || (outcome.error?.reason === 'Interrupted' && this.#command.signal.aborted)) return;
      if (outcome.error !== null) this.#sayError(only.node, outcome.error);
      // kubectl's words: https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/util/helpers.go, read 2026-11-30
      else if (outcome.exitCode !== 0 && outcome.exitCode !== null) this.#command.note(`command terminated with exit code ${outcome.exitCode}`);
      return;
    }
    for (const { node, outcome } of report.items) {
      const text = outcome === null || isShown || this.#told.has(node) ? null : failureText(outcome);
      if (text !== null) this.#command.note(visibleControls(`${node}  ${text}`));
    }
    if (!isShown) for (const line of remedyLines(report.items)) this.#command.note(line);
    if (report.items.length > 0) this.#command.note(execFooter(report));
  }

  /** Below a plan. */
  #sayWhatWouldRun({ items }: ExecReport): void {
    const { run: { dryRun, reuse }, pod } = this.#request;
    const planned = items.filter(({ outcome }) => outcome === null).length;
    if (planned === 0) return;
    const isNew = reuse === null || reuse === undefined;
    const pods = isNew ? `in pods of ${this.#image}` : `in the pods of the run ${reuse}`;
    const taken = dryRun !== 'server' || !isNew ? '' : `; the API server takes ${planned === 1 ? 'it' : 'them'}, and nothing was created`;
    this.#command.note(visibleControls(`note: would run on ${counted(planned, 'node')} as ${pod.runAsUserName}, ${pods} in namespace ${this.#namespace}${taken}`));
  }

  #sayError(node: string, { reason, message, remedy = null }: ExecError): void {
    this.#command.note(visibleControls(`error: ${node}: ${reason}: ${message}`));
    // some are whole roles
    for (const line of remedy?.split('\n') ?? []) this.#command.note(visibleControls(line));
  }

  #declined(): number {
    this.#command.note('Nothing was run');
    return EXIT_CODES.found;
  }
}
