/** Runs the program in this process, through the same argv reading and error funnel as a real one, with streams and ports of the test. */
import { Readable, Writable } from 'node:stream';
import type { ClusterReader, ClusterWriter, Clock, ExecChannel, LocalRuns, NodeLogs, PodLogs, Terminal } from '../../src/app/ports.ts';
import type { CommandClass } from '../../src/cli/base-command.ts';
import { describeCommand } from '../../src/cli/command-info.ts';
import type { CommandTable } from '../../src/cli/command-table.ts';
import type { CommandContext, Ports, ReaderOptions } from '../../src/cli/context.ts';
import { main } from '../../src/cli/main.ts';
import { realPorts } from '../../src/cli/wiring.ts';
import { sourceCommandTable } from '../../src/tooling/source-commands.ts';
import { memoryRuns } from './local-runs.ts';

export interface RunOptions {
  /** What every openReader gives, whatever the flags say. */
  readonly reader?: ClusterReader;
  /** What changes the cluster of `reader`; default none, as for an inventory. */
  readonly writer?: ClusterWriter;
  /** The other ways into the cluster of `reader`; default none. */
  readonly exec?: ExecChannel;
  readonly podLogs?: PodLogs;
  readonly nodeLogs?: NodeLogs;
  /** What this machine remembers of runs; default nothing, and kept in memory. */
  readonly localRuns?: LocalRuns;
  /** The user's terminal; default none. */
  readonly terminal?: Terminal;
  /** What is typed when something is asked; default: nobody can be asked. */
  readonly answer?: (question: string) => string;
  readonly recordedAt?: string;
  /** In place of single ports. */
  readonly ports?: Partial<Ports>;
  /** Time of the clock; default 2026-11-30T12:00:00Z. */
  readonly now?: Date;
  /** A clock of its own, in place of `now`. */
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** stdout and stderr are terminals. */
  readonly isTerminal?: boolean;
  /** Columns of the terminal; default: it does not say. */
  readonly columns?: number;
  /** stdin is one. */
  readonly isInputTerminal?: boolean;
  readonly signal?: AbortSignal;
  /** Commands in place of those of commands/, by id. */
  readonly commands?: Readonly<Record<string, CommandClass>>;
  readonly programName?: string;
}

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** What openReader was asked for, call by call. */
  readonly readerOptions: readonly ReaderOptions[];
}

/** e.g. `runCommand(['nodes', '-o', 'wide'], { reader })`. */
export async function runCommand(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const stdout = collector(options.isTerminal === true, options.columns);
  const stderr = collector(options.isTerminal === true, options.columns);
  const readerOptions: ReaderOptions[] = [];
  const localRuns = options.localRuns ?? memoryRuns();
  const ports: Ports = {
    ...realPorts,
    // tests send traffic to loopback only: whoever wants a registry brings one
    openRegistry: () => Promise.reject(new Error('this test opens a registry and brings none')),
    openTerminal: async () => options.terminal ?? null,
    ask: async (question) => {
      if (options.answer === undefined) return null;
      stderr.stream.write(question);
      return options.answer(question);
    },
    // those of whoever runs the tests are none of their business
    openLocalRuns: async () => localRuns,
    ...options.ports,
    openReader: async (readOptions, context) => {
      readerOptions.push(readOptions);
      const { reader, writer = null, exec = null, podLogs = null, nodeLogs = null, recordedAt = null } = options;
      if (reader !== undefined) return { reader, writer, exec, podLogs, nodeLogs, recordedAt, notes: [] };
      return (options.ports?.openReader ?? realPorts.openReader)(readOptions, context);
    },
  };
  const context: CommandContext = {
    programName: options.programName ?? 'kubectl win',
    version: '0.1.0',
    platform: 'linux',
    stdin: Object.assign(Readable.from(options.stdin === undefined ? [] : [options.stdin]), { isTTY: options.isInputTerminal === true }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    // registries are asked by those alone who bring one
    env: { KUBECTL_WIN_IMAGES: 'tags', ...options.env },
    workingFolder: process.cwd(),
    user: 'ada@laptop',
    clock: options.clock ?? { now: () => options.now ?? new Date('2026-11-30T12:00:00Z') },
    signal: options.signal ?? new AbortController().signal,
    ports,
  };
  const table = options.commands === undefined ? await sourceCommandTable() : await tableOf(options.commands);
  const exitCode = await main(argv, table, context);
  return { stdout: stdout.text(), stderr: stderr.text(), exitCode, readerOptions };
}

async function tableOf(commands: Readonly<Record<string, CommandClass>>): Promise<CommandTable> {
  const { globalFlags } = await sourceCommandTable();
  const load = async (id: string): Promise<CommandClass> => {
    const command = commands[id];
    if (command === undefined) throw new Error(`no command ${id}`);
    return command;
  };
  return { ids: Object.keys(commands).sort(), load, info: async (id) => describeCommand(id, await load(id)), globalFlags };
}

function collector(isTTY: boolean, columns?: number): { stream: Writable & { isTTY: boolean }; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  // what a terminal has on top, for spinners
  const move = (sequence: string): boolean => stream.write(`\u001B[${sequence}`);
  const terminal = isTTY ? { cursorTo: (column: number) => move(`${column + 1}G`), clearLine: () => move('K'), moveCursor: (_: number, lines: number) => move(`${-lines}A`) } : {};
  return { stream: Object.assign(stream, { isTTY, ...terminal, ...(columns === undefined ? {} : { columns }) }), text: () => Buffer.concat(chunks).toString('utf8') };
}
