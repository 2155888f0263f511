/** A command as the main process of its pod, whose output is read from the log: where nothing can be run in a pod by exec. */
import { encodeCommand } from './encoded-command.ts';
import { planTransport } from './plan-transport.ts';
import type { CommandRefusal, CommandRequest } from './transport.ts';

export interface LogCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Of the signs in the log; null where none come. */
  readonly nonce: string | null;
  readonly notes: readonly string[];
}

export const SCRIPT_VARIABLE = 'KUBECTL_WIN_SCRIPT';

/** Windows takes 32,767 characters in a variable (https://learn.microsoft.com/windows/win32/procthread/environment-variables, read 2026-11-30). */
const MOST_CHARACTERS = 30_000;

/** Runs the script of the variable, which the command does not inherit. As BOOTSTRAP it is fixed. */
export const LOG_BOOTSTRAP = [
  `$ErrorActionPreference='Stop'`,
  `.([scriptblock]::Create((&{`,
  `$b=[Convert]::FromBase64String($env:${SCRIPT_VARIABLE})`,
  `$env:${SCRIPT_VARIABLE}=$null`,
  `[Text.Encoding]::UTF8.GetString($b)`,
  `})))`,
].join('\n');

/** What the pod gets, or why it cannot. */
export function planLogCommand(request: CommandRequest): LogCommand | CommandRefusal {
  if (request.hasTerminal) return { refused: 'a log gives no terminal', suggestions: ['leave -t away, or --via=logs'] };
  if (request.isPrivate) return { refused: 'with --via=logs command and output stand in the pod and its log, which --private forbids', suggestions: ['leave --via=logs away'] };
  if (request.shell === 'none' && request.named === undefined) {
    const transport = planTransport(request);
    // the kubelet reads $(NAME) in a command, and takes two of the sign for one
    return 'refused' in transport ? transport : { argv: transport.argv.map((word) => word.replaceAll('$', '$$$$')), env: {}, nonce: null, notes: [...transport.notes, SEEN_BY] };
  }
  // what would go by stdin, whatever its length
  const transport = planTransport({ ...request, isPrivate: true });
  if ('refused' in transport) return transport;
  const script = base64(transport.preamble.subarray(LENGTH_BYTES));
  if (script.length > MOST_CHARACTERS) return { refused: `the command is ${script.length} characters long as --via=logs sends it, and Windows takes ${MOST_CHARACTERS} in a variable`, suggestions: ['put what is long on the node in another way, or leave --via=logs away'] };
  return { argv: [...transport.argv.slice(0, -1), encodeCommand(LOG_BOOTSTRAP)], env: { [SCRIPT_VARIABLE]: script }, nonce: transport.nonce, notes: [...transport.notes, SEEN_BY] };
}

const SEEN_BY = '--via=logs: the command stands in the pod and its output in the log, for whoever may read them there; stdout and stderr come as one, when the command has ended';

/** Of frame.ts. */
const LENGTH_BYTES = 4;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
