import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { ArgInput, FlagInput, InferredFlags } from '@oclif/core/interfaces';
import { parse } from '@oclif/core/parser';
import { type AppError, InputError, UsageError } from '../errors.ts';
import type { ClusterReader, ClusterWriter, ExecChannel, ImageRegistry, NodeLogs, PodLogs } from '../app/ports.ts';
import type { ImagePlatformSource } from '../domain/image/image-platforms.ts';
import { toOclifArgv, unguard, type FlagSpecs, type ParsedArgv } from './argv.ts';
import { PipeClosed, type CommandContext, type ClusterFlags, type OutputStream } from './context.ts';
import { parseDuration } from './duration.ts';
import { reportError } from './error-report.ts';
import { globalFlags } from './flags.ts';
import { parseAsOf } from './as-of.ts';
import { loadSettings, type Settings } from './settings.ts';
import type { RecordingReader } from './recording-reader.ts';
import { isColourAllowed, warningWriter } from './warnings.ts';
import type { OutputFormat } from '../output/print.ts';
import { visibleControls, visibleControlsInText } from '../output/terminal-text.ts';
import type { View } from '../output/view.ts';

/** What the type of a command's flags is taken from: the class itself. */
interface HasFlags {
  readonly flags: FlagInput;
}

/** Flags of a command as `run` sees them: its own and kubectl's global ones. */
export type FlagsOf<T extends HasFlags> = InferredFlags<typeof globalFlags & T['flags']>;

/** A cluster and the ways into it; all but the reader are null for an inventory. */
export interface OpenedCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter | null;
  readonly exec: ExecChannel | null;
  readonly podLogs: PodLogs | null;
  readonly nodeLogs: NodeLogs | null;
}

/** A command class that `runCommandClass` can start. */
export interface CommandClass {
  new (parsed: ParsedArgv, config: Config, context: CommandContext): BaseCommand<HasFlags>;
  readonly id: string;
  readonly summary?: string;
  readonly description: string | undefined;
  readonly examples: Command.Example[];
  readonly aliases: string[];
  readonly hiddenAliases: string[];
  readonly hidden: boolean;
  readonly args?: ArgInput;
  readonly flags?: FlagInput;
  readonly separatesDash?: boolean;
  readonly usage: string | string[] | undefined;
}

/** All flags of a command class, global ones included, as the argv reader needs them. */
function flagSpecsOf(command: Pick<CommandClass, 'flags'>): FlagSpecs {
  return { ...(globalFlags as FlagSpecs), ...((command.flags ?? {}) as FlagSpecs) };
}

/**
 * What every command inherits: flags read as pflag reads them, streams and ports from its context, one AbortSignal.
 * A command implements `run` and returns its exit code (nothing means 0); it throws AppErrors and prints none.
 */
export abstract class BaseCommand<T extends HasFlags = HasFlags> extends Command {
  static override baseFlags = globalFlags;
  /** true when what follows `--` is not the command's own (a remote command); then it is in `afterDash`. */
  static separatesDash = false;

  readonly context: CommandContext;
  /** Flags with defaults filled in. */
  flags!: FlagsOf<T>; // set by `init`, which oclif calls before `run`
  /** Arguments before `--`, in order. */
  words: readonly string[] = [];
  /** Everything after `--`, in order; null when there is no `--`. */
  afterDash: readonly string[] | null = null;
  readonly #parsed: ParsedArgv;
  #readers: ClusterReader[] = [];
  #registries: ImageRegistry[] = [];
  #recordings: RecordingReader[] = [];
  #recordedAt: string | null = null;
  #settings: Promise<Settings> | null = null;
  #warnings = 0;

  constructor(parsed: ParsedArgv, config: Config, context: CommandContext) {
    super([], config);
    this.context = context;
    this.#parsed = parsed;
  }

  abstract override run(): Promise<number | void>;

  get stdout(): OutputStream {
    return this.context.stdout;
  }

  get stderr(): OutputStream {
    return this.context.stderr;
  }

  /** Aborted by Ctrl-C and SIGTERM; hand it to everything that waits. */
  get signal(): AbortSignal {
    return this.context.signal;
  }

  /** Level of -v. */
  get verbosity(): number {
    return this.flags.v;
  }

  /** The user's configuration file; read once, on demand. */
  settings(): Promise<Settings> {
    this.#settings ??= loadSettings(this.context.env, this.signal);
    return this.#settings;
  }

  /** The time to judge by: --as-of, else when the inventory was recorded, else the clock. */
  now(): Date {
    const asOf = (this.flags as { 'as-of'?: string })['as-of'];
    if (asOf !== undefined) return parseAsOf(asOf);
    const recordedAt = Date.parse(this.#recordedAt ?? '');
    return Number.isNaN(recordedAt) ? this.context.clock.now() : new Date(recordedAt);
  }

  /** A line on stderr; nothing else may go there but errors. */
  note(line: string): void {
    this.stderr.write(`${line}\n`);
  }

  /** A line on stderr from -v `level` on. */
  trace(level: number, line: string): void {
    if (this.verbosity >= level) this.note(line);
  }

  /** kubectl's global flags as the client layer takes them. */
  connectionFlags(): ClusterFlags {
    const flags = this.flags as InferredFlags<typeof globalFlags>;
    const timeoutMs = parseDuration(flags['request-timeout']) ?? 0;
    return {
      kubeconfig: flags.kubeconfig,
      context: flags.context,
      cluster: flags.cluster,
      user: flags.user,
      namespace: flags.namespace,
      server: flags.server,
      token: flags.token,
      username: flags.username,
      password: flags.password,
      clientCertificate: flags['client-certificate'],
      clientKey: flags['client-key'],
      certificateAuthority: flags['certificate-authority'],
      insecureSkipTlsVerify: flags['insecure-skip-tls-verify'] ? true : undefined,
      tlsServerName: flags['tls-server-name'],
      as: flags.as,
      asUid: flags['as-uid'],
      asGroup: flags['as-group'],
      asUserExtra: flags['as-user-extra'],
      requestTimeoutSeconds: timeoutMs / 1000,
      disableCompression: flags['disable-compression'],
      proxyUrl: flags['proxy-url'],
      kuberc: flags.kuberc,
      cacheDir: flags['cache-dir'],
    };
  }

  /**
   * The cluster, or the recorded inventory of --inventory; with --save its lists are written to that file, which is
   * complete when the command succeeds. Closed when the command ends. `contextName` replaces --context.
   */
  async openReader(contextName?: string): Promise<ClusterReader> {
    return (await this.openCluster(contextName)).reader;
  }

  /** As openReader, with what changes the cluster and reaches into it. */
  async openCluster(contextName?: string): Promise<OpenedCluster> {
    const flags = this.flags as { inventory?: readonly string[]; save?: string };
    const write = warningWriter(this.context);
    const { reader, writer, exec = null, podLogs = null, nodeLogs = null, recordedAt, notes } = await this.context.ports.openReader(
      {
        connection: contextName === undefined ? this.connectionFlags() : { ...this.connectionFlags(), context: contextName },
        inventory: flags.inventory ?? [],
        stdinUsedBy: stdinUserOf(this.flags),
        verbosity: this.verbosity,
        onWarning: (text) => {
          if (write(text)) this.#warnings++;
        },
        onNotice: (text) => void write(text),
        onTrace: (text) => this.note(visibleControlsInText(text)),
      },
      this.context,
    );
    this.#readers.push(reader);
    this.#recordedAt = recordedAt;
    for (const note of notes) this.note(visibleControls(note));
    if (flags.save === undefined) return { reader, writer, exec, podLogs, nodeLogs };
    const file = flags.save;
    const { recordReader } = await import('./recording-reader.ts');
    const recording = await recordReader(reader, () => this.context.ports.createInventory(file, this.context));
    this.#recordings.push(recording);
    return { reader: recording, writer, exec, podLogs, nodeLogs };
  }

  /**
   * What --images asks for: a source to take in place of evidence, or none and the registries to ask. `isOffline`: what is judged was
   * recorded, so that `auto` asks nobody. Closed when the command ends.
   */
  async openImages({ isOffline }: { readonly isOffline: boolean }): Promise<{ readonly images: ImagePlatformSource | null; readonly registry: ImageRegistry | null }> {
    const settings = await this.settings();
    const { openImages } = await import('./images/open-images.ts');
    const opened = await openImages((this.flags as { images?: string }).images, settings, { isOffline }, this.context, {
      timeoutSeconds: this.connectionFlags().requestTimeoutSeconds, refresh: (this.flags as { refresh?: boolean }).refresh === true, cacheDir: this.flags['cache-dir'], verbosity: this.verbosity,
      onTrace: (text) => this.note(visibleControlsInText(text)),
    });
    if (opened.registry !== null) this.#registries.push(opened.registry);
    return opened;
  }

  /** -o, checked before anything is fetched; `allowed` narrows the formats. */
  async outputFormat(allowed?: readonly string[]): Promise<OutputFormat> {
    const { parseOutputFormat } = await import('../output/print.ts');
    return parseOutputFormat((this.flags as { output?: string }).output ?? '', await this.formatFile(), allowed);
  }

  /** Reads the file that -o names, which may be a pipe (`<(…)`), and gives its text, or its problem, when it is asked for. */
  async formatFile(): Promise<(path: string) => string> {
    const path = /^(?:jsonpath|custom-columns)-file=(.+)$/s.exec((this.flags as { output?: string }).output ?? '')?.[1];
    const outcome = path === undefined ? null : await this.context.ports.readTextFile(path, this.signal).then((text) => ({ text }), (problem: unknown) => ({ problem }));
    this.signal.throwIfAborted();
    return (asked) => {
      if (outcome === null || asked !== path) throw new Error(`the file ${asked} was not read`);
      if ('problem' in outcome) throw outcome.problem;
      return outcome.text;
    };
  }

  /** Prints a view to stdout; what is to be said of an empty one goes to stderr. */
  async print<Item>(view: View<Item>, format: OutputFormat): Promise<void> {
    const [{ render }, { writeOut }] = await Promise.all([import('../output/print.ts'), import('../output/write-out.ts')]);
    const chunks = await render(view, format, {
      noHeaders: (this.flags as { 'no-headers'?: boolean })['no-headers'] === true,
      colour: isColourAllowed(this.stdout, this.context),
    });
    // JSONPath prints values as they are, as kubectl does; programs want that, a terminal must not be steered by it
    await writeOut(this.stdout, format.name === 'jsonpath' && this.stdout.isTTY === true ? mapChunks(chunks, visibleControlsInText) : chunks);
    const isForPeople = format.name === 'table' || format.name === 'wide' || format.name === 'name';
    if (view.items.length === 0 && isForPeople) this.note(view.emptyMessage);
  }

  /** Prints an error that does not end the command: a part could not be shown, the rest is. Gives its exit code. */
  report(error: AppError): number {
    return reportError(error, this.context, { commandPath: `${this.context.programName} ${this.id ?? ''}`.trimEnd(), verbosity: this.verbosity });
  }

  /** Number of warnings that the API server sent. */
  get warningCount(): number {
    return this.#warnings;
  }

  /** --warnings-as-errors. */
  get areWarningsErrors(): boolean {
    return this.flags['warnings-as-errors'];
  }

  protected override async init(): Promise<void> {
    const command = this.ctor as unknown as CommandClass;
    const specs = flagSpecsOf(command);
    const parsed = this.#parsed;
    // without a meaning of its own, `--` only ends the flags
    const words = command.separatesDash === true ? parsed.words : [...parsed.words, ...(parsed.afterDash ?? [])];
    const args = Object.entries(command.args ?? {});
    if (args.every(([, arg]) => arg.multiple !== true)) {
      const extra = words.slice(args.length);
      if (extra.length > 0) throw new UsageError(`extra arguments: [${extra.join(' ')}]`);
    }
    // A missing argument must never be read from a pipe: https://github.com/oclif/core/issues/1107, read 2026-11-30
    const safeArgs = Object.fromEntries(args.map(([name, arg]) => [name, { ...arg, ignoreStdin: true }]));
    const output = await parse(toOclifArgv({ ...parsed, words }, specs), {
      flags: { ...globalFlags, ...command.flags }, args: safeArgs, strict: false,
    });
    this.parsed = true; // the parser is called without oclif's hooks, of which there are none here
    this.flags = Object.fromEntries(Object.entries(output.flags).map(([name, value]) => [name, unguard(value)])) as FlagsOf<T>;
    this.words = words;
    this.afterDash = command.separatesDash === true ? parsed.afterDash : null;
    for (const [name, why] of Object.entries(UNUSED_FLAGS)) {
      if (parsed.flags.has(name)) this.trace(1, `--${name} is accepted and has no effect: ${why}`);
    }
  }

  protected override async catch(error: Error): Promise<never> {
    throw error; // `runCommandClass` is the one funnel
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    for (const recording of this.#recordings) {
      if (error === undefined) await recording.finish({ generatedAt: this.context.clock.now().toISOString(), toolVersion: this.context.version });
      else await recording.abort();
    }
    await Promise.allSettled([...this.#readers, ...this.#registries].map((one) => one.close()));
    const save = (this.flags as { save?: string } | undefined)?.save;
    // quiet for the reader that left, but not for the file that is not there
    if (error !== undefined && save !== undefined && this.#recordings.length > 0 && this.signal.reason instanceof PipeClosed) {
      throw new InputError({ file: save }, 'not written: standard output was closed before everything had been read', { cause: error });
    }
  }
}

/** Flags whose value `-` means standard input. */
const STDIN_FLAGS = ['inventory', 'compare', 'filename', 'from-plan', 'script', 'failed-of'] as const;
/** Flags that hand standard input on. */
const INPUT_FLAGS = ['stdin', 'stdin-all'] as const;

function stdinUserOf(flags: object): string | null {
  const values = flags as Readonly<Record<string, unknown>>;
  const name = STDIN_FLAGS.find((candidate) => [values[candidate]].flat().includes('-'));
  if (name !== undefined) return `--${name} -`;
  const input = INPUT_FLAGS.find((candidate) => values[candidate] === true);
  return input === undefined ? null : `--${input}`;
}

async function* mapChunks(chunks: Iterable<string> | AsyncIterable<string>, change: (text: string) => string): AsyncGenerator<string> {
  for await (const chunk of chunks) yield change(chunk);
}

/** Flags of kubectl that this program takes, so that scripts and aliases work, and does not use. */
const UNUSED_FLAGS: Readonly<Record<string, string>> = {
  'log-flush-frequency': 'nothing is buffered',
  'match-server-version': 'the versions of this program and of Kubernetes are not related',
  profile: 'profiles of the Go runtime do not exist here',
  'profile-output': 'profiles of the Go runtime do not exist here',
  vmodule: 'it selects files of Go programs',
};
