/** Input that cannot be read and flags that do not exist, through the whole program: file and line or the flag, exit code 2, never a stack. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { rawNode } from '../support/fake-cluster.ts';
import { type Ended, installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { sendJson, startLoopbackApi } from '../support/loopback-api.ts';
import { type RunOptions, type RunResult, runCommand } from '../support/run-command.ts';

describe('bad input', function () {
  this.timeout(60_000);
  let program: InstalledProgram;
  let files = 0;
  /** An inventory of one node that is fine. */
  let fine: string;

  before(async () => {
    program = await installedProgram();
    fine = await program.write('input/fine.json', JSON.stringify(rawNode('win-a', { pool: 'a' })));
  });

  /** In this process, with the real ports: the same argv reader, adapters and error funnel as the bundle. */
  const run = (argv: readonly string[], options: RunOptions = {}): Promise<RunResult> => runCommand(['nodes', ...argv], { env: { HOME: program.home }, ...options });

  /** Every failing run: one message, exit code 2, nothing on stdout. */
  function assertRefused({ stdout, stderr, exitCode }: Pick<Ended, 'stdout' | 'stderr' | 'exitCode'>, message: string | RegExp): void {
    assert.equal(exitCode, 2, stderr);
    assert.equal(stdout, '');
    assert.doesNotMatch(stderr, /\n\s+at |internal error|undefined|\[object/);
    assert.ok(stderr.length < 2000, `${stderr.length} characters on stderr`);
    if (typeof message === 'string') assert.equal(stderr.split('\n')[0], message);
    else assert.match(stderr, message);
  }

  describe('as an inventory', () => {
    const list = JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [rawNode('win-a'), rawNode('win-b')] }, null, 2);
    const table: readonly (readonly [title: string, content: string | Buffer, message: RegExp])[] = [
      ['not YAML', 'a: b: c\n', /^error: FILE:1:5: not valid YAML: /],
      ['empty', '', /^error: FILE: the input is empty\ncheck that the command that wrote it succeeded\n$/],
      ['white space', '\n \n', /^error: FILE: the input holds no objects/],
      ['binary', Buffer.from([1, 2, 3, 0, 5, 6]), /^error: FILE: the file is binary \(byte 4 is zero\), not JSON or YAML\n$/],
      ['a program', Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'), /^error: FILE: the file is a program, not JSON or YAML\n$/],
      ['truncated JSON', list.slice(0, 400), /^error: FILE:\d+:\d+: the JSON is cut off: the file ends in the middle of an object\nthe command that wrote it was probably interrupted/],
      ['JSON with a mistake', list.replace('"win-b",', '"win-b" x'), /^error: FILE:\d+:\d+: not valid JSON: expected "," or "}" instead of "x"\n$/],
      ['UTF-16 without a mark', Buffer.from(list, 'utf16le'), /^error: FILE: the text is in UTF-16 \(little endian\) without a byte order mark/],
      ['UTF-16 cut in the middle of a character', Buffer.from(`\ufeff${list}`, 'utf16le').subarray(0, -1), /^error: FILE: the UTF-16LE text is cut off in the middle of a character/],
      ['Windows-1252', Buffer.from('kind: Node\nmetadata: {name: caf\xe9}\n', 'latin1'), /^error: FILE:2:21: the text is not UTF-8 \(byte 0xE9\)/],
      ['HTML', '<!DOCTYPE html>\n<html></html>', /^error: FILE:1: the file is an HTML or XML page, not JSON or YAML\n/],
      ['what kubectl said instead', 'Error from server (Forbidden): nodes is forbidden\n', /^error: FILE:1: the file holds a message of kubectl instead of objects: Error from server \(Forbidden\)/],
      ['the table that kubectl prints', 'NAME    STATUS   ROLES    AGE   VERSION\nwin-a   Ready    <none>   1d    v1.34.1\n', /^error: FILE:1: the file is the table that kubectl prints for people\n/],
      ['gzip that is cut', gzipSync(list).subarray(0, 60), /^error: FILE: the gzip data is damaged or cut off/],
      ['gzip that is none', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]), /^error: FILE: the gzip data is damaged or cut off/],
      ['another document of JSON', '{"a": 1}', /^error: FILE:1: the document has no kind: it is not a Kubernetes object\n/],
      ['a bare list, as jq .items leaves it', '[]', /^error: FILE:1: the document is a list, not a Kubernetes object\n/],
      ['a text', '"hello"', /^error: FILE:1: the document is text, not a Kubernetes object\n/],
      ['an Inventory of a newer version', JSON.stringify({ apiVersion: 'kubectl-win/v2', kind: 'Inventory', metadata: {}, items: [] }), /^error: FILE:1: the document is an Inventory of version kubectl-win\/v2; this version of kubectl win reads kubectl-win\/v1alpha1\nread it with the version that wrote it\n$/],
      ['an Inventory without its end', '{"apiVersion":"kubectl-win/v1alpha1","kind":"Inventory","items":[\n', /^error: FILE:\d+:\d+: the JSON is cut off/],
      ['a report of this program', JSON.stringify({ apiVersion: 'kubectl-win/v1alpha1', kind: 'WindowsNodeList', metadata: {}, items: [] }), /^error: FILE:1: the document is a report of kubectl win \(kind WindowsNodeList\)/],
      ['a kubeconfig', JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [] }), /^error: FILE:1: the document is a kubeconfig, not an inventory\ngive it with --kubeconfig\n$/],
      ['pods only', JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [] }), /^error: FILE: holds objects, but was recorded without nodes\nrecord them: kubectl get nodes -o json/],
      ['a node without a name', JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: {} }), /^error: FILE:1: the object \(kind Node\) has no name\n$/],
      ['a node whose name is a number', 'apiVersion: v1\nkind: Node\nmetadata: {name: 7}\n', /^error: FILE:1: the object \(kind Node\) has the number 7 as its name\n$/],
      ['brackets without end', '['.repeat(200_000), /^error: FILE:1: the document is nested deeper than 500 levels\n$/],
      ['a key given twice', 'apiVersion: v1\nkind: Node\nkind: Node\nmetadata: {name: a}\n', /^error: FILE:3:1: key "kind" is given twice, first in line 2\n/],
    ];
    for (const [title, content, message] of table) {
      it(title, async () => {
        const file = await program.write(`input/${files++}`, content);
        const result = await run(['--inventory', file]);
        assertRefused({ ...result, stderr: result.stderr.replaceAll(file, 'FILE') }, message);
        if (Buffer.isBuffer(content)) return;
        const piped = await run(['--inventory', '-', '-o', 'json'], { stdin: content });
        assertRefused({ ...piped, stderr: piped.stderr.replaceAll('stdin', 'FILE') }, message);
      });
    }

    it('a line of 100 MB', async () => {
      for (const [content, message] of [
        ['x'.repeat(100e6), /^error: FILE:1: this line has 100000000 characters, which no Kubernetes manifest has\n/],
        [`{"kind":"${'x'.repeat(100e6)}"}`, /^error: FILE:1: the document \(kind x{400,}…\n$/],
        ['['.repeat(100e6), /^error: FILE:1: the document is nested deeper than 500 levels\n$/],
      ] as const) {
        const file = await program.write('input/long', content);
        const ended = await program.run(['nodes', '--inventory', file]);
        assertRefused({ ...ended, stderr: ended.stderr.replaceAll(file, 'FILE') }, message);
        await rm(file);
      }
    });

    it('nothing on standard input, as a process', async () => {
      assertRefused(await program.run(['nodes', '--inventory', '-']), 'error: stdin: the input is empty');
    });

    it('a file and a folder that are not there, a folder without manifests, an address', async () => {
      const missing = join(program.folder, 'missing.json');
      assertRefused(await run(['--inventory', missing]), `error: ${missing}: no such file or folder`);
      const empty = join(program.folder, 'input', 'empty');
      await mkdir(empty, { recursive: true });
      assertRefused(await run(['--inventory', empty]), `error: ${empty}: the folder has no .yaml, .yml or .json files`);
      assertRefused(await run(['--inventory', 'https://example.com/nodes.json']), 'error: https://example.com/nodes.json: an inventory is read from files only');
      assertRefused(await run(['--inventory', '']), 'error: an inventory needs a file, a folder or - for standard input');
      assertRefused(await run(['--inventory', '-', '--inventory', '-'], { stdin: '{}' }), 'error: standard input (-) can be given only once');
    });

    it('links that lead back to themselves', async function () {
      if (process.platform === 'win32') this.skip();
      const folder = join(program.folder, 'input', 'loop');
      await program.write('input/loop/a.json', JSON.stringify(rawNode('win-a')));
      await symlink('.', join(folder, 'again'));
      const { stdout, exitCode } = await run(['--inventory', folder, '-o', 'name']);
      assert.deepEqual([stdout, exitCode], ['node/win-a\n', 0]);
      await symlink('b.json', join(folder, 'b.json'));
      assertRefused(await run(['--inventory', folder]), `error: ${join(folder, 'b.json')}: a chain of symbolic links that leads back to itself`);
    });
  });

  describe('what is odd but can be read', () => {
    const read = async (value: unknown, ...argv: string[]): Promise<RunResult> => {
      const result = await run(['--inventory', '-', ...argv], { stdin: typeof value === 'string' ? value : JSON.stringify(value) });
      assert.equal(result.exitCode, 0, result.stderr);
      assert.doesNotMatch(result.stdout + result.stderr, /undefined|\[object|NaN|Invalid Date/);
      return result;
    };
    const cells = (stdout: string, row: number): Readonly<Record<string, string>> => {
      const [header = '', ...rows] = stdout.split('\n');
      const names = header.split(/ {2,}/);
      return Object.fromEntries((rows[row] ?? '').split(/ {2,}/).map((cell, index) => [names[index] ?? '', cell]));
    };

    it('a list of mixed kinds', async () => {
      const { stdout } = await read({ kind: 'List', apiVersion: 'v1', items: [rawNode('win-a'), { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', namespace: 'x' } }, { kind: 'Gizmo', apiVersion: 'example.com/v1', metadata: { name: 'g' } }] }, '-o', 'name');
      assert.equal(stdout, 'node/win-a\n');
    });
    it('a node without status', async () => {
      const { stdout } = await read({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'bare' } }, '--all-os', '-o', 'wide');
      const row = cells(stdout, 0);
      for (const name of ['OS', 'RELEASE', 'BUILD', 'PATCH', 'KUBELET', 'RUNTIME', 'AGE', 'OS-IMAGE', 'CAN-RUN', 'SUPPORT-ENDS', 'PODS']) assert.equal(row[name], '<unknown>', name);
    });
    it('a node of which every field has another type', async () => {
      const odd = {
        kind: 'Node', apiVersion: 'v1',
        metadata: { name: 'odd', labels: [1, 2], annotations: 'x', creationTimestamp: 5, resourceVersion: 7, uid: {} },
        spec: { taints: 'none', unschedulable: 'yes', providerID: 3 },
        status: { nodeInfo: [], conditions: { a: 1 }, images: 7, capacity: 'x', allocatable: null, addresses: [null, 3] },
      };
      const alsoOdd = {
        kind: 'Node', apiVersion: 'v1',
        metadata: { name: 'odd-windows', labels: { 'kubernetes.io/os': 'windows', size: 7 }, creationTimestamp: 'yesterday' },
        spec: { taints: [null, 'x', { key: 1 }] },
        status: {
          nodeInfo: { operatingSystem: 'windows', kernelVersion: 10, kubeletVersion: {}, containerRuntimeVersion: null, osImage: [] },
          conditions: [null, 3, { type: 1 }, { type: 'Ready' }], images: [null, { names: 'x', sizeBytes: 'big' }, { names: [1] }], capacity: { cpu: [], memory: 'lots' },
        },
      };
      const both = { kind: 'List', apiVersion: 'v1', items: [odd, alsoOdd] };
      const { stdout } = await read(both, '--all-os', '-o', 'wide', '--show-labels', '-L', 'size', '--show-issues');
      assert.equal(cells(stdout, 0)['RELEASE'], '<unknown>');
      assert.equal(cells(stdout, 1)['BUILD'], '<unknown>');
      for (const argv of [['-o', 'json'], ['-o', 'yaml'], ['-o', 'csv'], ['-o', 'html'], ['-o', 'markdown'], ['-o', 'prometheus'], ['--group-by', 'pool'], ['--show-images'], ['--sort-by', 'patch'], ['--sort-by', '.build']]) await read(both, '--all-os', ...argv);
    });
    it('UTF-16 with a mark, as PowerShell writes it', async () => {
      const file = await program.write('input/utf16.json', Buffer.from(`\ufeff${JSON.stringify(rawNode('win-a'))}`, 'utf16le'));
      assert.equal((await run(['--inventory', file, '-o', 'name'])).stdout, 'node/win-a\n');
    });
    it('a list of nothing, of which the kind is not said', async () => {
      const { stdout, stderr } = await read({ kind: 'List', apiVersion: 'v1', items: [] });
      assert.deepEqual([stdout, stderr], ['', 'stdin is an empty list; of which kind it does not say\nNo resources found\n']);
    });
    it('a key named __proto__', async () => {
      await read('{"kind":"Node","apiVersion":"v1","metadata":{"name":"x","labels":{"__proto__":{"a":1},"kubernetes.io/os":"windows"}},"__proto__":{"x":1}}', '--show-labels');
      assert.equal(({} as Record<string, unknown>)['a'], undefined);
    });
    it('pods that were not recorded are unknown, not none', async () => {
      const { stdout, stderr } = await read(rawNode('win-a'), '-o', 'wide');
      assert.equal(cells(stdout, 0)['PODS'], '<unknown>');
      assert.match(stderr, /^note: stdin was recorded without pods, so pods and agents per node are not known$/m);
    });
  });

  describe('--save', () => {
    it('into a folder that is not there', async () => {
      const file = join(program.folder, 'no-such-folder', 'a.json');
      assertRefused(await run(['--inventory', fine, '--save', file]), `error: ${file}: cannot be written: its folder does not exist`);
    });
    it('without permission', async function () {
      const isRoot = process.getuid?.() === 0;
      if (process.platform === 'win32' || (isRoot && process.platform !== 'linux')) this.skip();
      // root may write everywhere but into sysfs, where nobody can create a file
      const folder = isRoot ? '/sys' : join(program.folder, 'input', 'sealed');
      if (!isRoot) await mkdir(folder, { recursive: true, mode: 0o500 });
      assertRefused(await run(['--inventory', fine, '--save', join(folder, 'a.json')]), `error: ${join(folder, 'a.json')}: cannot be written: permission denied to make a file in its folder, from which it is put in its place as a whole`);
    });
    it('onto a folder or a device, which stays as it is', async function () {
      assertRefused(await run(['--inventory', fine, '--save', program.folder]), `error: ${program.folder}: is a folder; --save needs the name of a file`);
      if (process.platform === 'win32') this.skip();
      assertRefused(await run(['--inventory', fine, '--save', '/dev/null']), 'error: /dev/null: is a device or a pipe; --save needs the name of a file');
      assert.ok((await stat('/dev/null')).isCharacterDevice());
    });
    it('leaves the old file and no other when the reading fails', async () => {
      const file = await program.write('input/saved/old.json', 'old');
      assertRefused(await run(['--inventory', await program.write('input/broken.json', '{'), '--save', file]), /^error: .*broken\.json:1:2: the JSON is cut off/);
      assert.equal(await readFile(file, 'utf8'), 'old');
      assert.deepEqual(await readdir(join(file, '..')), ['old.json']);
    });
    it('onto a disk that gets full (a limit on the size of files) leaves the old file and no other', async function () {
      if (process.platform === 'win32') this.skip();
      const many = await program.write('input/many.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: Array.from({ length: 300 }, (_, index) => rawNode(`win-${index}`)) }));
      const file = await program.write('input/full/old.json', 'old');
      const ended = await program.run(['-c', 'ulimit -f 64; trap "" XFSZ; exec "$@"', 'sh', process.execPath, program.entry, 'nodes', '--inventory', many, '-o', 'name', '--save', file], { command: '/bin/sh' });
      assertRefused({ ...ended, stdout: '' }, `error: ${file}: cannot be written: the file would be larger than is allowed`);
      assert.equal(await readFile(file, 'utf8'), 'old');
      assert.deepEqual(await readdir(join(file, '..')), ['old.json']);
    });
    it('is complete although the reader of standard output leaves', async () => {
      const many = await program.write('input/many.json', JSON.stringify({ kind: 'List', apiVersion: 'v1', items: Array.from({ length: 3000 }, (_, index) => rawNode(`win-${index}`)) }));
      const file = await program.write('input/piped/a.json', 'old');
      const leave = (child: ChildProcess): void => void child.stdout?.once('data', () => child.stdout?.destroy());
      const ended = await program.run(['nodes', '--inventory', many, '-o', 'json', '--save', file], { during: leave });
      assert.deepEqual([ended.exitCode, ended.stderr], [0, '']);
      assert.equal((JSON.parse(await readFile(file, 'utf8')) as { items: unknown[] }).items.length, 3000);
      assert.deepEqual(await readdir(join(file, '..')), ['a.json']);
      const gated = await program.run(['nodes', '--inventory', many, '-o', 'json', '--fail-on=info'], { during: leave });
      const whole = await program.run(['nodes', '--inventory', many, '-o', 'json', '--fail-on=info']);
      assert.deepEqual([gated.exitCode, whole.exitCode], [1, 1], whole.stderr);
    });
    it('leaves nothing when the terminal is closed', async function () {
      if (process.platform === 'win32') this.skip();
      let hangUp = (): void => undefined;
      const api = await startLoopbackApi(({ url }, response) => {
        if (url.startsWith('/version')) sendJson(response, 200, { gitVersion: 'v1.37.2' });
        else if (!url.includes('continue')) sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { continue: 'x', resourceVersion: '1' }, items: [rawNode('win-a')] });
        else hangUp();
      }, { tls: false });
      const file = await program.write('input/hangup/a.json', 'old');
      const ended = await program.run(['nodes', '-s', api.url, '--save', file], { during: (child) => (hangUp = () => void child.kill('SIGHUP')) });
      await api.close();
      assert.deepEqual([ended.exitCode, ended.signal], [130, null], ended.stderr);
      assert.deepEqual(await readdir(join(file, '..')), ['a.json']);
      assert.equal(await readFile(file, 'utf8'), 'old');
    });
    it('killed in the middle leaves one temporary file, named after the target', async function () {
      if (process.platform === 'win32') this.skip();
      let asked = (): void => undefined;
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const api = await startLoopbackApi(({ url }, response) => {
        if (url.startsWith('/version')) sendJson(response, 200, { gitVersion: 'v1.37.2' });
        else if (!url.includes('continue')) sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { continue: 'x', resourceVersion: '1' }, items: [rawNode('win-a')] });
        else asked();
      }, { tls: false });
      const file = await program.write('input/killed/a.json', 'old');
      const child = spawn(process.execPath, [program.entry, 'nodes', '-s', api.url, '--save', file], { env: { HOME: program.home, PATH: process.env['PATH'] }, stdio: 'ignore' });
      await isAsked;
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await ended;
      await api.close();
      assert.equal(await readFile(file, 'utf8'), 'old');
      const left = (await readdir(join(file, '..'))).filter((name) => name !== 'a.json');
      assert.equal(left.length, 1);
      assert.match(left[0] ?? '', /^\.a\.json\.\d+\.[0-9a-f]{8}\.tmp$/);
    });
  });

  describe('standard output on a full disk', () => {
    for (const argv of [['nodes'], ['nodes', '-o', 'json'], ['version', '--client'], ['--help']]) {
      it(argv.join(' '), async function () {
        const full = await open('/dev/full', 'w').catch(() => null);
        if (full === null) return this.skip();
        const ended = await program.run([...argv, ...(argv[0] === 'nodes' ? ['--inventory', fine] : [])], { stdout: full.fd });
        await full.close();
        assertRefused({ ...ended, stdout: '' }, /^error: standard output cannot be written: no space left on the device$/m);
      });
    }
  });

  describe('a pipe in place of a file', function () {
    before(function () {
      if (process.platform === 'win32') this.skip();
    });
    let fifo: string;
    before(() => {
      fifo = join(program.folder, 'fifo');
      execFileSync('mkfifo', [fifo]);
    });
    const places: readonly (readonly [readonly string[], 'KUBECONFIG' | 'KUBECTL_WIN_CONFIG' | null])[] = [
      [['--inventory', 'FIFO'], null], [['--inventory', 'FINE', '-o', 'jsonpath-file=FIFO'], null], [['--inventory', 'FINE', '-o', 'custom-columns-file=FIFO'], null],
      [[], 'KUBECONFIG'], [['--inventory', 'FINE'], 'KUBECTL_WIN_CONFIG'],
    ];
    const argvOf = (words: readonly string[]): string[] => ['nodes', ...words.map((word) => word.replace('FIFO', fifo).replace('FINE', fine))];
    for (const [words, variable] of places) {
      const title = variable ?? words.join(' ');
      it(`${title}: the first Ctrl-C ends waiting for its writer`, async () => {
        let writer: FileHandle | undefined;
        const ended = await program.run(argvOf(words), {
          env: variable === null ? {} : { [variable]: fifo },
          during: (child) => void openForWriting(fifo).then((handle) => {
            writer = handle;
            child.kill('SIGINT');
          }),
        });
        await writer?.close();
        assert.deepEqual([ended.exitCode, ended.signal, ended.stdout], [130, null, ''], ended.stderr);
        assert.match(ended.stderr, /(?:^|\n)error: interrupted\n$/);
      });
      it(`${title}: a device without an end is refused`, async () => {
        const ended = await program.run(argvOf(words.map((word) => word.replace('FIFO', '/dev/zero'))), { env: variable === null ? {} : { [variable]: '/dev/zero' } });
        assertRefused(ended, /(?:it has more than 64|the input is larger than 500) MiB/);
      });
    }
    it('is read when its writer comes, as that of <(…)', async () => {
      const ended = await program.run(argvOf(['--inventory', 'FINE', '-o', 'jsonpath-file=FIFO']), {
        during: () => void openForWriting(fifo).then(async (writer) => {
          await writer.write('{.kind}');
          await writer.close();
        }),
      });
      assert.deepEqual([ended.exitCode, ended.stdout], [0, 'WindowsNodeList'], ended.stderr);
    });
    it('a folder as standard input is named', async () => {
      const ended = await program.run(['-c', 'exec "$@" < /', 'sh', process.execPath, program.entry, 'nodes', '--inventory', '-'], { command: '/bin/sh' });
      assertRefused(ended, /^error: stdin: is a folder/);
    });
  });

  describe('the configuration file', () => {
    for (const [title, content, message] of [
      ['an unknown field', 'poolLabel: [a]\n', /^error: FILE:1: poolLabel: unknown field\nDid you mean poolLabels\?\n$/],
      ['a wrong type', 'poolLabels: a\n', /^error: FILE:1: poolLabels: must be a list of texts\n$/],
      ['not YAML', 'poolLabels: [a\n', /^error: FILE:\d: not YAML: /],
      ['a day that does not exist', 'lifecycle:\n  releases:\n    ltsc2019: { extendedEnd: 2030-02-30 }\n', /^error: FILE:3: lifecycle\.releases\.ltsc2019\.extendedEnd: "2030-02-30" is no day/],
      ['a release that does not exist', 'lifecycle:\n  releases:\n    ltsc2091: { extendedEnd: 2030-02-03 }\n', /^error: FILE:3: lifecycle\.releases\.ltsc2091: unknown name\nDid you mean ltsc2019\?\n$/],
      ['binary', '\u0000\u0001', /^error: FILE: is binary, not a configuration file\nKUBECTL_WIN_CONFIG names the file to read\n$/],
    ] as const) {
      it(title, async () => {
        const file = await program.write(`input/${files++}.yaml`, content);
        const result = await run(['--inventory', fine], { env: { HOME: program.home, KUBECTL_WIN_CONFIG: file } });
        assertRefused({ ...result, stderr: result.stderr.replaceAll(file, 'FILE') }, message);
      });
    }
    it('one that is not there, and a folder', async () => {
      assertRefused(await run(['--inventory', fine], { env: { KUBECTL_WIN_CONFIG: '/nonexistent.yaml' } }), 'error: /nonexistent.yaml: no such file');
      assertRefused(await run(['--inventory', fine], { env: { KUBECTL_WIN_CONFIG: program.folder } }), `error: ${program.folder}: is a folder, not a configuration file`);
    });
  });

  describe('flags', () => {
    const table: readonly (readonly [argv: readonly string[], message: string | RegExp])[] = [
      [['--chunk-size', 'x'], 'error: invalid argument "x" for "--chunk-size" flag: strconv.ParseInt: parsing "x": invalid syntax'],
      [['--chunk-size', '-1'], 'error: invalid argument "-1" for "--chunk-size" flag: must be at least 0'],
      [['-o'], "error: flag needs an argument: 'o' in -o"],
      [['-o', 'foo'], /^error: unable to match a printer suitable for the output format "foo", allowed formats are: csv,/],
      [['-o', 'go-template={{.x}}'], /^error: unable to match a printer suitable for the output format "go-template=/],
      [['-o', 'jsonpath={.x'], 'error: error parsing jsonpath {.x, unclosed action'],
      [['-o', 'jsonpath-file=/nonexistent'], 'error: error reading --template /nonexistent, open /nonexistent: no such file or directory'],
      [['-o', 'custom-columns=A'], 'error: unexpected custom-columns spec: A, expected <header>:<json-path-expr>'],
      [['--sort-by', 'nope'], /^error: couldn't find any field with path "\{\.nope\}" in the list of objects\nsort by a column: name, status, /],
      [['--sort-by', '{.x'], /^error: unexpected path string/],
      [['--as-of', '2026-02-30'], 'error: invalid argument "2026-02-30" for "--as-of" flag: must be a day as YYYY-MM-DD'],
      [['--as-of', ''], 'error: invalid argument "" for "--as-of" flag: must be a day as YYYY-MM-DD'],
      [['--kubernetes-version', 'banana'], /^error: invalid argument "banana" for "--kubernetes-version" flag: must be a version of Kubernetes\ngive it as 1\.34 or v1\.34\.2\n/],
      [['--release', 'ltsc2091'], /^error: invalid argument "ltsc2091" for "--release" flag: no Windows release has this name\ndid you mean ltsc2019\?\n/],
      [['--group-by', 'colour'], /^error: invalid argument "colour" for "--group-by" flag: must be one of: pool, release, build/],
      [['--fail-on', 'colour'], /^error: invalid argument "colour" for "--fail-on" flag/],
      [['-l', '!!'], "error: unable to parse requirement: found '!', expected: identifier"],
      [['--field-selector', 'a'], "error: invalid selector: 'a'; can't understand 'a'"],
      [['--field-selector', 'spec.colour=red'], 'error: field label not supported: spec.colour'],
      [['-n'], "error: flag needs an argument: 'n' in -n"],
      [['-L'], "error: flag needs an argument: 'L' in -L"],
      [['-v', 'x'], 'error: invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax'],
      [['--request-timeout', '-1s'], /^error: invalid argument "-1s" for "--request-timeout" flag/],
      [['--watch=maybe'], 'error: invalid argument "maybe" for "-w, --watch" flag: strconv.ParseBool: parsing "maybe": invalid syntax'],
      [['-w'], 'error: --watch needs a cluster; an inventory does not change'],
      [['--nmaespace', 'x'], /^error: unknown flag: --nmaespace\nDid you mean --namespace\?\n/],
      [['-Z'], "error: unknown shorthand flag: 'Z' in -Z"],
      [['---x'], 'error: bad flag syntax: ---x'],
      [['pod/x'], 'error: "pod/x" is no node: kubectl win nodes takes NAME or node/NAME'],
      [['a/b/c'], 'error: arguments in resource/name form may not have more than one slash'],
      [['--contexts', 'x'], 'error: --contexts and --inventory cannot be used together'],
      [['--compare', '/nonexistent'], 'error: /nonexistent: no such file or folder'],
      [['--compare', '-', '--inventory', '-'], 'error: --inventory - and --compare - cannot be used together: standard input is read once'],
    ];
    for (const [argv, message] of table) {
      it(argv.join(' '), async () => assertRefused(await run(['--inventory', fine, ...argv]), message));
    }
    it('--kubernetes-version banana is refused before a cluster is asked', async () => {
      assertRefused(await run(['--kubernetes-version', 'banana', '-s', 'http://127.0.0.1:1']), /^error: invalid argument "banana"/);
    });
    for (const argv of [['--kubernetes-version', '1.34'], ['--kubernetes-version', 'v1.34.2'], ['--sort-by', ''], ['-o', ''], ['-n', ''], ['-n', 'kube-system'], ['--as-of', '2026-02-28'], ['-l', 'a==']]) {
      it(`${argv.map((word) => JSON.stringify(word)).join(' ')} is fine`, async () => {
        const { exitCode, stderr } = await run(['--inventory', fine, ...argv]);
        assert.equal(exitCode, 0, stderr);
      });
    }
  });
});

/** Opens a pipe as soon as a process reads it. */
async function openForWriting(fifo: string): Promise<FileHandle> {
  for (;;) {
    const writer = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null);
    if (writer !== null) return writer;
    await setTimeout(20);
  }
}
