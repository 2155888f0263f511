/** `hostprocess exec` before a terminal: a pseudo-terminal here, another one in the kubelet stand-in, a real API server between them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type IPty, spawn } from '@lydell/node-pty';
import { nameOf } from '../../src/domain/kubernetes/object.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { loadPlayedNodes, objectsOfRuns, PLAYED_CLUSTER } from './played-cluster.ts';

const run = promisify(execFile);
const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];
const NODE = 'terminal-1';

interface OnTerminal {
  /** What the terminal got between the two lines of `stty -g`, line ends as `\n`. */
  readonly text: string;
  readonly exitCode: number;
  /** The modes of the terminal before and after. */
  readonly modes: readonly [string, string];
}

/** What is done as soon as the text has come, one after the other. */
type Step = readonly [RegExp, (terminal: IPty) => void | Promise<void>];

describe('hostprocess exec on a terminal', function () {
  this.timeout(90_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'terminal';
  let program: InstalledProgram;

  before(async function () {
    // ConPTY draws the screen anew, and has no stty
    if (process.platform === 'win32') this.skip();
    program = await installedProgram();
    await loadPlayedNodes(cluster(), [NODE]);
    await cluster().createNamespace(namespace);
  });
  after(async () => {
    await nothingLeft(cluster(), namespace, 30);
    await cluster().api.delete(`/api/v1/nodes/${NODE}`);
  });

  /** Under a shell that prints the modes before and after, and lives on when the terminal signals the group. */
  async function onTerminal(argv: readonly string[], steps: readonly Step[] = []): Promise<OnTerminal> {
    const terminal = spawn('/bin/sh', ['-c', 'trap : INT; stty -g; "$@"; code=$?; stty -g; exit $code', 'sh', process.execPath, program.entry, 'hostprocess', 'exec', '--kubeconfig', cluster().kubeconfig, '-n', namespace, ...argv], {
      cols: 80, rows: 24, name: 'xterm-256color', env: { PATH: process.env['PATH'] ?? '', HOME: program.home, CI: 'true' },
    });
    let text = '';
    let from = 0;
    const waiting = [...steps];
    const failures: unknown[] = [];
    terminal.onData((data) => {
      text += data;
      const [step] = waiting;
      const found = step?.[0].exec(text.slice(from));
      if (step === undefined || found === null || found === undefined) return;
      from += found.index + found[0].length;
      waiting.shift();
      Promise.resolve(step[1](terminal)).catch((error: unknown) => failures.push(error));
    });
    // a step that never comes leaves the rest to wait
    const late = setTimeout(() => terminal.kill('SIGHUP'), 40_000);
    const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve));
    clearTimeout(late);
    const lines = text.replaceAll('\r\n', '\n').split('\n').filter((line) => line !== '');
    assert.deepEqual([failures, waiting.map(([pattern]) => pattern.source)], [[], []], text);
    return { text: lines.slice(1, -1).join('\n'), exitCode, modes: [lines[0] ?? '', lines.at(-1) ?? ''] };
  }

  function assertRestored({ modes: [before, after], text }: OnTerminal): void {
    assert.match(before, /^[\w:=]{20,}$/, 'what stty -g prints');
    assert.equal(after, before, text);
  }

  const type = (text: string) => (terminal: IPty): void => terminal.write(text);

  for (const [shell, prompt] of [['powershell', /PS C:\\hpc> /], ['cmd', /\n?C:\\hpc> /]] as const) {
    it(`opens a shell, and ends with its exit code: ${shell}`, async () => {
      const result = await onTerminal(['-it', NODE, '--shell', shell], [[prompt, type('echo hello\r')], [/\nhello/, type('exit 7\r')]]);
      assert.equal(result.exitCode, 7, result.text);
      assertRestored(result);
      assert.match(result.text, /command terminated with exit code 7$/);
    });
  }

  it('tells the node of the size, and of each later one, and writes them into the transcript', async () => {
    const file = join(program.folder, 'session.cast');
    const result = await onTerminal(['-it', NODE, '--transcript', file, '--', 'sizes.exe', '9'], [
      [/80x24|24 80|80 24/, (terminal) => terminal.resize(100, 30)], [/100x30|30 100|100 30/, (terminal) => terminal.resize(91, 33)], [/91x33|33 91|91 33/, type(CTRL_C)],
    ]);
    assertRestored(result);
    const [header, ...events] = (await readFile(file, 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);
    assert.deepEqual([(header as { width: number }).width, (header as { height: number }).height], [80, 24]);
    assert.deepEqual(events.filter((event) => (event as unknown[])[1] === 'r').map((event) => (event as unknown[])[2]), ['100x30', '91x33']);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('hands Ctrl-C on as the byte that it is: the command ends, and not this program', async () => {
    const result = await onTerminal(['-it', NODE, '--', 'sleep.exe', '60'], [[/started/, type(CTRL_C)]]);
    // STATUS_CONTROL_C_EXIT
    assert.equal(result.exitCode, 3_221_225_786 & 0xff, result.text);
    assert.match(result.text, /command terminated with exit code 3221225786/);
    assertRestored(result);
  });

  it('hands Ctrl-D on: what reads input comes to its end', async () => {
    // in a shell, whose prompt tells when somebody reads
    const result = await onTerminal(['-it', NODE, '--shell=cmd'], [
      [/C:\\hpc> /, type('cat.exe\r')], [/cat\.exe[\r\n]+/, type('grüße\r')], [/grüße[\r\n]+grüße[\r\n]+/, type(CTRL_D)], [/C:\\hpc> /, type('exit 0\r')],
    ]);
    assert.equal(result.exitCode, 0, result.text);
    assertRestored(result);
  });

  it('gives the terminal back when it is ended by SIGTERM, and removes its pod', async () => {
    const result = await onTerminal(['-it', NODE, '--', 'sleep.exe', '60'], [[/started/, async (terminal) => {
      const { stdout } = await run('pgrep', ['-P', String(terminal.pid)]);
      process.kill(Number(stdout.trim().split('\n')[0]), 'SIGTERM');
    }]]);
    assert.equal(result.exitCode, 130, result.text);
    assertRestored(result);
    await nothingLeft(cluster(), namespace, 15);
  });

  it('gives the terminal back when somebody removes its pod', async () => {
    const result = await onTerminal(['-it', NODE, '--', 'sleep.exe', '60'], [[/started/, async () => {
      for (const object of await objectsOfRuns(cluster(), namespace)) if (object.kind === 'Job') await cluster().kubectl(['delete', 'job', nameOf(object), '-n', namespace, '--wait=false']);
    }]]);
    assert.ok(result.exitCode !== 0, result.text);
    assertRestored(result);
  });

  it('without -t ends at Ctrl-C itself, with 130, and removes its pod', async () => {
    const result = await onTerminal([NODE, '--', 'sleep.exe', '60'], [[/started/, type(CTRL_C)]]);
    assert.equal(result.exitCode, 130, result.text);
    assertRestored(result);
    await nothingLeft(cluster(), namespace, 15);
  });

  it('passes escapes of a node to a terminal with -t alone', async () => {
    const argv = ['--', 'echo.exe', 'a\u001b[31mb'];
    const [plain, asked] = [await onTerminal([NODE, ...argv]), await onTerminal(['-t', NODE, ...argv])];
    assert.deepEqual([plain.exitCode, asked.exitCode], [0, 0], plain.text + asked.text);
    assert.match(plain.text, /^a\^\[\[31mb$/m);
    assert.match(asked.text, /a\u001b\[31mb/); // oxlint-disable-line no-control-regex -- control sequences are what is looked for
  });
});
