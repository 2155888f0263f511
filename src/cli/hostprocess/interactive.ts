/** `-t`: the user's terminal as that of the command. */
import type { NodeStreams } from '../../app/hostprocess/node-streams.ts';
import type { ByteSource, Terminal, TerminalSize } from '../../app/ports.ts';
import type { CommandContext } from '../context.ts';

/** A terminal that belongs to a command. */
export interface TerminalSession {
  readonly tty: NonNullable<NodeStreams['tty']>;
  /** null where what is typed is not the command's: without -i. */
  readonly stdin: ByteSource | null;
  /** The terminal is the user's again. */
  end(): void;
}

/** The terminal of standard input; null where that is none, which is said in kubectl's words: https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/exec/exec.go, read 2026-11-30 */
export async function findTerminal(context: CommandContext, note: (line: string) => void): Promise<Terminal | null> {
  const terminal = await context.ports.openTerminal(context);
  if (terminal !== null) return terminal;
  note('Unable to use a TTY - input is not a terminal or the right kind of file');
  // mintty is a terminal for programs of MSYS alone; others see a pipe (https://github.com/git-for-windows/git/wiki/FAQ, read 2026-11-30)
  if ((context.env['MSYSTEM'] ?? '') !== '') note('note: the terminal of Git Bash is none for this program: put winpty before it, use another terminal, or leave -t away');
  return null;
}

/** From now on Ctrl-C is a byte for the node, where the command gets what is typed. `onResize` is waited for before the node hears of it. */
export function beginSession(terminal: Terminal, { hasInput, onResize }: { readonly hasInput: boolean; readonly onResize: (size: TerminalSize) => Promise<void> }): TerminalSession {
  const ended = new AbortController();
  const stdin = hasInput ? terminal.take() : null;
  return {
    tty: { size: terminal.size, resizes: told(terminal.resizes(ended.signal), onResize) },
    stdin,
    end: () => {
      ended.abort();
      terminal.restore();
    },
  };
}

async function* told(sizes: AsyncIterable<TerminalSize>, onResize: (size: TerminalSize) => Promise<void>): AsyncGenerator<TerminalSize, void, undefined> {
  for await (const size of sizes) {
    await onResize(size);
    yield size;
  }
}
