/** Commands and stdin of any kind, through a real API server, the kubelet's protocol, and models of what is between a kubelet and a program on Windows. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import type { OpenCluster } from '../../src/adapters/kube/cluster.ts';
import { planTransport } from '../../src/domain/hostprocess/command/plan-transport.ts';
import { SignFilter } from '../../src/domain/hostprocess/command/sign.ts';
import type { CommandRequest, Sign } from '../../src/domain/hostprocess/command/transport.ts';
import { open } from '../cluster/played-runs.ts';
import { runToEnd, type ExecRecord } from '../cluster/start.ts';
import { partsOrSkip, useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { seededRandom, testSeed, type Random } from '../support/random.ts';
import { commandLineToArgv, cRuntimeArgv } from '../support/windows-model/arguments.ts';
import { runLine } from '../support/windows-model/cmd.ts';
import { shimLine } from '../support/windows-model/node.ts';
import { randomWord, randomWords } from '../support/windows-model/random-words.ts';

const CASES = 1_200;
const LINES = 5_000;
const LANES = 8;
const CONTAINER = 'hostprocess';

/** What shells, runtimes and protocols read in ways of their own. */
const PIECES = [
  '"', '""', '\\', '\\\\', '\\"', '^', '^^', '%', '%%', '%PATH%', '%CONTAINER_SANDBOX_MOUNT_POINT%', '%PATH:~0,3%', '%CD%', '&', '&&', '|', '||', '<', '>', '>nul', '(', ')', '!', '!PATH!', "'", "''", '‘', '’', '‚', '‛', '“', '”',
  '`', '$', '$kw', '$(exit 9)', '${env:PATH}', '@(', '@\'', '#', '<#', ';', ',', '=', '+', '-', '--', '-Name', '-Confirm:$false', '-x:', '/c', '*', '?', '[a]', '{', '}', '~', ' ', '  ', '\t', '\n', '\r\n', '\r', 'a', 'word', '0', 'C:\\Program Files\\x\\',
  '\\\\server\\share', 'ü', '中', '😀', '\u200b', '\u2028', '\ufeff', '\u001b[31m', '\u001ekubectl-win 0123456789abcdef end 0\n', '\u0001', '\u007f', 'e\u0301',
] as const;

const textOf = (random: Random, most: number): string => {
  const length = random.below(most + 1);
  let text = '';
  while (text.length < length) text += random.pick(PIECES);
  return text;
};

interface Case {
  readonly what: string;
  readonly request: Omit<CommandRequest, 'nonce'>;
  readonly stdin: Buffer | null;
  /** What must be on record of the node. */
  readonly expected: Partial<ExecRecord>;
  readonly exitCode: number;
  /** stdout for the given stdin; null where a terminal or a cmdlet has its say. */
  readonly stdout: Buffer | null;
  readonly stderr: Buffer;
}

const base = { shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop' } as const satisfies Omit<CommandRequest, 'nonce'>;

function stdinOf(random: Random): Buffer | null {
  if (random.chance(35)) return null;
  if (random.chance(15)) return Buffer.from(textOf(random, 2_000));
  return Buffer.from(Array.from({ length: random.below(random.chance(10) ? 100_000 : 600) }, () => random.below(256)));
}

/** Words for a program; some are long, most are not. */
function wordsOf(random: Random, most: number, text: (random: Random, most: number) => string = textOf): readonly string[] {
  const words = Array.from({ length: random.below(6) }, () => text(random, random.chance(80) ? 12 : 300));
  return random.chance(5) ? [...words, text(random, most)] : words;
}

/** Bytes through `tee`, so that stderr has some of its own between the signs. */
function through(random: Random, exitCode = 0): Pick<Case, 'stdin' | 'stdout' | 'stderr' | 'exitCode'> & { readonly program: string } {
  const stdin = stdinOf(random);
  const isTee = random.chance(50);
  return { program: isTee ? 'tee' : 'cat', stdin, stdout: stdin ?? Buffer.alloc(0), stderr: isTee ? stdin ?? Buffer.alloc(0) : Buffer.alloc(0), exitCode };
}

const KINDS: readonly ((random: Random) => Case)[] = [
  (random) => {
    const { program, ...bytes } = through(random);
    const words = wordsOf(random, 20_000);
    // each character may become two, and the path of the program comes before: beyond 32,766 Windows starts nothing
    const fitting = words.filter((word) => word.length < 15_000);
    const request = { ...base, shell: random.chance(80) ? 'powershell' : 'pwsh', words: [random.chance(50) ? program : `${program}.exe`, ...(fitting.length === 0 ? [''] : fitting)], isPrivate: random.chance(25) } as const;
    return { what: 'program', request, ...bytes, expected: { kind: 'command', words: [`C:\\Program Files\\played\\${program}.exe`, ...request.words.slice(1)] } };
  },
  (random) => {
    const words = ['Show-Words', ...wordsOf(random, 100_000), 'last'];
    return { what: 'cmdlet', request: { ...base, words, isPrivate: random.chance(25) }, stdin: null, expected: { kind: 'command', words }, exitCode: 0, stdout: Buffer.from(`${words.slice(1).map((word) => `[${word}]`).join('')}\n`), stderr: Buffer.alloc(0) };
  },
  (random) => {
    const { program, ...bytes } = through(random, random.pick([0, 3, 255, 256, 3_221_225_477, 4_294_967_295]));
    // PowerShell takes 32 bits with a sign
    const code = `${program}; exit ${bytes.exitCode | 0};${textOf(random, random.chance(10) ? 100_000 : 100)}`;
    return { what: 'code', request: { ...base, words: [code], isPrivate: random.chance(25) }, ...bytes, expected: { kind: 'code', text: code } };
  },
  (random) => {
    const { program, ...bytes } = through(random, random.pick([0, 7]));
    const text = `${program}\nexit ${bytes.exitCode}\n${textOf(random, random.chance(10) ? 100_000 : 300)}`;
    const words = wordsOf(random, 1_000);
    const errorAction = random.chance(50) ? 'stop' : 'continue';
    return { what: 'script', request: { ...base, words, script: { name: 'a.ps1', text }, errorAction }, ...bytes, expected: { kind: 'script', text, words, isFramed: true, errorAction: errorAction === 'stop' ? 'Stop' : 'Continue' } };
  },
  (random) => {
    const { program, ...bytes } = through(random);
    const words = [`${program}.exe`, ...wordsOf(random, 1_500, oneLine), random.pick(['last', ''])];
    return { what: 'cmd', request: { ...base, shell: 'cmd', words, isPrivate: random.chance(25) }, ...bytes, expected: { kind: 'cmd', words } };
  },
  (random) => {
    const { program, ...bytes } = through(random);
    const shell = random.chance(50) ? 'powershell' : 'cmd';
    const words = [`${program}.cmd`, ...wordsOf(random, 500, forBatch), random.pick(['last', ''])];
    return { what: 'batch file', request: { ...base, shell, words }, ...bytes, expected: { kind: shell === 'cmd' ? 'cmd' : 'command', words: [`${program}.exe`, ...words.slice(1)] } };
  },
  (random) => {
    const { program, ...bytes } = through(random);
    const words = [program, ...wordsOf(random, 3_000, withoutCmd)];
    return { what: 'as it is', request: { ...base, shell: 'none', words }, ...bytes, expected: { kind: '', words } };
  },
  (random) => {
    const words = ['argv', ...wordsOf(random, 300).filter((word) => word.length < 100), 'last'];
    return { what: 'terminal', request: { ...base, words, hasTerminal: true }, stdin: null, expected: { kind: 'command', nonce: '', hasTerminal: true, words: ['C:\\Program Files\\played\\argv.exe', ...words.slice(1)] }, exitCode: 0, stdout: null, stderr: Buffer.alloc(0) };
  },
];

/** Of 100,000 characters and more, in each form that has no limit of Windows' own. */
function longest(random: Random): readonly Case[] {
  const text = textOf(random, 100_000).padEnd(100_000, '中');
  const words = ['Show-Words', text, 'last'];
  const nothing = Buffer.alloc(0);
  return [
    { what: 'cmdlet', request: { ...base, words }, stdin: null, expected: { kind: 'command', words, isFramed: true }, exitCode: 0, stdout: Buffer.from(`[${text}][last]\n`), stderr: nothing },
    { what: 'code', request: { ...base, words: [`exit 7;${text}`] }, stdin: null, expected: { kind: 'code', text: `exit 7;${text}`, isFramed: true }, exitCode: 7, stdout: nothing, stderr: nothing },
    { what: 'script', request: { ...base, script: { name: 'a.ps1', text: `cat\nexit 7\n${text}` }, words: [text] }, stdin: Buffer.from(text), expected: { kind: 'script', text: `cat\nexit 7\n${text}`, words: [text], isFramed: true }, exitCode: 7, stdout: Buffer.from(text), stderr: nothing },
  ];
}

const oneLine = (random: Random, most: number): string => textOf(random, most).replaceAll(/[\r\n]/g, '');
/** What cmd can hand to a batch file. */
const forBatch = (random: Random, most: number): string => oneLine(random, most).replaceAll(/["%]/g, '').replace(/\\+$/, '');
/** What cmd leaves alone. */
const withoutCmd = (random: Random, most: number): string => oneLine(random, most).replaceAll(/[%^&|<>()]/g, '');

describe('a command on its way to a node', function () {
  this.timeout(300_000);
  const cluster = useCluster({ with: ['kubelet'], standInPlays: 'windows-shell' });
  const namespace = 'transport';
  const pods = Array.from({ length: LANES }, (_, lane) => `lane-${lane}`);
  let client: OpenCluster;

  before('a pod for each lane', async () => {
    await cluster().loadNodes([rawNode('transport-1')], { kubelet: true });
    await cluster().createNamespace(namespace);
    for (const name of pods) await cluster().api.create(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name }, spec: { nodeName: 'transport-1', containers: [{ name: CONTAINER, image: 'r.example/base' }] } });
    client = await open(cluster().kubeconfig);
  });
  after(async () => {
    await client.close();
    await cluster().api.delete('/api/v1/nodes/transport-1');
  });

  /** null: it was refused, in words. */
  const send = async (one: Case, pod: string, nonce: string): Promise<{ readonly exitCode: number; readonly stdout: Buffer; readonly stderr: Buffer; readonly signs: readonly Sign[] } | null> => {
    const transport = planTransport({ ...one.request, nonce });
    if ('refused' in transport) {
      assert.match(transport.refused, /long/);
      return null;
    }
    const filter = transport.nonce === null ? null : new SignFilter(transport.nonce);
    const [stdout, stderr] = [collect(), collect()];
    const hasStdin = transport.opensStdin || one.stdin !== null;
    const { exitCode } = await client.execChannel.exec({
      namespace, pod, container: CONTAINER, command: transport.argv, tty: one.request.hasTerminal, stdout, stderr,
      stdin: hasStdin ? Readable.from([Buffer.from(transport.preamble), one.stdin ?? Buffer.alloc(0)].filter(({ length }) => length > 0)) : undefined,
    });
    const filtered = filter?.push(stderr.bytes()) ?? { bytes: stderr.bytes(), signs: [] };
    return { exitCode, stdout: stdout.bytes(), stderr: Buffer.concat([filtered.bytes, filter?.end().bytes ?? Buffer.alloc(0)]), signs: filtered.signs };
  };

  const check = async (one: Case, pod: string, sent: number, nonce: string): Promise<boolean> => {
    const got = await send(one, pod, nonce);
    if (got === null) return false;
    const record = (await cluster().execRecords(pod))[sent];
    assert.ok(record !== undefined, 'it is not on record');
    const known: Readonly<Record<string, unknown>> = { ...record };
    for (const [name, value] of Object.entries(one.expected)) assert.deepEqual(known[name], value, name);
    assert.equal(record.problem, '');
    assert.equal(got.exitCode, one.exitCode);
    if (one.stdout !== null) assert.ok(got.stdout.equals(one.stdout), `stdout has ${got.stdout.length} bytes, ${one.stdout.length} were to come`);
    assert.ok(got.stderr.equals(one.stderr), `stderr has ${got.stderr.length} bytes, ${one.stderr.length} were to come: ${JSON.stringify(got.stderr.toString().slice(0, 200))}`);
    if (one.stdin !== null) assert.deepEqual([record.stdinBytes, record.stdinSha256], [one.stdin.length, createHash('sha256').update(one.stdin).digest('hex')]);
    const hasSigns = one.request.shell !== 'none' && !one.request.hasTerminal;
    // a script that calls `exit` ends before its number is known
    const end = ['code', 'script'].includes(record.kind) ? null : 0;
    assert.deepEqual(got.signs.map((sign) => (sign.sign === 'start' ? { ...sign, pid: 0 } : sign)), hasSigns ? [{ sign: 'start', pid: 0 }, { sign: 'end', code: end }] : []);
    return true;
  };

  const seed = testSeed();
  it(`arrives as it was meant, with its stdin, and its output comes back: ${CASES} cases (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const cases = [...longest(random), ...Array.from({ length: CASES - 3 }, (_, index) => (KINDS[index % KINDS.length] ?? assert.fail())(random))];
    const counts = new Map<string, number>();
    const waiting = [...cases.entries()];
    await Promise.all(pods.map(async (pod) => {
      let sent = 0;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, one] = next;
        const nonce = index.toString(16).padStart(16, '0');
        try {
          const arrived = await check(one, pod, sent, nonce);
          if (arrived) sent += 1;
          const key = arrived ? one.what : `${one.what} (too long, refused)`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        } catch (error) {
          waiting.length = 0;
          const request = JSON.stringify(one.request);
          throw new Error(`case ${index} of seed ${seed}, ${one.what}: ${error instanceof Error ? error.message : String(error)}\n${request.slice(0, 2_000)}`, { cause: error });
        }
      }
    }));
    const refused = [...counts].filter(([name]) => name.includes('refused')).reduce((sum, [, count]) => sum + count, 0);
    process.stdout.write(`      ${CASES} cases: ${[...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
    assert.ok(CASES - refused >= 1_000, `${refused} were refused`);
  });
});

/** An answer of the stand-in's model. */
interface Reading {
  readonly environment: Readonly<Record<string, string>>;
  readonly line: string;
  readonly argv: readonly string[];
  readonly runtimeArgv: readonly string[];
  readonly commands: readonly { readonly joined: string; readonly line: string }[] | null;
  readonly error?: string;
}

describe('the two models of command lines on Windows', function () {
  this.timeout(120_000);
  const seed = testSeed();

  it(`agree on ${LINES} lines (seed ${seed})`, async function () {
    const parts = await partsOrSkip(this, ['windows-process']);
    const ask = async (questions: readonly unknown[]): Promise<readonly Reading[]> => {
      const { code, stdout, stderr } = await runToEnd(parts['windows-process'], ['--model'], { env: process.env, input: questions.map((question) => `${JSON.stringify(question)}\n`).join('') });
      assert.equal(code, 0, stderr);
      return stdout.trimEnd().split('\n').map((text) => JSON.parse(text) as Reading);
    };
    const [{ environment } = assert.fail()] = await ask([{ environment: true }]);
    const random = seededRandom(seed);
    const lines = Array.from({ length: LINES }, () => Array.from({ length: 1 + random.below(4) }, () => randomWord(random)).join(random.pick([' ', '', '\t', '" "'])));
    const argvs = Array.from({ length: LINES }, () => ['x.exe', ...randomWords(random, 5)]);
    const [joins, readings, runs] = [await ask(argvs.map((argv) => ({ argv }))), await ask(lines.map((line) => ({ line }))), await ask(lines.map((cmd) => ({ cmd })))];
    for (const [index, argv] of argvs.entries()) assert.equal(joins[index]?.line, shimLine(argv, { hasBindFilters: true }));
    const counts = { alone: 0, several: 0, 'not played': 0 };
    for (const [index, line] of lines.entries()) {
      const { argv, runtimeArgv } = readings[index] ?? assert.fail();
      assert.deepEqual([argv, runtimeArgv], [commandLineToArgv(line), cRuntimeArgv(line)], JSON.stringify(line));
      const { starts, operators } = runLine(line, environment);
      const { commands, error } = runs[index] ?? assert.fail();
      if (error !== undefined) {
        assert.ok(operators.some((operator) => '|<>('.includes(operator)), `${error}: ${JSON.stringify(line)}`);
        counts['not played'] += 1;
        continue;
      }
      // What delimiters and @ before a command are worth is no matter of the reading.
      const strip = (text: string): string => text.replace(/^[ \t,;=\v\f@]+/, '');
      const others = operators.filter((operator) => '|<>('.includes(operator));
      if (others.length > 0) continue; // output to nul, which is played
      const theirs = (commands ?? []).map((one) => strip(one.line)).filter((text) => text !== '' && !text.startsWith(':'));
      assert.deepEqual(theirs, starts.map((start) => strip(start.line)).filter((text) => text !== '' && !text.startsWith(':')), JSON.stringify(line));
      counts[starts.length === 1 ? 'alone' : 'several'] += 1;
    }
    process.stdout.write(`      lines of cmd: ${Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
    for (const [name, count] of Object.entries(counts)) assert.ok(count > LINES / 50, `${name}: ${count}`);
  });
});

function collect(): Writable & { bytes(): Buffer } {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(sink, { bytes: () => Buffer.concat(chunks) });
}
