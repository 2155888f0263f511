import type { ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import type { ByteSink, ByteSource, TerminalSize } from '../ports.ts';

/** Of one command on one node. */
export interface NodeStreams {
  /** Absent: the command gets none. */
  readonly stdin?: ByteSource | undefined;
  readonly stdout: ByteSink;
  /** Gets nothing of a terminal. */
  readonly stderr: ByteSink;
  readonly tty: { readonly size: TerminalSize; readonly resizes: AsyncIterable<TerminalSize> } | null;
}

/** Called when a command is about to start; `end` after its last byte. Not for nodes where none starts. */
export type StreamsOf = (node: string) => { readonly streams: NodeStreams; end(outcome: ExecOutcome): Promise<void> };
