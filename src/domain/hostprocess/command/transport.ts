/** How a command gets to a node, as data: what is asked for, and what is sent. */

export const SHELLS = ['powershell', 'pwsh', 'cmd', 'none'] as const;
export type Shell = (typeof SHELLS)[number];

/** A script of this program. */
export interface NamedScript {
  readonly name: string;
  readonly version: number;
  readonly text: string;
  /** Its one argument, as JSON. */
  readonly arguments: unknown;
}

export interface CommandRequest {
  readonly shell: Shell;
  /** After `--`. */
  readonly words: readonly string[];
  /** Of --script. */
  readonly script: { readonly name: string; readonly text: string } | null;
  /** Nothing of the command may stand in the request, the pod or a log. */
  readonly isPrivate: boolean;
  readonly hasTerminal: boolean;
  readonly errorAction: 'stop' | 'continue';
  /**
   * 16 hexadecimal digits, other ones for each command, so that no output has them by chance. It is no secret of the node: who looks at $kw or at the
   * command line of the runner knows them, and can deceive nobody but who runs that command there, whose result is the node's word in any case.
   */
  readonly nonce: string;
  /** In place of all that the user can ask for. */
  readonly named?: NamedScript;
}

/**
 * `encoded`: all of it as one -EncodedCommand. `framed`: a fixed program in argv, the command at the beginning of stdin.
 * `terminal`: argv alone, because a pseudo console would show the frame. `verbatim`: argv as it was typed.
 */
export interface Transport {
  readonly kind: 'encoded' | 'framed' | 'terminal' | 'verbatim';
  readonly argv: readonly string[];
  /** Goes before the user's stdin. */
  readonly preamble: Uint8Array;
  /** Whether stdin is opened although nobody asked for it. */
  readonly opensStdin: boolean;
  /** Of the signs that come in stderr; null where none come. */
  readonly nonce: string | null;
  readonly notes: readonly string[];
}

/** Why a command cannot be sent, in a sentence, and what to do. */
export interface CommandRefusal {
  readonly refused: string;
  readonly suggestions: readonly string[];
}

/** What the runner on the node gets to do. */
export interface Payload {
  readonly nonce: string;
  readonly kind: 'command' | 'code' | 'script' | 'cmd' | 'named';
  /** Of a script that is ours: `copy-send`, `node-facts`. */
  readonly name?: string;
  readonly version?: number;
  readonly words: readonly string[];
  /** The tail of the command line of a native program. */
  readonly line: string;
  readonly text: string;
  readonly errorAction: 'stop' | 'continue';
  readonly arguments?: unknown;
}

/** What the runner tells of itself, among the bytes of stderr. */
export type Sign =
  | { readonly sign: 'start'; readonly pid: number }
  | { readonly sign: 'end'; readonly code: number | null }
  | { readonly sign: 'failed'; readonly reason: 'NotFound' | 'StartFailed' | 'Refused'; readonly message: string };
