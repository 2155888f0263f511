import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { Terminal, TerminalSize } from '../../../../src/app/ports.ts';
import type { CommandContext } from '../../../../src/cli/context.ts';
import { beginSession, findTerminal } from '../../../../src/cli/hostprocess/interactive.ts';

interface Played {
  readonly terminal: Terminal;
  readonly log: string[];
}

function playedTerminal(sizes: readonly TerminalSize[] = []): Played {
  const log: string[] = [];
  const terminal: Terminal = {
    size: { width: 80, height: 24 },
    resizes: async function* (signal) {
      yield* sizes;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      log.push('no more sizes');
    },
    take: () => {
      log.push('take');
      return Readable.from([Buffer.from('typed')]);
    },
    restore: () => log.push('restore'),
  };
  return { terminal, log };
}

describe('findTerminal', () => {
  const find = async (terminal: Terminal | null, env: Readonly<Record<string, string>> = {}): Promise<readonly [Terminal | null, readonly string[]]> => {
    const notes: string[] = [];
    return [await findTerminal({ env, ports: { openTerminal: async () => terminal } } as unknown as CommandContext, (line) => notes.push(line)), notes];
  };

  it('is that of standard input', async () => {
    const { terminal } = playedTerminal();
    assert.deepEqual(await find(terminal), [terminal, []]);
  });

  it("says in kubectl's words where that is none", async () => assert.deepEqual(await find(null), [null, ['Unable to use a TTY - input is not a terminal or the right kind of file']]));

  it('R121: knows the terminal of Git Bash, and what helps', async () => assert.match((await find(null, { MSYSTEM: 'MINGW64' }))[1].join('\n'), /winpty/));
});

describe('beginSession', () => {
  it('takes what is typed, tells of sizes, and gives the terminal back', async () => {
    const { terminal, log } = playedTerminal([{ width: 100, height: 30 }]);
    const session = beginSession(terminal, { hasInput: true, onResize: async ({ width }) => void log.push(`resize ${width}`) });
    assert.deepEqual([session.tty.size, session.stdin !== null, log], [{ width: 80, height: 24 }, true, ['take']]);
    const seen: number[] = [];
    const sizes = (async () => {
      for await (const { width } of session.tty.resizes) seen.push(width);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    session.end();
    await sizes;
    assert.deepEqual([seen, log], [[100], ['take', 'resize 100', 'restore', 'no more sizes']]);
  });

  it('leaves the keyboard alone without -i, so that Ctrl-C is a signal', () => {
    const { terminal, log } = playedTerminal();
    assert.deepEqual([beginSession(terminal, { hasInput: false, onResize: async () => undefined }).stdin, log], [null, []]);
  });
});
