import { checkWorkloads, type CheckOptions } from '../../app/check-workloads.ts';
import type { FixableFinding } from '../../app/fix-manifests.ts';
import type { CheckReport } from '../../app/check-report.ts';
import type { ClusterReader, ManifestObject, ManifestSource } from '../../app/ports.ts';
import type { Finding } from '../../domain/check/finding.ts';
import { refOf } from '../../domain/kubernetes/object-ref.ts';
import { readBaseline, type Baseline } from '../../domain/check/control/baseline.ts';
import { patchCommandFor } from '../../domain/check/fix/patch-command.ts';
import { compareSeverity } from '../../domain/severity.ts';
import { AppError, InputError, type ClusterError } from '../../errors.ts';
import { render } from '../../output/print.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import { checkView, type CheckViewOptions } from '../../output/views/check.ts';
import { reportNotes, summaryLine } from '../../output/views/check-texts.ts';
import { ruleExplanationView, rulesView } from '../../output/views/rules.ts';
import { keepHeapSmall } from '../small-heap.ts';
import type { BaseCommand } from '../base-command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { RULE_FORMATS, type checkFlags } from './check-flags.ts';
import { notingFiles, refuseOverwriting } from './output-files.ts';
import { readCheckRequest, refuseObjects, rulesToList, ruleToExplain, type CheckRequest } from './check-request.ts';

export type CheckCommand = BaseCommand<{ readonly flags: typeof checkFlags }>;

/** Fixes that make room for others come in few rounds: three on all manifests that were tried. */
const MOST_FIX_ROUNDS = 4;

/** Width of texts where neither a terminal nor COLUMNS says it, in columns. */
const READABLE_WIDTH = 100;

/** Findings from which on a terminal is told how to see fewer lines. */
const LONG_REPORT = 40;

/** --list and --explain. */
export async function printRules(command: CheckCommand): Promise<number> {
  const { explain } = command.flags;
  refuseObjects(command.words, command.flags);
  const format = await command.outputFormat(RULE_FORMATS);
  await command.print(explain === undefined ? rulesView(rulesToList(command.flags)) : ruleExplanationView(ruleToExplain(explain), { columns: widthOf(command) }), format);
  return EXIT_CODES.ok;
}

/** Reads, judges, prints what was asked for, and gives the exit code. */
export async function printCheck(command: CheckCommand): Promise<number> {
  const settings = await command.settings();
  const request = readCheckRequest(command.words, command.flags, settings.check, await command.formatFile());
  const baseline = command.flags.baseline === undefined ? null : await openBaseline(command, command.flags.baseline);
  const { filename, recursive, inventory, live } = command.flags;
  refuseOverwriting(request.outputFiles, [...filename, ...inventory]);
  const filesRead = new Set<string>();
  const openManifests = async (): Promise<ManifestSource | null> => (filename.length === 0 ? null : notingFiles(await command.context.ports.openManifests({ sources: filename, recursive }, command.context), filesRead));
  const manifests = await openManifests();
  const reader: ClusterReader | null = manifests === null || inventory.length > 0 || live ? await command.openReader() : null;
  const images = await command.openImages({ isOffline: inventory.length > 0 });
  const fixable: FixableFinding[] = [];
  const unread: ClusterError[] = [];
  const options: CheckOptions = {
    rules: request.selected.rules,
    control: { severities: request.selected.severities, minSeverity: request.minSeverity, baseline },
    kubernetesVersion: request.kubernetesVersion, asOf: command.now(), overrides: settings.lifecycle, poolLabels: settings.poolLabels,
    ...images, pullSecrets: command.flags['pull-secrets'],
    assumedReleases: request.assumedReleases, scope: request.scope, chunkSize: command.flags['chunk-size'],
    patchCommandOf: showsPatches(command, request) ? (finding, object) => (finding.fix === null ? null : patchCommandFor(object, [finding.fix], { flags: patchFlags(command) })) : null,
    ...(request.fix === null ? {} : { onManifest: (manifest, findings) => void fixable.push(...findings.map((finding) => fixableOf(manifest, finding))) }),
    onUnread: (error) => void unread.push(error),
    signal: command.signal,
  };
  // a large cluster is read page by page, and what is left of each page is little
  const endWatch = manifests === null ? keepHeapSmall() : () => undefined;
  let report = await checkWorkloads(options, { reader, manifests }).finally(endWatch);
  refuseOverwriting(request.outputFiles, filesRead);
  if (request.fix !== null) {
    const { fixFiles } = await import('./fix-files.ts');
    const said = new Set<string>();
    let fixed = await fixFiles(command, request.fix, fixable, said);
    if (request.fix.isDryRun) return fixed.hasFailed ? EXIT_CODES.usage : exitCodeOf(report, request);
    // A mended field can let another rule see more, and what is left is what the files hold now.
    for (let round = 2; ; round++) {
      fixable.length = 0;
      report = await checkWorkloads(options, { reader, manifests: await openManifests() });
      if (!fixed.hasChanged || fixed.hasFailed || round > MOST_FIX_ROUNDS) break;
      fixed = await fixFiles(command, request.fix, fixable, said);
      if (!fixed.hasChanged) break;
    }
    await writeReport(command, request, report);
    return fixed.hasFailed ? EXIT_CODES.usage : exitCodeOf(report, request);
  }
  // as kubectl get does: what is there, then what is not
  if (unread.length === 0 || report.summary.objects > 0) await writeReport(command, request, report);
  for (const error of unread) command.report(error);
  return unread.length > 0 ? EXIT_CODES.cluster : exitCodeOf(report, request);
}

async function openBaseline(command: CheckCommand, file: string): Promise<Baseline> {
  let document: unknown;
  try {
    document = JSON.parse(await command.context.ports.readTextFile(file, command.signal));
  } catch (error) {
    command.signal.throwIfAborted();
    throw new InputError({ file }, error instanceof SyntaxError ? `is not JSON: ${error.message}` : `cannot be read: ${(error as Error).message}`, {
      suggestions: ['a baseline is written with kubectl win check … --output-file json=FILE'], cause: error,
    });
  }
  const baseline = readBaseline(document);
  if (typeof baseline === 'string') throw new InputError({ file }, baseline);
  return baseline;
}

async function writeReport(command: CheckCommand, request: CheckRequest, report: CheckReport): Promise<void> {
  const { context, stdout } = command;
  const options = (terminal: CheckViewOptions['terminal']): CheckViewOptions => ({
    asOf: command.now(), generatedAt: context.clock.now(), toolVersion: context.version, rules: request.selected.rules, failOn: request.failOn, terminal,
    groupBy: command.flags['group-by'] as CheckViewOptions['groupBy'], // `choices` let no other text through
    root: context.workingFolder,
  });
  const isForPeople = request.format.name === 'table' || request.format.name === 'wide';
  const isOnTerminal = isForPeople && stdout.isTTY === true;
  const view = checkView(report, options(isOnTerminal ? { columns: widthOf(command) } : null));
  // files first: a reader of stdout that goes away (`| head`) ends the program
  const failures: AppError[] = [];
  for (const { format, file } of request.outputFiles) {
    try {
      await context.ports.writeTextFile(file, await render(checkView(report, options(null)), format, {}), command.signal);
    } catch (error) {
      command.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      failures.push(error);
    }
  }
  await command.print(view, request.format);
  const [failure, ...more] = failures;
  for (const one of more) command.report(one);
  if (failure !== undefined) throw failure;
  for (const note of report.notes) command.note(`note: ${visibleControls(note)}`);
  if (!isForPeople) return;
  for (const note of reportNotes(report, { fixed: request.fix === null ? 'none' : request.fix.includeUnsafe ? 'all' : 'safe' })) command.note(visibleControls(note));
  if (isOnTerminal && view.items.length > LONG_REPORT && command.flags['group-by'] === 'object') command.note('--group-by rule names each fault once, --min-severity error leaves the rest out');
  // an empty view has said as much of itself
  if (view.items.length > 0) command.note(summaryLine(report));
}

/** 2 when not one document could be read, whatever --fail-on says: then nothing was checked. */
function exitCodeOf(report: CheckReport, { failOn }: CheckRequest): number {
  if (report.summary.objects === 0 && report.summary.unreadable > 0) return EXIT_CODES.usage;
  if (failOn === 'none') return EXIT_CODES.ok;
  return report.findings.some((finding) => compareSeverity(finding, { severity: failOn }) <= 0) ? EXIT_CODES.found : EXIT_CODES.ok;
}

/** Whether a format has room for commands; making them for thousands of findings takes time and memory. */
function showsPatches(command: CheckCommand, { format, outputFiles }: CheckRequest): boolean {
  const isShown = (name: string): boolean => ['json', 'yaml', 'jsonpath', 'custom-columns', 'wide', 'html', 'markdown'].includes(name);
  return isShown(format.name) || (format.name === 'table' && command.stdout.isTTY === true) || outputFiles.some((one) => isShown(one.format.name));
}

/** A finding on the object as it stands in its file, which may name no namespace. */
function fixableOf({ file, object, asWritten = object }: ManifestObject, finding: Finding): FixableFinding {
  const isAboutIt = object !== asWritten && finding.object.name === refOf(object).name && finding.object.kind === refOf(object).kind;
  return { file, object: asWritten, finding: isAboutIt ? { ...finding, object: refOf(asWritten) } : finding };
}

/** What a pasted command needs to reach the same cluster. */
function patchFlags(command: CheckCommand): readonly string[] {
  const { context, kubeconfig } = command.flags;
  return [...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]), ...(context === undefined ? [] : [`--context=${context}`])];
}

function widthOf(command: CheckCommand): number {
  return command.stdout.columns ?? (Number(command.context.env['COLUMNS']) || READABLE_WIDTH);
}

