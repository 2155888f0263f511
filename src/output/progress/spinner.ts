import type { Writable } from 'node:stream';

export type SpinnerStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Spinner {
  /** Shows the text after the spinner, in place of the one before. */
  show(text: string): void;
  /** Prints a line that stays, above the spinner. */
  print(line: string): void;
  /** Takes the spinner off the terminal. */
  stop(): void;
}

/** ASCII, which every terminal and code page has; given to ora, so that it looks for none. */
const FRAMES = { interval: 120, frames: ['-', '\\', '|', '/'] };

/** One line on a terminal that moves until it is stopped. ora is loaded by the first use only. */
export async function startSpinner(stream: SpinnerStream, { text, colour }: { readonly text: string; readonly colour: boolean }): Promise<Spinner> {
  const { default: ora } = await import('ora');
  // The cursor stays, and standard input is left alone: hooks for either would listen to signals, which are the program's own.
  const spinner = ora({ text, stream: stream as NodeJS.WriteStream, color: colour ? 'cyan' : false, spinner: FRAMES, isEnabled: true, hideCursor: false, discardStdin: false }); // of a terminal, as isTTY says
  spinner.start();
  return {
    show: (shown) => {
      spinner.text = shown;
    },
    // ora wipes its line, lets the other through, and draws its own again
    print: (line) => void stream.write(`${line}\n`),
    stop: () => void spinner.stop(),
  };
}
