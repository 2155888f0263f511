/** The program on a real terminal: a pseudo-terminal, whose width, colours, keys and modes are those of a real one. */
import assert from 'node:assert/strict';
import { type IPty, spawn } from '@lydell/node-pty';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { type LoopbackApi, sendJson, startLoopbackApi } from '../support/loopback-api.ts';

interface OnTerminal {
  /** What the terminal got, with its line ends as `\n`. */
  readonly text: string;
  readonly exitCode: number;
}

interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** In place of the program itself. */
  readonly command?: readonly string[];
  /** Called with every new piece of text. */
  readonly onText?: (text: string, terminal: IPty) => void;
}

const CTRL_C = '\u0003';
/** The colours of this program: 16-colour foregrounds, dim and reset. */
const OWN_COLOURS = /\u001b\[(?:0|2|31|32|33|33;1)m/g; // oxlint-disable-line no-control-regex -- control sequences are what is looked for

describe('on a terminal', function () {
  this.timeout(60_000);
  let program: InstalledProgram;
  let inventory: string;

  before(async function () {
    // ConPTY draws the screen anew: what comes out is not what was written
    if (process.platform === 'win32') this.skip();
    program = await installedProgram();
    inventory = await program.write('terminal/nodes.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [rawNode('win-a', { ready: false, taints: [] }), rawNode('win-b', { kernelVersion: '10.0.17763.1' })] }));
  });

  function onTerminal(argv: readonly string[], options: TerminalOptions = {}): Promise<OnTerminal> {
    const [file = '', ...first] = options.command ?? [process.execPath, program.entry];
    const terminal = spawn(file, [...first, ...argv], {
      cols: options.columns ?? 80, rows: 24, name: options.env?.['TERM'] ?? 'xterm-256color',
      env: { PATH: process.env['PATH'] ?? '', HOME: program.home, KUBECTL_WIN_IMAGES: 'tags', ...options.env },
    });
    let text = '';
    terminal.onData((data) => {
      text += data;
      options.onText?.(text, terminal);
    });
    return new Promise((resolve) => {
      terminal.onExit(({ exitCode }) => resolve({ text: text.replaceAll('\r\n', '\n'), exitCode }));
    });
  }
  const nodes = (...argv: string[]): string[] => ['nodes', '--inventory', inventory, ...argv];

  it('shows what it is at below a moving sign, which is gone in the end', async () => {
    const { text, exitCode } = await onTerminal(['prepull', 'registry.example/web:ltsc2022', '--images=tags', '--dry-run=client', '--inventory', inventory, '--node', 'win-b']);
    assert.equal(exitCode, 1, text);
    assert.match(text, /-(?:\u001b\[39m)? planning/); // oxlint-disable-line no-control-regex -- as above
    assert.match(text, /\u001b\[1G\u001b\[(?:0)?KNODE +IMAGE /); // oxlint-disable-line no-control-regex -- as above
  });

  describe('colour', () => {
    it('marks what is wrong', async () => {
      const { text, exitCode } = await onTerminal(nodes());
      assert.equal(exitCode, 0);
      assert.match(text, /\u001b\[31mNotReady\u001b\[0m/); // oxlint-disable-line no-control-regex -- as above
    });
    for (const [title, env] of [['NO_COLOR', { NO_COLOR: '1' }], ['NO_COLOR without a value', { NO_COLOR: '' }], ['TERM=dumb', { TERM: 'dumb' }]] as const) {
      it(`is off with ${title}`, async () => assert.ok(!(await onTerminal(nodes(), { env })).text.includes('\u001b')));
    }
    it('never goes to a pipe or into a document', async () => {
      const { stdout, stderr } = await program.run(nodes(), { env: { TERM: 'xterm-256color' } });
      assert.ok(!(stdout + stderr).includes('\u001b'));
      const documents = await Promise.all(['json', 'yaml', 'csv', 'markdown', 'html', 'name'].map((format) => onTerminal(nodes('-o', format))));
      assert.ok(documents.every(({ text }) => text !== '' && !text.includes('\u001b')));
    });
    it('is the same text without it', async () => {
      const [coloured, plain] = [await onTerminal(nodes('--show-issues')), await onTerminal(nodes('--show-issues'), { env: { NO_COLOR: '1' } })];
      assert.equal(coloured.text.replaceAll(OWN_COLOURS, ''), plain.text);
    });
  });

  describe('width', () => {
    for (const columns of [40, 60, 80, 120]) {
      it(`the explanations of --show-issues fit into ${columns} columns`, async () => {
        const { text } = await onTerminal(nodes('--show-issues'), { columns });
        const boxes = text.split('\n').filter((line) => /^[┌│├└]/.test(line));
        assert.ok(boxes.length > 10);
        const widths = new Set(boxes.map((line) => line.length));
        assert.equal(widths.size, 1, `lines of ${[...widths].join(', ')} columns`);
        const [width = 0] = widths;
        assert.ok(width <= columns && width >= columns - 2, `${width} columns`);
        // nothing is left out: the words are the same at every width
        const words = boxes.map((line) => line.split('│')[3] ?? '').join('').replaceAll(/\s/g, '');
        for (const phrase of ['notaintkeepsLinuxpodswithoutanOSselectoroffthisWindowsnode', 'thenodeisnotReady']) assert.ok(words.includes(phrase), phrase);
      });
    }
    it('a table of 40 columns is not cut or wrapped, as with kubectl', async () => {
      const [narrow, wide] = [await onTerminal(nodes(), { columns: 40 }), await onTerminal(nodes(), { columns: 200 })];
      assert.equal(narrow.text, wide.text);
      assert.equal(narrow.exitCode, 0);
    });
    it('a pipe has no width', async () => {
      const { stdout } = await program.run(nodes('--show-issues'));
      const box = stdout.split('\n').find((line) => line.startsWith('┌')) ?? '';
      assert.ok(box.length > 80 && box.length <= 120, `${box.length} columns`);
    });
  });

  describe('Ctrl-C', () => {
    let api: LoopbackApi;
    afterEach(() => api.close());

    /** Runs the program under a shell that prints the modes of the terminal before and after, and presses Ctrl-C when `isReady` says so. */
    async function assertInterrupted(argv: readonly string[], isReady: (text: string) => boolean | Promise<void>): Promise<void> {
      let at = 0;
      const press = (terminal: IPty): void => {
        at = performance.now();
        terminal.write(CTRL_C);
      };
      let waiting = false;
      const { text, exitCode } = await onTerminal(argv, {
        command: ['/bin/sh', '-c', 'trap : INT; stty -g; "$@"; code=$?; stty -g; exit $code', 'sh', process.execPath, program.entry],
        onText: (soFar, terminal) => {
          const ready = waiting ? false : isReady(soFar);
          if (ready === false) return;
          waiting = true;
          if (ready === true) press(terminal);
          else void ready.then(() => press(terminal));
        },
      });
      const milliseconds = performance.now() - at;
      assert.equal(exitCode, 130, text);
      assert.ok(at > 0 && milliseconds < 5000, `${milliseconds} ms`);
      // the terminal itself echoes ^C where the cursor stands
      const lines = text.replaceAll('^C', '').split('\n').filter((line) => line !== '');
      assert.match(lines[0] ?? '', /^[\w:=]{20,}$/, 'what stty -g prints');
      assert.equal(lines.at(-1), lines[0], 'the modes of the terminal');
      assert.doesNotMatch(text, /\n\s+at |internal error/);
    }

    it('ends a list that hangs, with 130 at once', async () => {
      let asked = (): void => undefined;
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      api = await startLoopbackApi(({ url }) => {
        if (url.startsWith('/api')) asked();
      }, { tls: false });
      await assertInterrupted(['nodes', '-s', api.url], () => isAsked);
    });

    it('ends -w, with 130 at once', async () => {
      api = await startLoopbackApi(({ url }, response) => {
        if (url.startsWith('/version')) sendJson(response, 200, { gitVersion: 'v1.37.2' });
        else if (url.includes('watch=')) response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
        else sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [rawNode('win-a')] });
      }, { tls: false });
      await assertInterrupted(['nodes', '-w', '-s', api.url], (text) => text.includes('win-a'));
    });
  });

  it('a pipe that is closed early ends the program quietly', async () => {
    const many = await program.write('terminal/many.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: Array.from({ length: 2000 }, (_, index) => rawNode(`win-${String(index).padStart(4, '0')}`)) }));
    const { text, exitCode } = await onTerminal(['nodes', '--inventory', many, '--no-headers'], { command: ['/bin/bash', '-c', 'set -o pipefail; "$@" | head -1', 'bash', process.execPath, program.entry] });
    assert.equal(exitCode, 0, text);
    assert.match(text, /^win-0000 [^\n]*\n(?:note: [^\n]*\n)*$/);
  });

  it('a watch whose reader has gone ends with the next change', async () => {
    const timers = new Set<NodeJS.Timeout>();
    const api = await startLoopbackApi(({ url }, response) => {
      if (url.startsWith('/version')) sendJson(response, 200, { gitVersion: 'v1.37.2' });
      else if (url.includes('watch=')) {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        let version = 2;
        timers.add(setInterval(() => void response.write(`${JSON.stringify({ type: 'MODIFIED', object: rawNode('win-a', { resourceVersion: String(version++) }) })}\n`), 50));
      } else sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [rawNode('win-a')] });
    }, { tls: false });
    try {
      const { text, exitCode } = await onTerminal(['nodes', '-w', '--no-headers', '-s', api.url], { command: ['/bin/bash', '-c', 'set -o pipefail; "$@" | head -1', 'bash', process.execPath, program.entry] });
      assert.equal(exitCode, 0, text);
      assert.match(text, /^win-a [^\n]*\n$/);
    } finally {
      for (const timer of timers) clearInterval(timer);
      await api.close();
    }
  });

  describe('control characters of a node', () => {
    // a window title, a cleared screen, CSI as one character, a return over the line, text from right to left
    const EVIL = '\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u202e';
    let evil: string;
    before(async () => {
      const node = rawNode(`win${EVIL}`, {
        pool: `p${EVIL}`, labels: { [`k${EVIL}`]: `v${EVIL}`, x: `v${EVIL}` }, runtime: `containerd://1.7${EVIL}`, kubeletVersion: `v1.30.1${EVIL}`,
        images: [{ names: [`img${EVIL}`], sizeBytes: 5 }], taints: [{ key: `t${EVIL}`, value: `v${EVIL}`, effect: `NoSchedule${EVIL}` }],
      }) as KubeObject & { readonly status: { readonly nodeInfo: Record<string, unknown> } };
      node.status.nodeInfo['osImage'] = `Windows${EVIL}`;
      evil = await program.write('terminal/evil.json', JSON.stringify({
        kind: 'List', apiVersion: 'v1', items: [{ ...node, status: { ...node.status, addresses: [{ type: 'InternalIP', address: `1.2${EVIL}` }], conditions: [{ type: 'Ready', status: 'False', reason: `R${EVIL}`, message: `M${EVIL}` }] } }],
      }));
    });
    const commands = [
      [], ['-o', 'wide', '--show-labels', '-L', 'x'], ['--show-issues'], ['--show-images'], ['--group-by', 'pool'], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'csv'], ['-o', 'markdown'], ['-o', 'html'],
      ['-o', 'name'], ['-o', 'prometheus'], ['-o', 'jsonpath={.items[*].osImage}'], ['-o', 'jsonpath-as-json={.items[*].name}'], ['-o', 'custom-columns=N:.name,O:.osImage'],
      [`missing${EVIL}`], ['--pool', `x${EVIL}`], ['--sort-by', `a${EVIL}`], ['-l', `a${EVIL}`], [`--flag${EVIL}`],
    ];
    let results: readonly OnTerminal[];
    before(async () => {
      // all at once: each alone is mostly the start of a process
      results = await Promise.all(commands.map((argv) => onTerminal(['nodes', '--inventory', evil, ...argv])));
    });
    for (const [index, argv] of commands.entries()) {
      it(`never reach it raw: ${argv.map((word) => word.replaceAll(EVIL, '…')).join(' ') || 'the table'}`, () => {
        const text = results[index]?.text ?? '';
        assert.notEqual(text, '');
        const raw = text.replaceAll(OWN_COLOURS, '').replaceAll('\r', argv.includes('csv') ? '' : '\r').match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/g); // oxlint-disable-line no-control-regex -- as above
        assert.equal(raw, null, JSON.stringify(text));
      });
    }
    it('are exact in what a program reads', async () => {
      const { stdout } = await program.run(['nodes', '--inventory', evil, '-o', 'jsonpath={.items[*].osImage}']);
      assert.equal(stdout, `Windows${EVIL}`);
      assert.equal((JSON.parse((await program.run(['nodes', '--inventory', evil, '-o', 'json'])).stdout) as { items: { osImage: string }[] }).items[0]?.osImage, `Windows${EVIL}`);
    });
    it('of a warning or an error of the server neither', async () => {
      const api = await startLoopbackApi(({ url }, response) => {
        if (url.startsWith('/version')) sendJson(response, 200, { gitVersion: `v1.37.2${EVIL}` });
        else sendJson(response, 403, { kind: 'Status', status: 'Failure', reason: 'Forbidden', message: `no${EVIL}`, code: 403 }, { Warning: '299 - "w\u001b[2J"'.replace('\u001b', '\\u001b') });
      }, { tls: false });
      const { text, exitCode } = await onTerminal(['nodes', '-s', api.url]);
      await api.close();
      assert.equal(exitCode, 3);
      assert.equal(text.replaceAll(OWN_COLOURS, '').match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/g), null, JSON.stringify(text)); // oxlint-disable-line no-control-regex -- as above
    });
  });
});
