import type { ExecOptions } from '../../app/exec-on-nodes.ts';
import { readAccount, runAsUserName } from '../../domain/hostprocess/account.ts';
import type { CommandRequest, Shell } from '../../domain/hostprocess/command/transport.ts';
import type { ExecTarget } from '../../domain/hostprocess/exec-plan.ts';
import { readTarget } from '../../domain/hostprocess/target.ts';
import { readReference } from '../../domain/image/reference.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { UsageError } from '../../errors.ts';
import { parseOutputFormat, type OutputFormat, type ReadTextFile } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { parseDuration, secondsOf } from '../duration.ts';
import { readKubernetesVersion } from '../kubernetes-version.ts';
import { EXEC_FORMATS, type execFlags, type OutputMode } from './exec-flags.ts';

export type ExecFlags = FlagsOf<{ readonly flags: typeof execFlags }>;

/** `kubectl win hostprocess exec` as it was typed, checked before anything is read. */
export interface ExecCommandLine {
  /** null: what the commands write. jsonl: a line per node as it ends. */
  readonly format: OutputFormat | { readonly name: 'jsonl' } | null;
  /** null where it is not given. */
  readonly outputMode: OutputMode | null;
  readonly maxOutputBytes: number;
  /** What becomes of standard input: it is one node's, or all of it each node's. */
  readonly stdin: 'none' | 'one' | 'all';
  readonly isTerminal: boolean;
  /** Files, or `-`. */
  readonly scriptFile: string | null;
  readonly failedOf: string | null;
  readonly transcript: string | null;
  readonly reason: string | null;
  readonly command: Pick<CommandRequest, 'shell' | 'words' | 'isPrivate' | 'errorAction'>;
  readonly pod: Omit<ExecOptions['objects'], 'image' | 'origin'> & { readonly image: string | null };
  readonly nodes: Pick<ExecOptions, 'targets' | 'selector' | 'pools' | 'releases' | 'all'>;
  readonly run: Pick<ExecOptions, 'anchor' | 'parallel' | 'batchSize' | 'batchPauseSeconds' | 'maxFailures' | 'startTimeoutSeconds' | 'timeoutSeconds' | 'keepSeconds' | 'reuse' | 'dryRun' | 'kubernetesVersion'>;
}

const DEFAULT_SECONDS = 10 * 60;
/** Of somebody who sits before it. */
const SESSION_SECONDS = 8 * 60 * 60;

/** Reads the arguments and flags; throws UsageError for what does not fit together. */
export function readExecRequest(words: readonly string[], afterDash: readonly string[] | null, flags: ExecFlags, readFile: ReadTextFile): ExecCommandLine {
  const command = afterDash ?? [];
  refuseContradictions(words, command, flags);
  return {
    format: flags.output === undefined || flags.output === '' ? null : flags.output === 'jsonl' ? { name: 'jsonl' } : parseOutputFormat(flags.output, readFile, EXEC_FORMATS),
    outputMode: flags.fold ? 'fold' : (flags['output-mode'] as OutputMode | undefined) ?? null, // `choices` let no other text through, here and below
    maxOutputBytes: maxOutputOf(flags['max-output']),
    stdin: flags['stdin-all'] ? 'all' : flags.stdin ? 'one' : 'none',
    isTerminal: flags.tty,
    scriptFile: flags.script ?? null,
    failedOf: flags['failed-of'] ?? null,
    transcript: flags.transcript ?? null,
    reason: flags.reason ?? null,
    command: { shell: flags.shell as Shell, words: command, isPrivate: flags.private, errorAction: flags['error-action'] as CommandRequest['errorAction'] },
    pod: {
      image: flags.image === undefined ? null : imageOf(flags.image), runAsUserName: accountOf(flags['run-as']), pullSecrets: flags['pull-secret'], priorityClass: flags['priority-class'] ?? null,
      requests: { ...quantityOf('cpu', flags.cpu), ...quantityOf('memory', flags.memory) }, labels: pairsOf(flags.label, 'label'), annotations: pairsOf(flags.annotation, 'annotation'),
    },
    nodes: { targets: words.map(targetOf), selector: flags.selector, pools: flags.pool, releases: flags.release, all: flags.all },
    run: {
      anchor: flags.anchor as ExecOptions['anchor'],
      parallel: flags.parallel === 0 ? Number.MAX_SAFE_INTEGER : flags.parallel,
      batchSize: flags['batch-size'] === 0 ? null : flags['batch-size'],
      batchPauseSeconds: Math.ceil((parseDuration(flags['batch-pause'] ?? '0') ?? 0) / 1000),
      maxFailures: maxFailuresOf(flags['max-failures']),
      timeoutSeconds: flags.timeout === undefined ? flags.tty ? SESSION_SECONDS : DEFAULT_SECONDS : secondsOf(flags.timeout, 'timeout'),
      startTimeoutSeconds: secondsOf(flags['start-timeout'], 'start-timeout'),
      keepSeconds: flags.keep === undefined ? null : secondsOf(flags.keep, 'keep'),
      reuse: flags.reuse ?? null,
      dryRun: flags['dry-run'] as ExecOptions['dryRun'],
      kubernetesVersion: readKubernetesVersion(flags['kubernetes-version']) ?? undefined,
    },
  };
}

function invalid(value: string, flag: string, problem: string, suggestions: readonly string[] = []): UsageError {
  return new UsageError(`invalid argument ${JSON.stringify(value)} for "--${flag}" flag: ${problem}`, { suggestions });
}

function targetOf(word: string): ExecTarget {
  const target = readTarget(word);
  if (typeof target === 'string') throw new UsageError(`${JSON.stringify(word)} ${target}`, { suggestions: ['NODE, node/NAME, pod/NAME or pod/NAMESPACE/NAME; the command stands behind --'] });
  return target;
}

function accountOf(text: string): string {
  const account = readAccount(text);
  if (typeof account === 'string') throw invalid(text, 'run-as', account);
  return runAsUserName(account);
}

function imageOf(text: string): string {
  if (readReference(text).kind !== 'reference') throw invalid(text, 'image', 'is no reference of an image');
  return text;
}

function maxFailuresOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (Number(text) < 0) throw invalid(text, 'max-failures', 'must be at least 0');
  return Number(text);
}

/** `1Mi`, `500k`; MiB is what others write. */
function maxOutputOf(text: string): number {
  const bytes = parseQuantity(text.replace(/(?<=[kKMG]i?)B$/, ''));
  if (bytes === null || bytes < 0) throw invalid(text, 'max-output', 'must be a size from 0 on (e.g. 10Mi)');
  return Math.floor(bytes);
}

function quantityOf(resource: 'cpu' | 'memory', text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  const amount = parseQuantity(text);
  if (amount === null || amount < 0) throw invalid(text, resource, `must be a quantity from 0 on (e.g. ${resource === 'cpu' ? '500m' : '256Mi'})`);
  return { [resource]: text };
}

/** By which objects are known and removed again. */
const OWN_KEYS = /^(?:kubectl-win\/|app\.kubernetes\.io\/(?:managed-by|component)$)/;
/** [PREFIX/]NAME: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set, read 2026-11-30 */
const KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function pairsOf(texts: readonly string[], flag: 'label' | 'annotation'): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => {
    const equals = text.indexOf('=');
    const [key, value] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
    if (equals < 1) throw invalid(text, flag, 'must be KEY=VALUE');
    if (!KEY.test(key)) throw invalid(text, flag, `${JSON.stringify(key)} is no key that Kubernetes takes`);
    if (flag === 'label' && !LABEL_VALUE.test(value)) throw invalid(text, flag, `${JSON.stringify(value)} is no value of a label`);
    if (OWN_KEYS.test(key)) throw invalid(text, flag, `${key} is the program's own`);
    return [key, value];
  }));
}

function refuseContradictions(words: readonly string[], command: readonly string[], flags: ExecFlags): void {
  const refuse = (condition: boolean, message: string, suggestions: readonly string[] = []): void => {
    if (condition) throw new UsageError(message, { suggestions });
  };
  const together = (one: string, isOne: boolean, other: string, isOther: boolean, because: string): void => refuse(isOne && isOther, `${one} and ${other} cannot be used together: ${because}`);
  const selecting = [...(flags.selector === undefined ? [] : ['-l']), ...(flags.pool.length === 0 ? [] : ['--pool']), ...(flags.release.length === 0 ? [] : ['--release'])];
  const [selector] = selecting;
  const failedOf = flags['failed-of'] !== undefined;
  refuse(words.length === 0 && selector === undefined && !flags.all && !failedOf, 'no node is named: give NODE, -l, --pool, --release, --all or --failed-of', command.length === 0 ? ['The command stands behind --: kubectl win hostprocess exec NODE -- COMMAND'] : ['kubectl win nodes lists them']);
  together('names of nodes', words.length > 0, selector ?? '', selector !== undefined, 'labels choose among all nodes');
  together('--all', flags.all, words.length > 0 ? 'names of nodes' : selector ?? '', words.length > 0 || selector !== undefined, 'it means all Windows nodes');
  together('--failed-of', failedOf, words.length > 0 ? 'names of nodes' : selector ?? '--all', words.length > 0 || selector !== undefined || flags.all, 'the nodes come from the report');
  refuse(flags.script === '' || flags['failed-of'] === '' || flags.transcript === '', `${flags.script === '' ? '--script' : flags.transcript === '' ? '--transcript' : '--failed-of'} needs the name of a file`);
  refuse(command.length === 0 && flags.script === undefined && !flags.tty, 'you must specify at least one command', ['It stands behind --: kubectl win hostprocess exec NODE -- COMMAND', 'a PowerShell script: --script FILE', 'a shell: -it']);

  const readers = [
    ...(flags.stdin ? ['-i'] : []), ...(flags['stdin-all'] ? ['--stdin-all'] : []), ...(flags.script === '-' ? ['--script -'] : []), ...(flags['failed-of'] === '-' ? ['--failed-of -'] : []), ...(flags.inventory.includes('-') ? ['--inventory -'] : []),
  ];
  refuse(readers.length > 1, `${readers[0]} and ${readers[1]} cannot be used together: standard input is read once`);

  const mode = flags.fold ? '--fold' : '--output-mode';
  const hasMode = flags.fold || flags['output-mode'] !== undefined;
  together('--fold', flags.fold, `--output-mode=${flags['output-mode'] ?? ''}`, flags['output-mode'] !== undefined && flags['output-mode'] !== 'fold', 'it is short for --output-mode=fold');
  together('-o', flags.output !== undefined && flags.output !== '', mode, hasMode, 'it prints a report in place of the output');
  for (const [flag, isGiven] of [
    ['-o', flags.output !== undefined && flags.output !== '' && flags['dry-run'] === 'none'], [mode, hasMode], ['--stdin-all', flags['stdin-all']], ['--script', flags.script !== undefined], ['--private', flags.private],
  ] as const) {
    together('-t', flags.tty, flag, isGiven, flag === '--script' || flag === '--stdin-all' ? 'stdin is the terminal' : flag === '--private' ? 'with a terminal the command stands in the request' : 'a terminal shows what the command writes, as it comes');
  }
  together('--keep', flags.keep !== undefined, '--reuse', flags.reuse !== undefined, 'pods that are used again stay as long as they were kept for');
  together('--reuse', flags.reuse !== undefined, '--inventory', flags.inventory.length > 0, 'what is kept is in the cluster');
  refuse(flags['batch-pause'] !== undefined && flags['batch-size'] === 0, '--batch-pause needs --batch-size');
  refuse(flags.inventory.length > 0 && flags['dry-run'] !== 'client', '--inventory can be planned for, and nothing be run on its nodes', ['--dry-run=client shows the plan']);
  together('--transcript', flags.transcript !== undefined, '--dry-run', flags['dry-run'] !== 'none', 'nothing is run');
}
