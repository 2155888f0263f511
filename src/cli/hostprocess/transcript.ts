/** The file of --transcript: what came from nodes, as it came. */
import type { TerminalSize } from '../../app/ports.ts';
import type { ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { Cast, Transcript, type TranscriptStream } from '../../output/exec/cast.ts';
import type { CommandContext, PrivateFile } from '../context.ts';

/** Its methods throw InputError, as a transcript with a hole is none. */
export interface TranscriptFile {
  output(node: string, stream: TranscriptStream, bytes: Uint8Array): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  end(node: string, outcome: Pick<ExecOutcome, 'exitCode' | 'error'>): Promise<void>;
  close(): Promise<void>;
  /** In place of `close`, where nothing has run: the next run may have the file. */
  discard(): Promise<void>;
}

export interface TranscriptFacts {
  readonly run: string;
  readonly nodes: readonly string[];
  /** Of a terminal; null for none. */
  readonly size: TerminalSize | null;
}

/** Creates the file, which must not exist. No word of the command is in its first line. */
export async function beginTranscript(path: string, { run, nodes, size }: TranscriptFacts, { ports, clock, version }: CommandContext): Promise<TranscriptFile> {
  const file = await ports.createPrivateFile(path);
  const write = inTurn(file);
  const startedAt = clock.now();
  if (size !== null) {
    const cast = new Cast(startedAt.getTime());
    const now = (): number => clock.now().getTime();
    await write(cast.header(size, `${nodes.join(', ')} (kubectl win hostprocess exec, run ${run})`));
    return {
      output: (_node, _stream, bytes) => write(cast.output(now(), bytes)),
      resize: (to) => write(cast.resize(now(), to)),
      end: () => write(cast.end(now())),
      close: () => file.close(),
      discard: () => file.discard(),
    };
  }
  const transcript = new Transcript();
  await write(transcript.header({ toolVersion: version, startedAt, run, nodes }));
  return {
    output: (node, stream, bytes) => write(transcript.output(clock.now(), node, stream, bytes)),
    resize: async () => undefined,
    end: (node, outcome) => write(transcript.end(clock.now(), node, outcome)),
    close: () => file.close(),
    discard: () => file.discard(),
  };
}

/** One write at a time, in the order in which they came. */
function inTurn(file: PrivateFile): (text: string) => Promise<void> {
  let last = Promise.resolve();
  return (text) => {
    const next = last.then(() => (text === '' ? undefined : file.write(text)));
    last = next.catch(() => undefined);
    return next;
  };
}
