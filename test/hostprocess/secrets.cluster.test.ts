/** Where the text of a command can be read, and by whom; what nodes write, on its way to a terminal and into files. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecRecord } from '../cluster/start.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { holdProgram, runningIn } from './held-program.ts';
import { loadPlayedNodes, PLAYED_CLUSTER } from './played-cluster.ts';

const NODES = ['secrets-1', 'secrets-2'] as const;

/** As it is, as UTF-16, and in Base64 of both, wherever in a longer text it stands. */
function formsOf(canary: string): readonly string[] {
  const plain = [Buffer.from(canary), Buffer.from(canary, 'utf16le')];
  return [canary, plain[1]?.toString('latin1') ?? '', ...plain.flatMap((bytes) => [0, 1, 2].map((offset) => {
    // characters that hold bits of these bytes alone
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
    return whole.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((whole.length * 8) / 6));
  }))];
}

const decoded = (text: string): string => text.replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (escaped) => {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
});

/** Everything that somebody can read of a command but its own output, by what it is. */
type Places = Readonly<Record<'audit log' | 'log of the API server' | 'Job and pod' | 'events' | 'record on this machine' | 'head of the transcript' | 'stderr' | 'arguments on the node', string>>;

function placesWith(canary: string, places: Places): readonly string[] {
  const forms = formsOf(canary);
  return Object.entries(places).filter(([, text]) => forms.some((form) => text.includes(form) || decoded(text).includes(form))).map(([name]) => name);
}

describe('hostprocess exec keeps what is to be kept', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'secrets';
  let program: InstalledProgram;
  let home = '';
  let count = 0;

  before('two nodes', async function () {
    // modes are those of POSIX
    if (process.platform === 'win32') this.skip();
    program = await installedProgram();
    home = await mkdtemp(join(program.folder, 'secrets-'));
    await loadPlayedNodes(cluster(), NODES);
    await cluster().createNamespace(namespace);
  });
  after(async () => {
    await nothingLeft(cluster(), namespace, 30);
    for (const node of NODES) await cluster().api.delete(`/api/v1/nodes/${node}`);
  });

  const execOn = (nodes: readonly string[], ...argv: readonly string[]): readonly string[] => ['hostprocess', 'exec', ...nodes, '--kubeconfig', cluster().kubeconfig, '-n', namespace, ...argv];

  interface Seen {
    readonly places: Places;
    readonly record: ExecRecord;
    readonly stdout: string;
    /** `MODE NAME` of what is on disk while the command runs. */
    readonly modes: readonly string[];
    readonly transcript: string;
  }

  /** Runs a command that reads its stdin, looks everywhere meanwhile, and lets it end. */
  async function look(argv: readonly string[], isIt: (record: ExecRecord) => boolean, stdin = ''): Promise<Seen> {
    const [mark, transcriptFile] = [await cluster().auditMark(), join(home, `transcript-${++count}`)];
    const held = holdProgram(program, execOn([NODES[0]], '-i', '-v=9', '--transcript', transcriptFile, ...argv), { home });
    const record = await runningIn(cluster(), namespace, held, isIt);
    const read = async (...words: readonly string[]): Promise<string> => (await cluster().kubectl([...words, '-n', namespace, '-o', 'json'])).stdout;
    const [objects, events] = [await read('get', 'job,pod', '--show-managed-fields'), await read('get', 'events')];
    const runs = join(home, '.kube', 'kubectl-win', 'runs');
    const files = await readdir(runs);
    const records = await Promise.all(files.map((name) => readFile(join(runs, name), 'utf8')));
    const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
    const modes = [await modeOf(join(runs, '..')), await modeOf(runs), ...await Promise.all(files.map((name) => modeOf(join(runs, name)))), await modeOf(transcriptFile)];
    held.child.stdin.end(stdin);
    const { stdout, stderr, exitCode } = await held.ended;
    assert.equal(exitCode, 0, stderr);
    const audited = await cluster().auditEvents(mark);
    assert.ok(audited.some(({ objectRef }) => objectRef?.subresource === 'exec') && audited.some(({ requestObject }) => JSON.stringify(requestObject ?? '').includes('"hostProcess":true')), 'the audit log holds requests');
    for (const [text, what] of [[objects, '"kind": "Pod"'], [events, 'SuccessfulCreate'], [records.join(''), `"namespace":"${namespace}"`]] as const) assert.ok(text.includes(what), text);
    const transcript = await readFile(transcriptFile, 'utf8');
    assert.deepEqual(await readdir(runs), [], 'nothing is on record of a run that has ended well');
    const places: Places = {
      'audit log': JSON.stringify(audited), 'log of the API server': await cluster().log('kube-apiserver'), 'Job and pod': objects, events, 'record on this machine': files.join('\n') + records.join('\n'), 'head of the transcript': transcript.split('\n')[0] ?? '',
      stderr, 'arguments on the node': [...record.argv, record.line].join('\n'),
    };
    return { places, record, stdout, modes, transcript };
  }

  const newCanary = (): string => `canary${randomBytes(9).toString('hex')}`;

  it('the forms that are looked for are those that stand in longer texts', () => {
    const canary = newCanary();
    for (const before of ['', 'a', 'ab', 'abc']) {
      for (const encoding of ['utf8', 'utf16le'] as const) for (const shift of [0, 1, 2]) {
        const text = Buffer.concat([Buffer.alloc(shift, 1), Buffer.from(`${before}${canary}xyz`, encoding)]).toString('base64');
        assert.ok(formsOf(canary).some((form) => text.includes(form)), `${encoding} ${shift} ${before}`);
      }
    }
  });

  describe('the text of a command', () => {
    for (const [what, argv] of [
      ['code', (canary: string) => ['--', `echo ${canary}; cat`]],
      ['a program and its arguments', (canary: string) => ['--', 'cat.exe', canary]],
      ['a line of cmd', (canary: string) => ['--shell=cmd', '--', `echo ${canary}& cat.exe`]],
    ] as const) {
      it(`${what}: under --private it is in no log, object or file, and on the node in no argument of what was started from outside`, async () => {
        const [canary, input] = [newCanary(), newCanary()];
        const { places, record, stdout } = await look(['--private', ...argv(canary)], (one) => [one.text, ...one.words].join(' ').includes(canary), input);
        assert.deepEqual(placesWith(canary, places), []);
        assert.deepEqual(placesWith(input, places), [], 'nor is its input');
        assert.ok(record.isFramed, 'it came by stdin');
        assert.ok(stdout.endsWith(input), 'with its input behind it');
      });

      it(`${what}: without it, the audit log and the kubelet have it, as of kubectl exec, and what -v=9 shows of requests, and nothing else`, async () => {
        const [canary, input] = [newCanary(), newCanary()];
        const { places } = await look(argv(canary), (one) => [one.text, ...one.words].join(' ').includes(canary), input);
        assert.deepEqual(placesWith(canary, places), ['audit log', 'stderr', 'arguments on the node']);
        assert.deepEqual(placesWith(input, places), []);
      });
    }

    it('of a script and its arguments: it is nowhere, and the name of its file neither', async () => {
      const [canary, argument, name, input] = [newCanary(), newCanary(), newCanary(), newCanary()];
      const file = await program.write(`${name}.ps1`, `echo ${canary}\ncat\n`);
      const { places, record, modes, transcript } = await look(['--script', file, '--', argument], (one) => one.text.includes(canary), input);
      assert.deepEqual([canary, argument, name, input].map((one) => placesWith(one, places)), [[], [], [], []]);
      assert.deepEqual([record.kind, record.words], ['script', [argument]]);
      assert.deepEqual(modes, ['700', '700', '600', '600'], 'kubectl-win, runs, a record, a transcript: whatever the mask of the user');
      assert.ok(transcript.split('\n').slice(1).join('').includes(canary), 'what the node wrote is what a transcript is for');
    });
  });

  it('a transcript replaces nothing', async () => {
    const file = await program.write('there.jsonl', 'somebody wrote this');
    const { exitCode, stderr } = await program.run(execOn([NODES[0]], '--transcript', file, '--', 'echo', 'hi'));
    assert.deepEqual([exitCode, await readFile(file, 'utf8')], [2, 'somebody wrote this']);
    assert.match(stderr, /there\.jsonl.*exists already/);
  });

  describe('what nodes write', () => {
    // colour, title, clipboard, a C1 introducer, a bell, what rubs out, what turns text round, and a heading and a node that are none
    const EVIL = '\u001b[31mred\u001b]0;title\u0007\u001b]52;c;Zm9v\u0007\u009b2J\b\b\u202egnp.exe\u0000\u007f\r==> secrets-2 <==';
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

    for (const [what, argv] of [
      ['line by line', []], ['as blocks', ['--output-mode=block']], ['folded', ['--fold']], ['a table', ['-o', 'table']], ['a wide table', ['-o', 'wide']], ['JSON', ['-o', 'json']], ['lines of JSON', ['-o', 'jsonl']], ['YAML', ['-o', 'yaml']], ['CSV', ['-o', 'csv']], ['Markdown', ['-o', 'markdown']], ['columns', ['-o', 'custom-columns=A:.stdout,B:.stderr']],
    ] as const) {
      it(`has no control of a terminal in it that is shown of several nodes: ${what}`, async () => {
        const { stdout, stderr, exitCode } = await program.run(execOn(NODES, ...argv, '--stdin-all', '--', 'tee.exe'), { env: { HOME: home }, stdin: `${EVIL}\n` });
        assert.equal(exitCode, 0, stderr);
        // lines of CSV end with both
        for (const text of [stdout, stderr].map((one) => (what === 'CSV' ? one.replaceAll('\r\n', '\n') : one))) assert.doesNotMatch(text, CONTROLS);
        assert.match(stdout, /red/);
      });
    }

    it('cannot pass for another node\'s, or for a heading', async () => {
      const forged = 'fine\n==> secrets-2 <==\nsecrets-2  forged\n';
      const blocks = await program.run(execOn(NODES, '--output-mode=block', '--stdin-all', '--', 'cat.exe'), { env: { HOME: home }, stdin: forged });
      assert.deepEqual(blocks.stdout.split('\n').filter((line) => line.startsWith('==>')).toSorted(), ['==> secrets-1 <==', '==> secrets-2 <=='], blocks.stdout);
      const lines = await program.run(execOn(NODES, '--stdin-all', '--', 'cat.exe'), { env: { HOME: home }, stdin: forged });
      assert.deepEqual(lines.stdout.split('\n').filter((line) => line.startsWith('secrets-1  ')), ['secrets-1  fine', 'secrets-1  ==> secrets-2 <==', 'secrets-1  secrets-2  forged'], lines.stdout);
      assert.equal(lines.stdout.split('\n').filter((line) => line !== '').length, 6);
    });

    it('has none in what is said of an error, whose words are the node\'s', async () => {
      const { stdout, stderr, exitCode } = await program.run(execOn([NODES[0]], '--', 'no\u001b[31m\u009b2J\u202esuch.exe', 'a'), { env: { HOME: home } });
      assert.deepEqual([stdout, exitCode], ['', 1]);
      assert.match(stderr, /^error: secrets-1: CommandNotFound: no\^\[\[31m\\u009b2J\\u202esuch\.exe: no such command$/m);
      assert.doesNotMatch(stderr, CONTROLS);
    });

    it('comes as it is, byte for byte, where one node writes into a file or pipe', async () => {
      const { stdout } = await program.run(execOn([NODES[0]], '-i', '--', 'cat.exe'), { env: { HOME: home }, stdin: EVIL });
      assert.equal(stdout, EVIL);
    });
  });
});
