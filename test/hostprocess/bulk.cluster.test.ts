/** 100 MB each way through the whole program: none lost, none changed, and none held. */
import assert from 'node:assert/strict';
import { spawn as spawnProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { spawn } from '@lydell/node-pty';
import { nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { loadPlayedNodes, PLAYED_CLUSTER } from './played-cluster.ts';

const BYTES = 100_000_000;
/** What the program may hold beyond one that runs a command without output. */
const MOST_MORE_BYTES = 80 * 2 ** 20;

interface Ended {
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Of stdout, where it is a pipe. */
  readonly sha256: string;
  readonly bytes: number;
  readonly peakBytes: number;
}

describe('100 MB by hostprocess exec', function () {
  this.timeout(180_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'bulk';
  const node = 'bulk-1';
  let program: InstalledProgram;
  let least: number;
  let expected: string;
  /** Of what `bytes` of the stand-in writes. */
  let written: string;

  before(async function () {
    // there is no /proc to read the peak from
    if (process.platform !== 'linux') this.skip();
    program = await installedProgram();
    await loadPlayedNodes(cluster(), [node, 'bulk-2']);
    await cluster().createNamespace(namespace);
    least = (await run(['-i', node, '--', 'cat.exe'])).peakBytes;
    expected = hashOf(patternChunks(BYTES));
    written = hashOf(playedChunks(BYTES));
  });
  after(async () => {
    await nothingLeft(cluster(), namespace, 30);
    for (const name of [node, 'bulk-2']) await cluster().api.delete(`/api/v1/nodes/${name}`);
  });

  async function run(argv: readonly string[], { stdin, stdout, isSlow = false }: { readonly stdin?: Readable | number; readonly stdout?: number; readonly isSlow?: boolean } = {}): Promise<Ended> {
    const child = spawnProcess(process.execPath, [program.entry, 'hostprocess', 'exec', '--kubeconfig', cluster().kubeconfig, '-n', namespace, ...argv], {
      env: { PATH: process.env['PATH'], HOME: program.home }, stdio: [typeof stdin === 'number' ? stdin : 'pipe', stdout ?? 'pipe', 'pipe'],
    });
    const hash = createHash('sha256');
    let [bytes, peakBytes] = [0, 0];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
      if (!isSlow || bytes !== chunk.length) return;
      // once, after the first bytes: for what a network or the node could send meanwhile
      child.stdout?.pause();
      setTimeout(() => child.stdout?.resume(), 3_000);
    });
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin?.on('error', () => undefined);
    if (child.stdin !== null && typeof stdin !== 'number') (stdin ?? Readable.from([])).pipe(child.stdin);
    const timer = setInterval(() => {
      peakOf(child.pid ?? 0).then((peak) => {
        peakBytes = Math.max(peakBytes, peak);
      }, () => undefined); // it has ended
    }, 20);
    const exitCode = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    clearInterval(timer);
    return { exitCode, stderr: Buffer.concat(err).toString(), sha256: hash.digest('hex'), bytes, peakBytes };
  }

  function assertModest({ peakBytes }: Ended): void {
    assert.ok(peakBytes - least < MOST_MORE_BYTES, `${peakBytes} bytes at most, where ${least} are for nothing`);
  }

  it('come through a pipe', async () => {
    const ended = await run([node, '--', 'bytes.exe', String(BYTES)]);
    assert.deepEqual([ended.exitCode, ended.stderr, ended.bytes, ended.sha256], [0, '', BYTES, written]);
    assertModest(ended);
  });

  it('come into a file', async () => {
    const path = join(program.folder, 'bulk');
    const file = await open(path, 'w');
    const ended = await run([node, '--', 'bytes.exe', String(BYTES)], { stdout: file.fd });
    await file.close();
    assert.equal(ended.exitCode, 0, ended.stderr);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    assert.equal(hash.digest('hex'), written);
    assertModest(ended);
  });

  it('go to the node as stdin, behind the frame of a script, too', async () => {
    for (const argv of [['-i', node, '--', 'hash.exe'], ['-i', node, '--private', '--', 'hash.exe', 'x']]) {
      const ended = await run(argv, { stdin: pattern(BYTES) });
      assert.deepEqual([ended.exitCode, ended.stderr], [0, '']);
      assertModest(ended);
      assert.equal(ended.sha256, createHash('sha256').update(`${BYTES} ${expected}\n`).digest('hex'), argv.join(' '));
    }
  });

  it('go there and back', async () => {
    const ended = await run(['-i', node, '--', 'cat.exe'], { stdin: pattern(BYTES) });
    assert.deepEqual([ended.exitCode, ended.stderr, ended.bytes, ended.sha256], [0, '', BYTES, expected]);
    assertModest(ended);
  });

  it('go there from a file', async () => {
    const file = await open(join(program.folder, 'bulk-in'), 'w+');
    for (const chunk of patternChunks(BYTES)) await file.write(chunk);
    await file.close();
    const reading = await open(join(program.folder, 'bulk-in'), 'r');
    const ended = await run(['-i', node, '--', 'hash.exe'], { stdin: reading.fd });
    await reading.close();
    assert.deepEqual([ended.exitCode, ended.stderr, ended.sha256], [0, '', createHash('sha256').update(`${BYTES} ${expected}\n`).digest('hex')]);
    assertModest(ended);
  });

  it('wait on the node for a reader that takes its time, and not here', async () => {
    const ended = await run([node, '--', 'bytes.exe', String(BYTES)], { isSlow: true });
    assert.deepEqual([ended.exitCode, ended.stderr, ended.bytes, ended.sha256], [0, '', BYTES, written]);
    assertModest(ended);
  });

  it('are cut where they are to be kept, and hashed as a whole', async () => {
    const ended = await run([node, '-o', 'jsonpath={.items[0].stdoutBytes} {.items[0].truncated} {.groups[0].stdoutSha256}', '--', 'bytes.exe', String(BYTES)]);
    assert.equal(ended.exitCode, 0, ended.stderr);
    assert.equal(ended.sha256, createHash('sha256').update(`${BYTES} true ${written}`).digest('hex'));
    assertModest(ended);
  });

  it('end with the reader that has seen enough', async () => {
    const child = spawnProcess('/bin/sh', ['-c', '"$@" | head -c 10 | wc -c', 'sh', process.execPath, program.entry, 'hostprocess', 'exec', '--kubeconfig', cluster().kubeconfig, '-n', namespace, node, '--', 'bytes.exe', '100000000000'], {
      env: { PATH: process.env['PATH'], HOME: program.home }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString();
    });
    assert.deepEqual([await new Promise((resolve) => child.on('close', resolve)), said.stdout.trim()], [0, '10']);
    assert.match(said.stderr, /^error: .*standard output was closed before the command had ended/m);
    await nothingLeft(cluster(), namespace, 20);
  });

  it('come through a terminal', async () => {
    const file = await program.write('bulk.sh', 'stty raw -echo\nexec "$@"\n');
    const terminal = spawn('/bin/sh', [file, process.execPath, program.entry, 'hostprocess', 'exec', '--kubeconfig', cluster().kubeconfig, '-n', namespace, '-it', node, '--', 'bytes.exe', String(BYTES)], {
      cols: 80, rows: 24, name: 'xterm', encoding: null, env: { PATH: process.env['PATH'] ?? '', HOME: program.home, CI: 'true' },
    });
    const hash = createHash('sha256');
    let bytes = 0;
    terminal.onData((data) => {
      const chunk = data as unknown as Buffer; // encoding: null
      bytes += chunk.length;
      hash.update(chunk);
    });
    const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve));
    assert.deepEqual([exitCode, bytes, hash.digest('hex')], [0, BYTES, written]);
  });
});

const PRIME = Buffer.alloc(251 * 256, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
/** Of one Read; see ../cluster/windows-process/main.go. */
const DIGITS = Buffer.alloc(32_768, '0123456789');

function* chunksOf(chunk: Buffer, count: number): Generator<Buffer, void, undefined> {
  for (let left = count; left > 0; left -= chunk.length) yield left >= chunk.length ? chunk : chunk.subarray(0, left);
}

const patternChunks = (count: number): Generator<Buffer, void, undefined> => chunksOf(PRIME, count);
const playedChunks = (count: number): Generator<Buffer, void, undefined> => chunksOf(DIGITS, count);

function hashOf(chunks: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

function pattern(count: number): Readable {
  return Readable.from(patternChunks(count), { objectMode: false });
}

/** The most memory that a process has had. */
async function peakOf(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
