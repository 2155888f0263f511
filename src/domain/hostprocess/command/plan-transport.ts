/** From what a user has typed to what the node gets. */
import { cmdLineOf, problemForCmd, refuseForBatch } from './cmd-line.ts';
import { encodeCommand, joinedLength, LINE_LIMIT } from './encoded-command.ts';
import { frame } from './frame.ts';
import { runnerScript } from './payload.ts';
import { programTail } from './program-tail.ts';
import { BOOTSTRAP, CONSOLE_SETUP } from './scripts.ts';
import type { CommandRefusal, CommandRequest, NamedScript, Payload, Shell, Transport } from './transport.ts';
import { batchTail, inexpressible } from './windows-arguments.ts';
import { SHELL_PROGRAMS } from '../shell.ts';

/** Of CreateProcess. https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-createprocessw, read 2026-11-30. */
const PROCESS_LINE_LIMIT = 32_766;

/** A single word that is no code but the path of a program, blanks included: `C:\Program Files\x.exe`, and not `C:\x.exe C:\y.exe`. */
const PROGRAM_PATH = /^(?:[A-Za-z]:[\\/]|\\\\)(?:(?!\.(?:exe|com|cmd|bat|ps1)\s)[^"*?<>|;$])*\.(?:exe|com|cmd|bat|ps1)$/i;

/**
 * Aliases of Windows PowerShell that hide a program of the same name, which is what somebody means who passes it arguments as
 * they are: `sc query kubelet` would write a file called query. PowerShell 7 has the last three.
 * https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_aliases, read 2026-11-30.
 */
const HIDDEN_PROGRAMS: ReadonlyMap<string, string> = new Map([['sc', 'Set-Content'], ['curl', 'Invoke-WebRequest'], ['where', 'Where-Object'], ['sort', 'Sort-Object'], ['fc', 'Format-Custom']]);

/**
 * InputFormat None, for else PowerShell may read stdin, which belongs to the command; OutputFormat Text, for an encoded command
 * with a redirected stderr writes XML there. ErrorFormat of
 * https://github.com/PowerShell/PowerShell/blob/929903692e550140efb5042ed05d65bfd21ccb5f/src/Microsoft.PowerShell.ConsoleHost/host/msh/ConsoleHost.cs,
 * WrappedDeserializer of Serialization.cs beside it, read 2026-11-30.
 */
const WITHOUT_TERMINAL = ['-NonInteractive', '-InputFormat', 'None', '-OutputFormat', 'Text'];

/** What is sent for a command, or why it cannot be. */
export function planTransport(request: CommandRequest): Transport | CommandRefusal {
  if (request.named !== undefined) return planNamedScript(request.named, request.nonce);
  const problem = problemOfTexts(request) ?? problemOfTerminal(request);
  if (problem !== null) return problem;
  if (request.shell === 'none') return verbatim(request);
  if (request.words.length === 0 && request.script === null) return interactive(request.shell);
  const payload = payloadOf(request, request.shell);
  return 'refused' in payload ? payload : byRunner(payload, request, SHELL_PROGRAMS[request.shell === 'pwsh' ? 'pwsh' : 'powershell']);
}

function problemOfTexts({ words, script }: CommandRequest): CommandRefusal | null {
  for (const [index, word] of words.entries()) {
    const problem = inexpressible(word);
    if (problem !== null) return { refused: `word ${index + 1} of the command ${problem}`, suggestions: ['pass such data by stdin (-i), which is handed on byte for byte'] };
  }
  const problem = script === null ? null : inexpressible(script.text);
  if (script !== null && problem !== null) return { refused: `${script.name} ${problem}`, suggestions: ['save the script as UTF-8'] };
  if (script === null && words[0]?.trim() === '') return { refused: 'the first word of the command is empty', suggestions: ['name a command behind --'] };
  return null;
}

function problemOfTerminal({ hasTerminal, isPrivate, script, words }: CommandRequest): CommandRefusal | null {
  if (script === null && words.length === 0 && !hasTerminal) return { refused: 'there is no command', suggestions: ['name one behind --', 'pass a PowerShell script by --script', 'open a shell with -it, which takes a terminal as standard input'] };
  // A pseudo console shows what it gets as input, and would not hand bytes on as they are.
  if (hasTerminal && script !== null) return { refused: 'a script cannot be sent with -t: it goes by stdin, which is the keyboard then', suggestions: ['leave -t away'] };
  if (hasTerminal && isPrivate) return { refused: 'with -t a command stands in the request, which --private forbids', suggestions: ['leave -t away'] };
  return null;
}

function verbatim({ words, script, isPrivate, hasTerminal }: CommandRequest): Transport | CommandRefusal {
  if (script !== null) return { refused: 'a script needs PowerShell, and --shell none starts none', suggestions: ['leave --shell none away'] };
  if (isPrivate) return { refused: 'with --shell none a command stands in the request, which --private forbids', suggestions: ['leave --shell none away'] };
  if (words.length === 0) return { refused: 'there is no command, and --shell none has no shell to open', suggestions: ['name one behind --'] };
  const length = joinedLength(words);
  if (length > PROCESS_LINE_LIMIT) return { refused: `the command line is ${length} characters long, and Windows takes ${PROCESS_LINE_LIMIT}`, suggestions: ['leave --shell none away'] };
  const notes = ['--shell none sends the words as they are: nodes with Windows Server 2022 or later start them by cmd /c, which reads & | < > ^ % and quotation marks; whether the command came to its end is known by its exit code alone'];
  if (length > LINE_LIMIT) notes.push(`the command line is ${length} characters long: cmd takes 8,191, so that it can start on nodes before Windows Server 2022 alone`);
  return { kind: 'verbatim', argv: words, preamble: new Uint8Array(0), opensStdin: hasTerminal, nonce: null, notes };
}

/** A shell for somebody who sits before it. */
function interactive(shell: Exclude<Shell, 'none'>): Transport {
  const argv = shell === 'cmd'
    ? [SHELL_PROGRAMS[shell], '/d', '/k', 'chcp 65001 >nul']
    : [SHELL_PROGRAMS[shell], '-NoLogo', '-NoProfile', '-ExecutionPolicy', 'Bypass', '-NoExit', '-EncodedCommand', encodeCommand(CONSOLE_SETUP)];
  return { kind: 'terminal', argv, preamble: new Uint8Array(0), opensStdin: true, nonce: null, notes: [] };
}

function payloadOf({ words, script, errorAction, nonce, hasTerminal }: CommandRequest, shell: Exclude<Shell, 'none'>): Payload | CommandRefusal {
  // Behind a terminal there is no stderr of its own, in which a sign could go unseen.
  const common = { nonce: hasTerminal ? '' : nonce, words, errorAction, line: '', text: '' } as const;
  if (script !== null) {
    if (shell === 'cmd' || /\.(?:bat|cmd)$/i.test(script.name)) return { refused: `${script.name}: only PowerShell scripts are run, because cmd needs a file on the node`, suggestions: ['write it as a PowerShell script', 'pass a line as one word with --shell cmd'] };
    return { ...common, kind: 'script', text: script.text.replace(/^\uFEFF/, '') };
  }
  if (shell === 'cmd') return cmdPayload(words, common);
  const [command = ''] = words;
  if (words.length === 1 && !PROGRAM_PATH.test(command)) return { ...common, kind: 'code', text: command };
  const tail = programTail(words);
  if ('refused' in tail) return tail;
  const line = tail.join(' ');
  return problemOfProgram(words, line, shell) ?? { ...common, kind: 'command', line };
}

function cmdPayload(words: readonly string[], common: Omit<Payload, 'kind'>): Payload | CommandRefusal {
  const [only = ''] = words;
  const line = words.length === 1 ? only : cmdLineOf(words);
  if (typeof line !== 'string') return line;
  if (/[\r\n]/.test(line)) return { refused: 'cmd reads a line, and ends at a line break', suggestions: ['join commands by &, or by && where each needs the one before', 'use --shell powershell or --script'] };
  if (line.length > LINE_LIMIT) return { refused: `the line is ${line.length} characters long, and cmd takes 8,191`, suggestions: ['use --shell powershell, which has no such limit'] };
  return { ...common, kind: 'cmd', text: line };
}

/** What is known before the node has looked for the command. */
function problemOfProgram(words: readonly string[], line: string, shell: 'powershell' | 'pwsh'): CommandRefusal | null {
  const [command = ''] = words;
  const hidden = HIDDEN_PROGRAMS.get(command.toLowerCase());
  if (hidden !== undefined && !(shell === 'pwsh' && ['sc', 'curl'].includes(command.toLowerCase()))) {
    return { refused: `${command} is ${hidden} in PowerShell, not ${command.toLowerCase()}.exe`, suggestions: [`write ${command}.exe for the program, or ${hidden}`] };
  }
  if (/\.(?:bat|cmd)[. ]*$/i.test(command) && batchTail(words) === null) return refuseForBatch(command);
  const ofCmd = problemForCmd(words);
  if (ofCmd !== null) return ofCmd;
  const length = command.length + line.length + '"" '.length;
  if (/\.(?:exe|com)$/i.test(command) && length > PROCESS_LINE_LIMIT) {
    return { refused: `the command line of ${command} would be ${length} characters long, and Windows takes ${PROCESS_LINE_LIMIT}`, suggestions: ['pass the data by stdin (-i)'] };
  }
  return null;
}

function byRunner(payload: Payload, { script, isPrivate, hasTerminal }: CommandRequest, program: string): Transport | CommandRefusal {
  const text = runnerScript(payload);
  const argv = argvOf(program, hasTerminal ? [] : WITHOUT_TERMINAL, text);
  const fits = joinedLength(argv) <= LINE_LIMIT;
  if (hasTerminal) {
    if (!fits) return { refused: `the command is too long for -t: ${joinedLength(argv)} characters as it is sent, and the node takes ${LINE_LIMIT}`, suggestions: ['leave -t away', 'open a shell with -it and type it there', 'put it into a script and pass that by --script, without -t'] };
    return { kind: 'terminal', argv, preamble: new Uint8Array(0), opensStdin: true, nonce: null, notes: [] };
  }
  if (fits && !isPrivate && script === null) return { kind: 'encoded', argv, preamble: new Uint8Array(0), opensStdin: false, nonce: payload.nonce, notes: [] };
  return { kind: 'framed', argv: argvOf(program, WITHOUT_TERMINAL, BOOTSTRAP), preamble: frame(text), opensStdin: true, nonce: payload.nonce, notes: [] };
}

function argvOf(program: string, switches: readonly string[], script: string): readonly string[] {
  return [program, '-NoLogo', '-NoProfile', ...switches, '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encodeCommand(script)];
}

/** What one of the program's own scripts is sent as: its text is no secret, but too long for a command line, and stdin is its own. */
export function planNamedScript(script: NamedScript, nonce: string): Transport {
  const payload: Payload = { nonce, kind: 'named', name: script.name, version: script.version, words: [], line: '', text: script.text, errorAction: 'stop', arguments: script.arguments };
  return { kind: 'framed', argv: argvOf(SHELL_PROGRAMS.powershell, WITHOUT_TERMINAL, BOOTSTRAP), preamble: frame(runnerScript(payload)), opensStdin: true, nonce, notes: [] };
}
