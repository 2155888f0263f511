import type { ExecOptions } from '../../app/exec-on-nodes.ts';
import type { CommandRequest, Shell } from '../../domain/hostprocess/command/transport.ts';
import { UsageError } from '../../errors.ts';
import { parseOutputFormat, type OutputFormat, type ReadTextFile } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { secondsOf } from '../duration.ts';
import { EXEC_FORMATS, type execFlags, type OutputMode } from './exec-flags.ts';
import { maxOutputOf, readNodesRequest, readPodRequest, readRunRequest, refuseUnclearNodes, refuseUnclearRun, type NodesRequest, type PodRequest, type RunRequest } from './run-request.ts';

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
  readonly pod: PodRequest;
  readonly nodes: NodesRequest;
  readonly run: RunRequest & Pick<ExecOptions, 'keepSeconds' | 'reuse'>;
}

const TARGETS = 'NODE, node/NAME, pod/NAME or pod/NAMESPACE/NAME; the command stands behind --';
/** As runs are named, in labels and names of objects. */
const RUN_ID = /^[a-z0-9]{1,20}$/;
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
    pod: readPodRequest(flags),
    nodes: readNodesRequest(words, flags, TARGETS),
    run: {
      ...readRunRequest(flags),
      timeoutSeconds: flags.timeout === undefined ? flags.tty ? SESSION_SECONDS : DEFAULT_SECONDS : secondsOf(flags.timeout, 'timeout'),
      keepSeconds: flags.keep === undefined ? null : secondsOf(flags.keep, 'keep'),
      reuse: flags.reuse ?? null,
    },
  };
}

function refuseContradictions(words: readonly string[], command: readonly string[], flags: ExecFlags): void {
  const refuse = (condition: boolean, message: string, suggestions: readonly string[] = []): void => {
    if (condition) throw new UsageError(message, { suggestions });
  };
  const together = (one: string, isOne: boolean, other: string, isOther: boolean, because: string): void => refuse(isOne && isOther, `${one} and ${other} cannot be used together: ${because}`);
  refuseUnclearNodes(words, flags, command.length === 0 ? 'The command stands behind --: kubectl win hostprocess exec NODE -- COMMAND' : 'kubectl win nodes lists them', flags.reuse !== undefined);
  refuse(flags.reuse !== undefined && !RUN_ID.test(flags.reuse), `invalid argument ${JSON.stringify(flags.reuse)} for "--reuse" flag: is no id of a run`, ['--keep leaves the pods of a run for a while, and says its id']);
  refuse(flags.script === '' || flags.transcript === '', `${flags.script === '' ? '--script' : '--transcript'} needs the name of a file`);
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
  for (const [flag, isGiven, because] of [
    ['-i', flags.stdin || flags['stdin-all'], 'the main process of a pod gets no stdin'], ['-t', flags.tty, 'a log gives no terminal'], ['--private', flags.private, 'command and output stand in the pod and its log'],
    ['--keep', flags.keep !== undefined, 'the pod ends with the command'], ['--reuse', flags.reuse !== undefined, 'the pod ends with the command'],
  ] as const) together('--via=logs', flags.via === 'logs', flag, isGiven, because);
  together('--keep', flags.keep !== undefined, '--reuse', flags.reuse !== undefined, 'pods that are used again stay as long as they were kept for');
  together('--reuse', flags.reuse !== undefined, '--inventory', flags.inventory.length > 0, 'what is kept is in the cluster');
  refuseUnclearRun(flags);
  together('--transcript', flags.transcript !== undefined, '--dry-run', flags['dry-run'] !== 'none', 'nothing is run');
}
