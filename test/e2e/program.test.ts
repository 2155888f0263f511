/** The program as users start it: a process with streams, signals and an exit code; bundled, as an installed package. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT_ROOT } from '../../src/tooling/source-commands.ts';
import { type Ended, installedProgram, type InstalledProgram, type StartOptions } from '../support/installed-program.ts';

const LAUNCHER = join(PROJECT_ROOT, 'bin', 'kubectl-win');
const CHECKOUT_ENTRY = join(PROJECT_ROOT, 'bin', 'kubectl-win.js');
/** Entry that runs the sources of this checkout. */
const SOURCES = join(PROJECT_ROOT, 'src', 'tooling', 'run-sources.ts');

let program: InstalledProgram;
let installed: string;
const start = (argv: readonly string[], options?: StartOptions): Promise<Ended> => program.run(argv, options);

before(async function () {
  this.timeout(60_000);
  program = await installedProgram();
  installed = program.folder;
});

/** Nodes of Windows Server 2022, enough to fill a pipe many times over. */
function nodeList(count: number): string {
  return JSON.stringify({
    apiVersion: 'v1', kind: 'List',
    items: Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1', kind: 'Node',
      metadata: { name: `win-${String(index).padStart(6, '0')}`, labels: { 'kubernetes.io/os': 'windows' }, creationTimestamp: '2026-01-01T00:00:00Z' },
      status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { operatingSystem: 'windows', kernelVersion: '10.0.20348.2340', osImage: 'Windows Server 2022 Datacenter', kubeletVersion: 'v1.34.1', containerRuntimeVersion: 'containerd://1.7.20', architecture: 'amd64' } },
    })),
  });
}

describe('the program', function () {
  this.timeout(60_000);
  let inventory: string;
  before(async () => {
    inventory = join(installed, 'nodes.json');
    await writeFile(inventory, nodeList(3000));
  });

  const codes: readonly [readonly string[], number][] = [
    [[], 0], [['--help'], 0], [['nodes', '-h'], 0], [['help', 'nodes'], 0], [['options'], 0], [['version', '--client'], 0],
    [['nodse'], 2], [['nodes', '--foo'], 2], [['version', '-o', 'table'], 2], [['version', '--inventory', 'missing.json'], 2],
    [['version'], 3], [['nodes', '--kubeconfig', 'missing'], 3],
  ];
  for (const [argv, exitCode] of codes) {
    it(`exits with ${exitCode} after: ${argv.join(' ') || '(no words)'}`, async () => {
      const ended = await start(argv);
      assert.deepEqual([ended.exitCode, ended.signal], [exitCode, null], ended.stderr);
      assert.doesNotMatch(ended.stderr, /\n\s+at |internal error|Warning:/);
      if (exitCode === 0) assert.equal(ended.stderr, '');
      else assert.notEqual(ended.stderr, '');
    });
  }

  it('delivers output of any size to a pipe', async () => {
    const { stdout, exitCode } = await start(['nodes', '--inventory', inventory, '-o', 'json']);
    assert.equal(exitCode, 0);
    assert.ok(stdout.length > 1_000_000, `${stdout.length} bytes`);
    assert.equal((JSON.parse(stdout) as { items: unknown[] }).items.length, 3000);
  });

  it('takes piped stdin for an inventory only when it is asked to', async () => {
    const asked = await start(['nodes', '--inventory', '-', '-o', 'name'], { stdin: nodeList(2) });
    assert.deepEqual([asked.stdout, asked.exitCode], ['node/win-000000\nnode/win-000001\n', 0]);
    const unasked = await start(['nodes', '--inventory', inventory, '-o', 'name'], { stdin: 'win-000001\n' });
    assert.equal(unasked.stdout.split('\n').length, 3001);
  });

  it('ends quietly with 0 when the reader goes away', async () => {
    const ended = await start(['nodes', '--inventory', inventory, '-o', 'json'], {
      during: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    assert.deepEqual([ended.exitCode, ended.signal, ended.stderr], [0, null, '']);
  });

  it('writes the files of a report also when the reader of the report goes away', async () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({
      apiVersion: 'v1', kind: 'Pod', metadata: { name: `web-${index}`, namespace: 'shop' },
      spec: { nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'web', image: 'registry.example/web:1.0' }] },
    }));
    const names = join(installed, 'names.txt');
    const ended = await start(['check', '-f', '-', '-o', 'json', '--output-file', `name=${names}`], {
      stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
      during: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    assert.deepEqual([ended.signal, ended.stderr], [null, '']);
    assert.equal((await readFile(names, 'utf8')).split('\n').length, 1001);
  });

  it('refuses a closed standard output instead of losing the answer', async function () {
    if (process.platform === 'win32') this.skip();
    const ended = await start(['-c', '"$@" >&-', 'sh', LAUNCHER, 'version', '--client'], { command: '/bin/sh' });
    assert.deepEqual([ended.exitCode, ended.stderr], [2, 'error: standard output is closed\n']);
  });

  describe('while the API server says nothing', () => {
    let server: Server;
    let url: string;
    let asked: Promise<void>;
    beforeEach(async () => {
      let onAsked = (): void => undefined;
      asked = new Promise((resolve) => {
        onAsked = resolve;
      });
      server = createServer(() => onAsked());
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`exits with 130 after ${signal}`, async function () {
        if (process.platform === 'win32') this.skip();
        const ended = await start(['version', '--server', url], { during: (child) => void asked.then(() => child.kill(signal)) });
        assert.deepEqual([ended.exitCode, ended.signal], [130, null], ended.stderr);
        assert.doesNotMatch(ended.stderr, /internal error|\n\s+at /);
      });
    }

    it('gives up after --request-timeout with exit code 3', async () => {
      const ended = await start(['version', '--server', url, '--request-timeout=300ms']);
      assert.equal(ended.exitCode, 3, ended.stderr);
      assert.equal(ended.stdout, 'Client Version: v0.1.0\n');
    });
  });
});

describe('the launcher for kubectl', function () {
  this.timeout(60_000);
  let folder: string;
  before(async function () {
    if (process.platform === 'win32') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-launcher-'));
  });
  after(() => (folder === undefined ? undefined : rm(folder, { recursive: true, force: true })));

  it("starts the project's own Node, whatever PATH has", async () => {
    const { stdout, exitCode } = await start(['version', '--client', '-ojson'], { command: LAUNCHER, env: { PATH: '/usr/bin:/bin' } });
    assert.equal(exitCode, 0);
    const own = execFileSync(join(PROJECT_ROOT, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' }).trim();
    assert.equal((JSON.parse(stdout) as { clientVersion: { nodeVersion: string } }).clientVersion.nodeVersion, own);
  });

  it('follows relative and absolute links, and names itself as it was called', async () => {
    await mkdir(join(folder, 'a'));
    await symlink(LAUNCHER, join(folder, 'a', 'target'));
    await symlink(join('a', 'target'), join(folder, 'kubectl-win_ops'));
    const { stdout, exitCode } = await start(['--help'], { command: join(folder, 'kubectl-win_ops') });
    assert.equal(exitCode, 0);
    assert.match(stdout, /\nUsage:\n {2}kubectl win-ops \[flags\] \[options\]\n/);
  });

  it('passes words on as they are', async () => {
    const { stderr } = await start(['version', '--client', 'a b', '', '$(id)', '*'], { command: LAUNCHER });
    assert.ok(stderr.startsWith('error: extra arguments: [a b  $(id) *]\n'), stderr);
  });

  it('starts Node with flags that save time, and without the one that users may contradict', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-launcher-'));
    try {
      await mkdir(join(folder, 'bin'));
      await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
      await cp(LAUNCHER, join(folder, 'bin', 'kubectl-win'));
      await writeFile(join(folder, 'node_modules', '.bin', 'node'), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 });
      const flags = async (env: Readonly<Record<string, string>>): Promise<string> => {
        const { stdout } = await start(['nodes', 'a  b'], { command: join(folder, 'bin', 'kubectl-win'), env: { NODE_OPTIONS: '', NODE_USE_SYSTEM_CA: '', NODE_EXTRA_CA_CERTS: '', SSL_CERT_FILE: '', ...env } });
        return stdout;
      };
      const rest = `--min-semi-space-size=16|${join(folder, 'bin', 'kubectl-win.js')}|nodes|a  b|`;
      assert.equal(await flags({}), `--use-openssl-ca|${rest}`);
      for (const name of ['NODE_OPTIONS', 'NODE_USE_SYSTEM_CA', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) assert.equal(await flags({ [name]: '1' }), rest, name);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is what the real kubectl finds on PATH', async function () {
    let kubectl = '';
    try {
      kubectl = execFileSync('sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' }).trim();
    } catch {
      process.stderr.write('not run: there is no kubectl on PATH\n');
      this.skip();
    }
    const { stdout, exitCode } = await start(['win', 'version', '--client'], { command: kubectl, env: { PATH: `${join(PROJECT_ROOT, 'bin')}:/usr/bin:/bin` } });
    assert.deepEqual([stdout, exitCode], ['Client Version: v0.1.0\n', 0]);
  });
});

describe('bin/kubectl-win.js under an older Node', function () {
  this.timeout(60_000);
  let older = '';
  let folder: string;
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-older-'));
    older = findOlderNode();
    if (older === '') {
      process.stderr.write('not run: no Node below 22.19 was found on this machine\n');
      this.skip();
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("goes on in the project's own Node and passes streams and exit code on", async () => {
    const fine = await start([CHECKOUT_ENTRY, 'version', '--client'], { command: older });
    assert.deepEqual([fine.stdout, fine.stderr, fine.exitCode], ['Client Version: v0.1.0\n', '', 0]);
    const wrong = await start([CHECKOUT_ENTRY, 'nodse'], { command: older });
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.stderr, /^error: unknown command "nodse"/);
  });

  it('says what it needs where there is no other Node, with exit code 2', async () => {
    const lonely = join(folder, 'lonely');
    await cp(join(PROJECT_ROOT, 'bin'), join(lonely, 'bin'), { recursive: true });
    await writeFile(join(lonely, 'package.json'), '{"type":"module"}');
    const { stdout, stderr, exitCode } = await start([join(lonely, 'bin', 'kubectl-win.js'), '--help'], { command: older });
    assert.equal(stdout, '');
    assert.match(stderr, /^error: kubectl win needs Node\.js 22\.19 or newer and was started by \d+\.\d+\.\d+ \(.*\)\nInstall a newer Node\.js, or run npm ci in /);
    assert.equal(exitCode, 2);
  });

  function findOlderNode(): string {
    for (const path of (process.env['PATH'] ?? '').split(':').concat('/usr/local/bin', '/usr/bin')) {
      const file = join(path, 'node');
      try {
        const [major = 0, minor = 0] = execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('.').map(Number);
        if (major < 22 || (major === 22 && minor < 19)) return file;
      } catch {
        // not there, or no program
      }
    }
    return '';
  }
});

describe('the bundle', function () {
  this.timeout(60_000);
  const fromSources = (argv: readonly string[]): Promise<Ended> => start(['--input-type=module', '-e', `import { run } from ${JSON.stringify(pathToFileURL(SOURCES).href)}; await run(process.argv.slice(1), 'kubectl-win')`, '--', ...argv], { command: process.execPath });

  it('needs no package beside it', async () => {
    assert.deepEqual(await start(['version', '--client']), { stdout: 'Client Version: v0.1.0\n', stderr: '', exitCode: 0, signal: null });
  });

  it('prints the same help as the sources, for every command', async () => {
    for (const argv of [[], ['options'], ['nodes', '--help'], ['version', '--help']]) {
      assert.deepEqual(await start(argv), await fromSources(argv), argv.join(' '));
    }
  });

  it('runs nodes from an inventory as the sources do', async () => {
    await writeFile(join(installed, 'nodes.json'), nodeList(3));
    const argv = ['nodes', '--inventory', join(installed, 'nodes.json'), '--as-of', '2026-11-30', '-o', 'wide'];
    const fromBundle = await start(argv);
    assert.equal(fromBundle.exitCode, 0, fromBundle.stderr);
    assert.deepEqual(fromBundle, await fromSources(argv));
  });

  it('reports errors as the sources do', async () => {
    for (const argv of [['nodse'], ['nodes', '--foo'], ['version', '--kubeconfig', 'missing']]) {
      assert.deepEqual(await start(argv), await fromSources(argv), argv.join(' '));
    }
  });

  describe('and its compiled code', () => {
    let cache: string;
    const run = (argv: readonly string[] = ['version', '--client']): Promise<Ended> => start(argv, { env: { XDG_CACHE_HOME: cache } });
    const fileOf = async (command: string): Promise<string> => {
      const names = await readdir(join(cache, 'kubectl-win', 'code'));
      const found = names.filter((name) => name.endsWith(`_${command}`));
      assert.equal(found.length, 1, names.join(', '));
      return join(cache, 'kubectl-win', 'code', found[0] ?? '');
    };
    beforeEach(async () => {
      cache = await mkdtemp(join(installed, 'cache-'));
    });

    it('is kept by the first run of each command and taken by the next', async () => {
      const first = await run();
      assert.deepEqual(first, { stdout: 'Client Version: v0.1.0\n', stderr: '', exitCode: 0, signal: null });
      const file = await fileOf('version');
      const kept = await stat(file);
      assert.ok(kept.size > 50_000, `${kept.size} bytes`);
      assert.deepEqual(await run(), first);
      const { ino, mtimeMs } = await stat(file);
      assert.deepEqual([ino, mtimeMs], [kept.ino, kept.mtimeMs], 'was written again, so it had not been taken');
      await run(['nodes', '--help']);
      await run([]);
      const names = await readdir(join(cache, 'kubectl-win', 'code'));
      assert.deepEqual(new Set(names.map((name) => name.split('_').at(-1))), new Set(['help', 'nodes', 'version']));
    });

    it('is not taken when it is cut, or of another build', async () => {
      await run();
      const file = await fileOf('version');
      const whole = await readFile(file);
      for (const bytes of [whole.subarray(0, -1), Buffer.concat([whole.subarray(0, -5), Buffer.from('other')]), Buffer.alloc(0), Buffer.from('nonsense')]) {
        await writeFile(file, bytes);
        assert.deepEqual(await run(), { stdout: 'Client Version: v0.1.0\n', stderr: '', exitCode: 0, signal: null });
        assert.notDeepEqual(await readFile(file), bytes);
      }
    });

    it('is done without where it cannot be kept', async () => {
      await writeFile(join(cache, 'kubectl-win'), 'no folder');
      assert.deepEqual(await run(), { stdout: 'Client Version: v0.1.0\n', stderr: '', exitCode: 0, signal: null });
    });
  });

  it('is passed over in a checkout when a source is newer', async () => {
    const checkout = join(installed, 'checkout');
    for (const part of ['bin', 'package.json']) await cp(join(installed, part), join(checkout, part), { recursive: true });
    for (const [path, text] of [['dist/kubectl-win.cjs', "exports.run = async () => console.log('bundle');"], ['dist/stamp', 'nodes\nhash\nsrc/cli/x.ts'], ['src/cli/x.ts', ''], ['commands/x.ts', ''],
      ['src/tooling/run-sources.ts', "export const run = async (): Promise<void> => console.log('sources');"]] as const) {
      await mkdir(join(checkout, path, '..'), { recursive: true });
      await writeFile(join(checkout, path), text);
    }
    const run = async (): Promise<string> => (await start([join(checkout, 'bin', 'kubectl-win.js')], { command: process.execPath })).stdout;
    const future = new Date(Date.now() + 60_000);
    await utimes(join(checkout, 'dist', 'stamp'), future, future);
    assert.equal(await run(), 'bundle\n');
    const later = new Date(Date.now() + 120_000);
    await utimes(join(checkout, 'src', 'cli', 'x.ts'), later, later);
    assert.equal(await run(), 'sources\n');
    await rm(join(checkout, 'dist'), { recursive: true });
    assert.equal(await run(), 'sources\n');
  });
});
