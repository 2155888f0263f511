import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { openTerminal, type ProcessEvents, type TerminalInput, type TerminalOutput } from '../../../../src/adapters/terminal/open-terminal.ts';
import type { Terminal, TerminalSize } from '../../../../src/app/ports.ts';

interface FakeInput extends TerminalInput {
  /** What setRawMode was called with. */
  readonly modes: boolean[];
}

function input(more: { readonly isTTY?: boolean; readonly isRaw?: boolean; readonly fails?: boolean } = {}): FakeInput {
  const modes: boolean[] = [];
  return Object.assign(new PassThrough(), {
    isTTY: more.isTTY ?? true, isRaw: more.isRaw ?? false, modes,
    setRawMode: (isRaw: boolean) => {
      modes.push(isRaw);
      if (more.fails === true && !isRaw) throw new Error('EIO');
    },
  });
}

const output = (more: { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number } = { isTTY: true, columns: 91, rows: 33 }): TerminalOutput & { columns?: number; rows?: number } => Object.assign(new PassThrough(), more);

class FakeProcess extends EventEmitter implements ProcessEvents {
  readonly pid = 1;
  readonly killed: string[] = [];

  kill(_pid: number, signal: NodeJS.Signals): void {
    this.killed.push(signal);
  }
}

function open(stdin: TerminalInput, outputs: readonly TerminalOutput[] = [output()], events: ProcessEvents = new FakeProcess()): Terminal {
  return openTerminal(stdin, outputs, events) ?? assert.fail('it is no terminal');
}

describe('openTerminal', () => {
  it('is null where standard input is no terminal', () => {
    assert.equal(openTerminal(input({ isTTY: false }), [output()]), null);
    assert.equal(openTerminal(Object.assign(new PassThrough(), { isTTY: true }), [output()]), null);
  });

  describe('its size', () => {
    it('is that of the first output that is a terminal', () => {
      assert.deepEqual(open(input(), [output()]).size, { width: 91, height: 33 });
      assert.deepEqual(open(input(), [output({ isTTY: false, columns: 5, rows: 5 }), output()]).size, { width: 91, height: 33 });
    });
    it('is 80 by 24 where nobody says', () => {
      assert.deepEqual(open(input(), []).size, { width: 80, height: 24 });
      assert.deepEqual(open(input(), [output({ isTTY: true, columns: 0, rows: 0 })]).size, { width: 80, height: 24 });
    });
  });

  describe('resizes', () => {
    const resize = (stdout: { columns?: number; rows?: number; emit(event: string): boolean }, columns: number, rows: number): void => {
      Object.assign(stdout, { columns, rows });
      stdout.emit('resize');
    };

    it('gives each size that differs, and of several that nobody took the last', async () => {
      const stdout = output();
      const sizes = open(input(), [stdout]).resizes(new AbortController().signal)[Symbol.asyncIterator]();
      const first = sizes.next();
      resize(stdout, 91, 33);
      resize(stdout, 100, 33);
      assert.deepEqual(await first, { done: false, value: { width: 100, height: 33 } });
      resize(stdout, 101, 33);
      resize(stdout, 102, 40);
      assert.deepEqual(await sizes.next(), { done: false, value: { width: 102, height: 40 } });
    });

    it('ends with the signal, and leaves no listener', async () => {
      const [stdout, controller] = [output(), new AbortController()];
      const sizes: TerminalSize[] = [];
      const reading = (async () => {
        for await (const size of open(input(), [stdout]).resizes(controller.signal)) sizes.push(size);
      })();
      resize(stdout, 100, 33);
      await new Promise(setImmediate);
      controller.abort();
      await reading;
      assert.deepEqual([sizes, stdout.listenerCount('resize')], [[{ width: 100, height: 33 }], 0]);
      assert.deepEqual(await open(input(), [stdout]).resizes(controller.signal)[Symbol.asyncIterator]().next(), { done: true, value: undefined });
      assert.equal(stdout.listenerCount('resize'), 0);
    });

    it('lets go of the terminal at once when nobody wants more', async () => {
      const stdout = output();
      const sizes = open(input(), [stdout]).resizes(new AbortController().signal)[Symbol.asyncIterator]();
      const next = sizes.next();
      await sizes.return?.();
      assert.deepEqual([await next, stdout.listenerCount('resize')], [{ done: true, value: undefined }, 0]);
    });
  });

  describe('raw mode', () => {
    it('begins with take, and ends with restore, once each', () => {
      const stdin = input();
      const terminal = open(stdin);
      terminal.restore();
      assert.deepEqual(stdin.modes, []);
      assert.equal(terminal.take(), stdin);
      terminal.take();
      terminal.restore();
      terminal.restore();
      assert.deepEqual(stdin.modes, [true, false]);
      assert.equal(stdin.isPaused(), true, 'so that it does not keep the process');
      terminal.take();
      terminal.restore();
      assert.deepEqual(stdin.modes, [true, false, true, false]);
    });

    it('stays where the terminal was raw before', () => {
      const stdin = input({ isRaw: true });
      const terminal = open(stdin);
      terminal.take();
      terminal.restore();
      assert.deepEqual(stdin.modes, [true, true]);
    });

    it('leaves no listener behind', () => {
      const events = new FakeProcess();
      const terminal = open(input(), [], events);
      terminal.take();
      assert.ok(events.eventNames().length > 0);
      terminal.restore();
      assert.deepEqual(events.eventNames(), []);
    });

    it('ends when the process does', () => {
      const [stdin, events] = [input(), new FakeProcess()];
      open(stdin, [], events).take();
      events.emit('exit');
      assert.deepEqual(stdin.modes, [true, false]);
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
      it(`ends with ${signal}, which then ends the process unless others take care of that`, () => {
        const [stdin, events] = [input(), new FakeProcess()];
        open(stdin, [], events).take();
        events.emit(signal);
        assert.deepEqual([stdin.modes, events.killed], [[true, false], [signal]]);

        const others = new FakeProcess();
        const order: string[] = [];
        others.on(signal, () => order.push('other'));
        const second = input();
        open(second, [], others).take();
        others.emit(signal);
        assert.deepEqual([second.modes, others.killed, order], [[true, false], [], ['other']]);
      });
    }

    it('is set anew after the process was stopped', () => {
      const [stdin, events] = [input(), new FakeProcess()];
      open(stdin, [], events).take();
      events.emit('SIGCONT');
      assert.deepEqual(stdin.modes, [true, false, true]);
    });

    it('of a terminal that has gone is no fault', () => {
      const stdin = input({ fails: true });
      const terminal = open(stdin);
      terminal.take();
      terminal.restore();
      assert.deepEqual(stdin.modes, [true, false]);
    });
  });
});

describe('openTerminal on a pseudo-terminal', function () {
  this.timeout(30_000);
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  const module = fileURLToPath(import.meta.resolve('../../../../src/adapters/terminal/open-terminal.ts'));
  /** Takes the terminal, says so, and shows the bytes that come, until something ends it. */
  const script = `
    import { openTerminal } from ${JSON.stringify(module)};
    const terminal = openTerminal(process.stdin, [process.stdout]);
    const controller = new AbortController();
    const say = (text) => process.stdout.write('<' + text + '>');
    const { width, height } = terminal.size;
    void (async () => { for await (const size of terminal.resizes(controller.signal)) say('size ' + size.width + 'x' + size.height); })();
    const source = terminal.take();
    source.on('data', (bytes) => {
      for (const byte of bytes) {
        say(byte);
        if (byte === 0x72) { terminal.restore(); controller.abort(); }
        if (byte === 0x65) process.exit(3);
        if (byte === 0x78) throw new Error('crash');
        if (byte === 0x73) process.on('SIGTERM', () => process.exit(143));
      }
    });
    say('pid ' + process.pid);
    say('ready ' + width + 'x' + height);`;

  /** Of the program, and not of the shell. */
  const pidIn = (text: string): number => Number(/<pid (\d+)>/.exec(text)?.[1]);

  /** Runs the script under a shell that prints the modes of the terminal before and after. */
  async function run(onText: (text: string, terminal: IPty, step: (marker: string) => boolean) => void): Promise<{ readonly text: string; readonly isRestored: boolean }> {
    const terminal = spawn('/bin/sh', ['-c', 'trap : INT TERM HUP QUIT; stty -g; "$@" 2>/dev/null; code=$?; echo; stty -g; exit $code', 'sh', process.execPath, '--input-type=module', '-e', script], { cols: 91, rows: 33, name: 'xterm', env: { PATH: process.env['PATH'] ?? '' } });
    let text = '';
    const seen = new Set<string>();
    terminal.onData((data) => {
      text += data;
      onText(text, terminal, (marker) => text.includes(marker) && !seen.has(marker) && seen.add(marker).has(marker));
    });
    await new Promise<void>((resolve) => {
      terminal.onExit(() => resolve());
    });
    const lines = text.replaceAll('\r\n', '\n').split('\n').filter((line) => line !== '');
    assert.match(lines[0] ?? '', /^[\w:=]{20,}$/, 'what stty -g prints');
    return { text, isRestored: lines.at(-1) === lines[0] };
  }

  it('hands on bytes as they are typed, Ctrl-C and Ctrl-D too, without an echo; tells of a new size; and ends with restore', async () => {
    const { text, isRestored } = await run((_, terminal, step) => {
      if (step('<ready 91x33>')) terminal.write('a\u0003\u0004\u001a\r');
      if (step('<13>')) terminal.resize(101, 40);
      if (step('<size 101x40>')) terminal.write('r');
    });
    assert.match(text, /<ready 91x33><97><3><4><26><13><size 101x40><114>\r\n/);
    assert.equal(isRestored, true);
  });

  for (const [title, key] of [['process.exit', 'e'], ['an error that nothing caught', 'x']] as const) {
    it(`gets its modes back after ${title}`, async () => {
      const { isRestored } = await run((_, terminal, step) => {
        if (step('<ready 91x33>')) terminal.write(key);
      });
      assert.equal(isRestored, true);
    });
  }

  for (const signal of ['TERM', 'HUP', 'INT', 'QUIT'] as const) {
    it(`gets its modes back after SIG${signal}`, async () => {
      const { isRestored } = await run((text, _, step) => {
        if (step('<ready 91x33>')) process.kill(pidIn(text), `SIG${signal}`);
      });
      assert.equal(isRestored, true);
    });
  }

  it('gets its modes back where a program of its own handles the signal', async () => {
    const { isRestored } = await run((text, terminal, step) => {
      if (step('<ready 91x33>')) terminal.write('s');
      if (step('<115>')) process.kill(pidIn(text), 'SIGTERM');
    });
    assert.equal(isRestored, true);
  });
});
