/**
 * What happens to an exec request on a Windows node: the shim, cmd where it stands between, PowerShell with the fixed
 * scripts, and what the command gets in the end. Written from the sources that each part names; nothing here runs on Windows.
 */
import { BOOTSTRAP, CONSOLE_SETUP, RUNNER } from '../../../src/domain/hostprocess/command/scripts.ts';
import { commandLineToArgv, cRuntimeArgv } from './arguments.ts';
import { batchArguments, runCmd, type Environment } from './cmd.ts';
import { readCall, readDataLine, readPowerShellArguments, type Bound, type Datum } from './powershell.ts';

export interface ModelNode {
  /** Windows Server 2022 and later: the shim puts `cmd /c ` before the line. */
  readonly hasBindFilters: boolean;
  readonly environment: Environment;
  /** What is found for a name that stands as the first word. */
  readonly find: (name: string) => 'program' | 'batch' | 'cmdlet' | null;
}

/** What a command has got in the end. */
export interface Arrival {
  readonly kind: 'program' | 'batch' | 'call' | 'code' | 'shell';
  /** Of a program: as both ways of taking a command line apart give them. Of a batch file: %~1 and so on. */
  readonly words: readonly string[];
  readonly bound: readonly Bound[];
  readonly text: string;
  /** What is left of stdin for it. */
  readonly stdin: Uint8Array;
  readonly nonce: string;
  readonly errorAction: string;
}

export type Refusal = 'NotFound' | 'StartFailed' | 'Refused';

const CMD_LINE_LIMIT = 8191;
const PROCESS_LINE_LIMIT = 32_766;

/** By EscapeArg of golang.org/x/sys/windows, as its comment says it: https://pkg.go.dev/golang.org/x/sys/windows#EscapeArg. */
export function escapeArg(text: string): string {
  if (text === '') return '""';
  let out = '';
  let slashes = 0;
  for (const character of text) {
    if (character === '"') out += `${'\\'.repeat(slashes)}\\`;
    slashes = character === '\\' ? slashes + 1 : 0;
    out += character;
  }
  return text.includes(' ') || text.includes('\t') ? `"${out}${'\\'.repeat(slashes)}"` : out;
}

/**
 * The command line that the shim makes of argv: CreateProcess and replaceWithMountPoint of
 * https://github.com/microsoft/hcsshim/blob/7c9ff7f481383ff47524bade75d1b25d631b49ce/internal/jobcontainers/jobcontainer.go, read 2026-11-30.
 */
export function shimLine(argv: readonly string[], { hasBindFilters }: Pick<ModelNode, 'hasBindFilters'>): string {
  const line = argv.map(escapeArg).join(' ').replaceAll('%CONTAINER_SANDBOX_MOUNT_POINT%', 'C:\\hpc').replaceAll('$env:CONTAINER_SANDBOX_MOUNT_POINT', 'C:\\hpc');
  return hasBindFilters ? `cmd /c ${line}` : line;
}

/** The words that the first program gets, its name with them. */
export function firstProgram(argv: readonly string[], node: ModelNode): readonly string[] {
  const line = shimLine(argv, node);
  if (!node.hasBindFilters) return argumentsOf(line);
  if (line.length > CMD_LINE_LIMIT) throw new Error('cmd: the command line is too long');
  const { starts, operators } = runCmd(line.slice('cmd'.length), node.environment);
  const [only] = starts;
  if (only === undefined || starts.length > 1 || operators.length > 0) throw new Error(`cmd read operators ${operators.join(' ')} in ${line.slice(0, 200)}`);
  return argumentsOf(only.line);
}

/** What becomes of an exec request. */
export function execOnModel(argv: readonly string[], stdin: Uint8Array, node: ModelNode): Arrival | Refusal {
  const [program = '', ...words] = firstProgram(argv, node);
  if (!/^(?:powershell|pwsh)\.exe$/.test(program)) return { kind: 'program', words, bound: [], text: program, stdin, nonce: '', errorAction: '' };
  const { script, inputFormat, outputFormat, stays, isInteractive } = readPowerShellArguments(words);
  if (stays) {
    if (script !== CONSOLE_SETUP) throw new Error('another script before a shell');
    return { kind: 'shell', words: [], bound: [], text: script, stdin, nonce: '', errorAction: '' };
  }
  // With a terminal stdin is a console; without one PowerShell would read it, and write XML to stderr.
  if (!isInteractive && (inputFormat !== 'None' || outputFormat !== 'Text')) throw new Error('PowerShell reads stdin itself');
  if (script !== BOOTSTRAP) return run(script, stdin, node);
  const framed = unframe(stdin);
  return run(framed.script, framed.rest, node);
}

/** As BOOTSTRAP reads: four bytes, the lowest first, then as many as they say, and none more. */
function unframe(stdin: Uint8Array): { readonly script: string; readonly rest: Uint8Array } {
  const length = Buffer.from(stdin.subarray(0, 4)).readInt32LE();
  if (length < 0 || stdin.length < 4 + length) throw new Error('stdin ended within the command');
  return { script: new TextDecoder('utf-8', { ignoreBOM: true }).decode(stdin.subarray(4, 4 + length)), rest: stdin.subarray(4 + length) };
}

function run(script: string, stdin: Uint8Array, node: ModelNode): Arrival | Refusal {
  const { data, runner } = readDataLine(script);
  if (runner !== RUNNER) throw new Error('another runner');
  const words = listOf(data, 'w');
  const common = { words: [], bound: [], text: '', stdin, nonce: textOf(data, 'n'), errorAction: textOf(data, 'e') } as const;
  const kind = textOf(data, 'k');
  if (kind === 'cmd') return byCmd(textOf(data, 't'), common, node);
  if (kind !== 'command') return { ...common, kind: 'code', text: textOf(data, 't'), bound: kind === 'named' ? [{ value: textOf(data, 'a') }] : readCall(textOf(data, 'i'), words) };
  const [name = ''] = words;
  switch (node.find(name)) {
    case null: return 'NotFound';
    case 'cmdlet': return { ...common, kind: 'call', text: name, bound: readCall(textOf(data, 'i'), words) };
    case 'program': {
      const line = `"${name}" ${textOf(data, 'l')}`;
      return line.length > PROCESS_LINE_LIMIT ? 'StartFailed' : { ...common, kind: 'program', text: name, words: argumentsOf(line).slice(1) };
    }
    case 'batch': {
      const tail = data.has('b') ? data.get('b') : data.get('l');
      if (typeof tail !== 'string' || name.includes('%')) return 'Refused';
      return byCmd(`"${name}" ${tail}`, common, node);
    }
  }
}

function byCmd(text: string, common: Omit<Arrival, 'kind'>, node: ModelNode): Arrival | Refusal {
  const tail = ` /d /v:off /s /c "${text}"`;
  if (tail.length > CMD_LINE_LIMIT) return 'StartFailed';
  const { starts, operators } = runCmd(tail, node.environment);
  const [only] = starts;
  if (only === undefined || starts.length > 1 || operators.length > 0) return { ...common, kind: 'shell', text };
  if (node.find(only.name) === 'batch') return { ...common, kind: 'batch', text: only.name, words: batchArguments(only.tail) };
  return { ...common, kind: 'program', text: only.name, words: argumentsOf(only.line).slice(1) };
}

/** Programs differ in how they read marks in a row; what is sent must not depend on it. */
function argumentsOf(line: string): readonly string[] {
  const words = commandLineToArgv(line);
  const others = cRuntimeArgv(line);
  if (words.length !== others.length || words.some((word, index) => word !== others[index])) throw new Error(`two programs read this line differently: ${line.slice(0, 200)}`);
  return words;
}

function textOf(data: ReadonlyMap<string, Datum>, key: string): string {
  const value = data.get(key);
  if (typeof value !== 'string') throw new Error(`$kw.${key} is no text`);
  return value;
}

function listOf(data: ReadonlyMap<string, Datum>, key: string): readonly string[] {
  const value = data.get(key);
  if (value === null || value === undefined || typeof value === 'string') throw new Error(`$kw.${key} is no list`);
  return value;
}
