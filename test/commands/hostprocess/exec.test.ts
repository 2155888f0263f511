import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseAllDocuments } from 'yaml';
import type { Terminal } from '../../../src/app/ports.ts';
import { PipeClosed, type PrivateFile } from '../../../src/cli/context.ts';
import { nameOf, stringAt, type KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../src/errors.ts';
import { ExecCluster, NONCE, runs, sign, type PlayCommand } from '../../support/exec-cluster.ts';
import { fakeCluster, rawNode } from '../../support/fake-cluster.ts';
import { assertGolden } from '../../support/golden.ts';
import { memoryRuns } from '../../support/local-runs.ts';
import { runCommand, type RunOptions, type RunResult } from '../../support/run-command.ts';
import { assertMatchesSchema } from '../../support/schema.ts';

const ESCAPE = String.fromCharCode(27);
const NODES = ['win-1', 'win-2', 'win-3', 'win-4'];

type Plays = Readonly<Record<string, PlayCommand>>;

/** Commands by node; others write what node they are on. */
function played(plays: Plays): PlayCommand {
  return (command) => (plays[command.node] ?? runs(0, `on ${command.node}\r\n`))(command);
}

/** What a command does that writes to both streams. */
function writes(stdout: string, stderr: string, exitCode = 0): PlayCommand {
  return async ({ out, err }) => {
    await err(sign('start 42'));
    await out(stdout);
    await err(stderr);
    await err(sign(`end ${exitCode}`));
    return exitCode;
  };
}

/** Gives back what it gets. */
const cat: PlayCommand = async ({ request, out, err }) => {
  await err(sign('start 42'));
  let text = '';
  for await (const chunk of request.stdin ?? []) text += Buffer.from(chunk).toString();
  await out(text);
  await err(sign('end 0'));
  return 0;
};

interface Ran extends RunResult {
  readonly cluster: ExecCluster;
  /** Texts of the audit log's kind: what the API server gets to see. */
  readonly commands: readonly (readonly string[])[];
}

async function run(argv: readonly string[], { nodes = NODES, plays = {}, prepare = () => undefined, ...options }: RunOptions & { readonly nodes?: readonly string[]; readonly plays?: Plays; readonly prepare?: (cluster: ExecCluster) => void } = {}): Promise<Ran> {
  const cluster = new ExecCluster(nodes);
  const seen: (readonly string[])[] = [];
  cluster.playCommand = (command) => {
    seen.push(command.request.command);
    return played(plays)(command);
  };
  prepare(cluster);
  const result = await runCommand(['hostprocess', 'exec', ...(argv.includes('-n') ? [] : ['-n', 'ops']), ...argv], {
    reader: cluster.reader, writer: cluster.writer, exec: cluster.exec, clock: cluster.clock, env: { HOME: '/nowhere' }, ...options,
    ports: { sleep: (milliseconds, signal) => cluster.clock.sleep(milliseconds, signal), createRunId: () => 'a1b2c3', createNonce: () => NONCE, ...options.ports },
  });
  return { ...result, cluster, commands: seen };
}

interface Document {
  readonly run: string | null;
  readonly phase: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly items: readonly { readonly node: string; readonly exitCode: number | null; readonly stdout: string | null; readonly stdoutBase64: string | null; readonly stderr: string | null; readonly truncated: boolean; readonly error: { readonly reason: string; readonly message: string } | null }[];
  readonly groups: readonly { readonly nodes: readonly string[] }[];
  readonly notes: readonly string[];
}

function reportOf({ stdout, stderr }: RunResult): Document {
  assert.notEqual(stdout, '', stderr);
  const document = JSON.parse(stdout) as Document;
  assertMatchesSchema('ExecReport', document);
  return document;
}

/** Nothing of a run may be left: no object, and no record. */
function assertNothingLeft({ cluster }: Ran): void {
  assert.deepEqual([[...cluster.jobs.keys()], [...cluster.pods.keys()]], [[], []]);
}

describe('kubectl win hostprocess exec', function () {
  this.timeout(20_000);

  describe('prints', () => {
    const plays: Plays = { 'win-2': writes(`${ESCAPE}[2J${ESCAPE}]0;owned\u0007red\r\n`, 'access is denied\r\n', 5), 'win-3': writes('', '', 3221225477) };
    const prepare = (cluster: ExecCluster): void => {
      cluster.playNode = (pod) => (pod.node === 'win-4' ? undefined : pod.runs(2));
    };
    for (const [scenario, argv] of [
      ['prefix.txt', []], ['block.txt', ['--output-mode=block']], ['fold.txt', ['--fold']], ['table.txt', ['-o', 'table']], ['wide.txt', ['-o', 'wide']], ['report.json', ['-o', 'json']], ['report.yaml', ['-o', 'yaml']], ['table.csv', ['-o', 'csv']],
      ['table.md', ['-o', 'markdown']], ['name.txt', ['-o', 'name']], ['jsonpath.txt', ['-o', 'jsonpath={range .items[?(@.result=="failed")]}{.node}{" "}{.exitCode}{"\\n"}{end}']], ['custom-columns.txt', ['-o', 'custom-columns=NODE:.node,CODE:.exitCode']], ['lines.jsonl', ['-o', 'jsonl']],
    ] as const) {
      it(scenario, async () => {
        const result = await run([...NODES, 'lin-1', ...argv, '--', 'hostname'], { plays, prepare: (cluster) => {
          prepare(cluster);
          cluster.objects['nodes'] = [...cluster.objects['nodes'] ?? [], rawNode('lin-1', { os: 'linux' })];
        } });
        assert.equal(result.exitCode, 1, result.stderr);
        assert.ok(!result.stdout.includes(ESCAPE) && !result.stderr.includes(ESCAPE));
        if (scenario === 'report.json') assertMatchesSchema('ExecReport', JSON.parse(result.stdout));
        assertGolden(`hostprocess/exec/${scenario}`, result.stdout);
        if (scenario === 'prefix.txt') assertGolden('hostprocess/exec/progress.txt', result.stderr);
        assertNothingLeft(result);
      });
    }

    it('the same in lines of JSON as in one document', async () => {
      const [lines, whole] = await Promise.all([run(['--all', '-o', 'jsonl', '--', 'hostname'], { plays }), run(['--all', '-o', 'json', '--', 'hostname'], { plays })]);
      const all = lines.stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { readonly node: string; readonly summary?: unknown });
      const { items, summary } = reportOf(whole);
      assert.deepEqual(all.slice(0, -1).toSorted((a, b) => a.node.localeCompare(b.node)), items);
      assert.deepEqual(all.at(-1)?.summary, summary);
    });
  });

  describe('of one node', () => {
    it('passes output on as it is', async () => {
      const result = await run(['win-1', '--', 'x'], { plays: { 'win-1': writes(`a\r\n${ESCAPE}[1m\u0000b`, 'bad\r\n') } });
      assert.deepEqual([result.stdout, result.stderr, result.exitCode], [`a\r\n${ESCAPE}[1m\u0000b`, 'bad\r\n', 0]);
      assertNothingLeft(result);
    });

    it('makes controls visible on a terminal', async () => {
      const { stdout } = await run(['win-1', '--', 'x'], { plays: { 'win-1': writes(`a\r\n${ESCAPE}[2J`, '') }, isTerminal: true, columns: 0 });
      assert.equal(stdout, 'a\n^[[2J');
    });

    it('prints the rest of the output of a pipe without a line that changes', async () => {
      const { stdout, stderr } = await run(['win-1', '--', 'x'], { plays: { 'win-1': writes('out\n', '') }, isTerminal: true, columns: 80 });
      // the spinner is on stderr, and gone before the first byte
      assert.deepEqual([stdout, stderr.includes('looking for nodes')], ['out\n', true]);
    });

    for (const [exitCode, code, words] of [
      [0, 0, ''], [1, 1, 'command terminated with exit code 1\n'], [7, 7, 'command terminated with exit code 7\n'], [255, 255, 'command terminated with exit code 255\n'],
      [256, 1, 'command terminated with exit code 256\nexit code 256 does not fit into 8 bits: exiting with 1\n'], [3221225477, 5, 'command terminated with exit code 3221225477\nexit code 3221225477 does not fit into 8 bits: exiting with 5\n'],
    ] as const) {
      it(`gives its exit code: ${exitCode}`, async () => {
        const plays: Plays = { 'win-1': writes('', '', exitCode) };
        const result = await run(['win-1', '--', 'x'], { plays });
        assert.deepEqual([result.exitCode, result.stderr], [code, words]);
        assert.deepEqual(reportOf(await run(['win-1', '-o', 'json', '--', 'x'], { plays })).items.map((item) => [item.exitCode, item.error]), [[exitCode, null]]);
      });
    }

    it('tells a command that does not start from one that fails', async () => {
      const plays: Plays = { 'win-1': async ({ err }) => {
        await err(sign(`failed NotFound ${Buffer.from('frobnicate: no such program').toString('base64')}`));
        return 1;
      } };
      const result = await run(['win-1', '--', 'frobnicate', 'x'], { plays });
      assert.deepEqual([result.exitCode, result.stderr], [1, 'error: win-1: CommandNotFound: frobnicate: no such program\n']);
      assert.deepEqual(reportOf(await run(['win-1', '-o', 'json', '--', 'x', 'y'], { plays })).items.map((item) => [item.exitCode, item.error?.reason]), [[null, 'CommandNotFound']]);
    });

    it('does not take 0 for success when the end was not seen', async () => {
      const result = await run(['win-1', '--', 'x'], { plays: { 'win-1': async ({ out, err }) => {
        await err(sign('start 42'));
        await out('half');
        return 0;
      } } });
      assert.deepEqual([result.exitCode, result.stdout], [3, 'half']);
      assert.match(result.stderr, /^error: win-1: EndNotSeen: /);
    });

    it('says why it cannot be, and what would be', async () => {
      const result = await run(['lin-1', '--', 'x'], { prepare: (cluster) => {
        cluster.objects['nodes'] = [rawNode('lin-1', { os: 'linux' })];
      } });
      assert.deepEqual([result.exitCode, result.stdout, result.cluster.callsOf('create')], [2, '', []]);
      assert.match(result.stderr, /^error: lin-1: NotWindows: /);
    });

    it('gives the same exit code for every name that is not there, as kubectl win nodes does', async () => {
      const [node, nodes, pod, reused] = [await run(['nope', '--', 'x']), await runCommand(['nodes', 'nope'], { reader: fakeCluster({ objects: { nodes: [] } }) }), await run(['pod/nope', '--', 'x']), await run(['win-1', '--reuse', 'zzzzzz', '--', 'x'])];
      assert.deepEqual([node, nodes, pod, reused].map(({ exitCode }) => exitCode), [3, 3, 3, 3]);
      assert.match(reused.stderr, /^error: hostprocess run "zzzzzz" not found: it is not on record on this machine\n/);
    });

    it('fails with what the cluster says', async () => {
      const result = await run(['win-1', '--', 'x'], { prepare: (cluster) => {
        cluster.missingRights.push('create pods/exec');
      } });
      assert.deepEqual([result.exitCode, result.cluster.callsOf('create'), result.commands], [3, [], []]);
      assert.match(result.stderr, /pods\/exec/);
    });

    it('passes stdin on with -i alone', async () => {
      const plays: Plays = { 'win-1': cat };
      assert.equal((await run(['win-1', '-i', '--', 'x'], { plays, stdin: 'grüße\r\n' })).stdout, 'grüße\r\n');
      assert.equal((await run(['win-1', '--', 'x'], { plays, stdin: 'nothing of this' })).stdout, '');
    });
  });

  it('keeps credential plugins from the stdin that is the command\'s or the script\'s', async () => {
    for (const [argv, usedBy] of [[['win-1', '-i', '--', 'x'], '--stdin'], [['win-1', '--stdin-all', '--', 'x'], '--stdin-all'], [['win-1', '--script', '-'], '--script -'], [['win-1', '--', 'x'], null]] as const) {
      assert.deepEqual((await run(argv, { stdin: 'exit' })).readerOptions.map(({ stdinUsedBy }) => stdinUsedBy), [usedBy]);
    }
  });

  describe('of several nodes', () => {
    it('refuses -i and -t, and gives each all of stdin with --stdin-all', async () => {
      const plays: Plays = Object.fromEntries(NODES.map((node) => [node, cat]));
      const refused = await run(['--all', '-i', '--', 'x'], { stdin: 'a', plays });
      assert.deepEqual([refused.exitCode, refused.stderr.split('\n')[0], refused.cluster.callsOf('create')], [2, 'error: -i is for one node, and 4 nodes are meant', []]);
      assert.match((await run(['--all', '-t', '--', 'x'], { terminal: playedTerminal().terminal })).stderr, /^error: a terminal \(-t\) is for one node, and 4 nodes are meant$/m);
      const result = await run(['--all', '--stdin-all', '--', 'x'], { stdin: 'all of it\n', plays });
      assert.deepEqual(result.stdout.trimEnd().split('\n').toSorted(), NODES.map((node) => `${node}  all of it`));
    });

    it('folds what is equal, also beyond what is kept', async () => {
      const plays: Plays = Object.fromEntries(NODES.map((node) => [node, writes(node === 'win-4' ? 'same\nother\n' : 'same\nend..\n', '')]));
      const { stdout } = await run(['--all', '--fold', '--max-output=5', '--', 'x'], { plays });
      assert.equal(stdout, '==> win-1, win-2, win-3 (3 nodes) <==\nsame\n==> stdout: cut, 11 bytes came; --max-output keeps more <==\n\n==> win-4 <==\nsame\n==> stdout: cut, 11 bytes came; --max-output keeps more <==\n');
    });

    it('keeps bytes that are no text', async () => {
      const plays: Plays = { 'win-1': async ({ request, err }) => {
        await err(sign('start 42'));
        await new Promise<void>((resolve) => request.stdout.write(Buffer.from([0xb3, 0xc9]), () => resolve()));
        await err(sign('end 0'));
        return 0;
      } };
      const [item] = reportOf(await run(['win-1', '-o', 'json', '--', 'x'], { plays })).items;
      assert.deepEqual([item?.stdout, item?.stdoutBase64], [null, 's8k=']);
    });

    it('begins no more than --max-failures allows, and runs the rest of a report', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-exec-'));
      try {
        const failing: Plays = { 'win-1': runs(1) };
        const first = await run(['--all', '--batch-size=1', '--max-failures=0', '-o', 'json', '--', 'x'], { plays: failing });
        assert.deepEqual([first.exitCode, reportOf(first).items.map(({ exitCode, error }) => error?.reason ?? exitCode)], [1, [1, 'Skipped', 'Skipped', 'Skipped']]);
        const file = join(folder, 'report.json');
        await writeFile(file, first.stdout);
        const second = await run(['--failed-of', file, '-o', 'json', '--', 'x']);
        assert.deepEqual([second.exitCode, reportOf(second).items.map(({ node }) => node)], [0, NODES]);
        await writeFile(file, second.stdout);
        const third = await run(['--failed-of', file, '--', 'x']);
        assert.deepEqual([third.exitCode, third.stderr, third.cluster.calls], [0, 'No node of the report has failed: nothing to do\n', []]);
        await writeFile(file, first.stdout.replace('"context": "test"', '"context": "prod"'));
        assert.match((await run(['--failed-of', file, '--', 'x'])).stderr, /^error: --failed-of is a report of the context prod, and this is test\n/);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });

  describe('asks', () => {
    const many = Array.from({ length: 6 }, (_, index) => `win-${index}`);

    it('before it runs on many', async () => {
      const questions: string[] = [];
      const answering = (answer: string) => (question: string): string => {
        questions.push(question);
        return answer;
      };
      const declined = await run(['--all', '--', 'hostname'], { nodes: many, answer: answering('n') });
      assert.deepEqual([declined.exitCode, declined.stdout, declined.cluster.callsOf('create'), declined.cluster.callsOf('dry-run')], [1, '', [], []]);
      assert.ok(declined.stderr.endsWith('Nothing was run\n'), declined.stderr);
      assert.equal(questions[0], 'Run on 6 Windows nodes (win-0, win-1, win-2, win-3, win-4 and 1 more) as NT AUTHORITY\\SYSTEM: hostname\nGo on? [y/N] ');
      assert.equal((await run(['--all', '--', 'hostname'], { nodes: many, answer: answering('y') })).exitCode, 0);
    });

    it('and names no text of what is private', async () => {
      const questions: string[] = [];
      await run(['--all', '--private', '--', 'secret'], { nodes: many, answer: (question) => {
        questions.push(question);
        return 'n';
      } });
      assert.match(questions.join(), /: a private command\n/);
    });

    it('and fails where nobody can be asked, unless --yes', async () => {
      const result = await run(['--all', '--', 'hostname'], { nodes: many });
      assert.deepEqual([result.exitCode, result.cluster.callsOf('create')], [2, []]);
      assert.equal((await run(['--all', '--yes', '--', 'hostname'], { nodes: many })).exitCode, 0);
    });

    it('from as many nodes on as the configuration says', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-exec-'));
      try {
        const config = join(folder, 'config.yaml');
        await writeFile(config, 'hostProcess: { confirmAbove: 0, image: mirror.example/base:v1, pullSecrets: [mirror], namespace: kubectl-win-ops }\n');
        const env = { HOME: folder, KUBECTL_WIN_CONFIG: config };
        assert.equal((await run(['win-1', '--', 'x'], { env })).exitCode, 2);
        const { stdout } = await run(['win-1', '-n', '', '--dry-run=client', '-o', 'json', '--pull-secret=own', '--', 'x'], { env });
        const job = JSON.parse(stdout) as KubeObject & { readonly spec: { readonly template: { readonly spec: { readonly imagePullSecrets: unknown; readonly containers: readonly { readonly image: string }[] } } } };
        assert.deepEqual([stringAt(job, 'metadata', 'namespace'), job.spec.template.spec.imagePullSecrets, job.spec.template.spec.containers[0]?.image], ['kubectl-win-ops', [{ name: 'mirror' }, { name: 'own' }], 'mirror.example/base:v1']);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });

  describe('--dry-run', () => {
    it('client prints the plan, and what is refused', async () => {
      const result = await run(['win-1', 'win-9', '--dry-run', '--', 'x']);
      assertGolden('hostprocess/exec/plan.txt', `${result.stdout}${result.stderr}`);
      assert.deepEqual([result.exitCode, result.cluster.callsOf('create'), result.cluster.callsOf('dry-run')], [1, [], []]);
    });

    it('client says of one node what would run, and where, but in place of objects and where nothing would', async () => {
      const local = await run(['win-1', '--dry-run', '--run-as=local-service', '--image=mirror.example/base:v1', '--', 'x']);
      assert.deepEqual([local.exitCode, local.stderr], [0, 'note: would run on 1 node as NT AUTHORITY\\Local service, in pods of mirror.example/base:v1 in namespace ops\n']);
      for (const argv of [['win-1', '-o', 'yaml'], ['win-9']]) assert.doesNotMatch((await run([...argv, '--dry-run', '--', 'x'])).stderr, /would run/);
    });

    it('client prints the very Job, or pod, offline', async () => {
      const reader = fakeCluster({ objects: { nodes: NODES.map((node) => rawNode(node)) }, source: 'files' });
      const offline = (argv: readonly string[]): Promise<Ran> => run([...argv, '--inventory', 'x', '--dry-run=client', '--', 'hostname'], { reader });
      const yaml = await offline(['win-1', '-o', 'yaml']);
      assertGolden('hostprocess/exec/dry-run.yaml', yaml.stdout);
      const json = JSON.parse((await offline(['win-1', '-o', 'json', '--anchor=pod'])).stdout) as KubeObject;
      assert.deepEqual([json.kind, stringAt(json, 'spec', 'nodeName')], ['Pod', 'win-1']);
      assert.deepEqual(parseAllDocuments((await offline(['--all', '-o', 'yaml'])).stdout).map((document) => nameOf(document.toJS() as KubeObject)), NODES.map((_, index) => `kubectl-win-hostprocess-a1b2c3-${index}`));
      assert.equal((JSON.parse((await offline(['--all', '-o', 'json'])).stdout) as KubeObject).kind, 'List');
      assert.deepEqual([yaml.exitCode, yaml.cluster.calls], [0, []]);
    });

    it('server asks the API server, creates nothing and remembers nothing', async () => {
      const localRuns = memoryRuns();
      const result = await run(['--all', '--dry-run=server', '--image=mirror.example/base:v1', '--', 'x'], { localRuns, prepare: (cluster) => {
        cluster.onCall = ({ verb, name }) => (verb === 'dry-run' && name.includes('a1b2c3-2') ? new ClusterError('admission webhook "policy" denied the request', { reason: 'Forbidden', status: 403 }) : null);
      } });
      assert.deepEqual([result.exitCode, result.cluster.callsOf('create'), result.commands, localRuns.runs.size], [1, [], [], 0]);
      assert.match(result.stdout, /^win-1 +planned .*\n.*\nwin-3 +refused +Refused +admission webhook/m);
      assert.match(result.stderr, /^note: would run on 3 nodes as NT AUTHORITY\\SYSTEM, in pods of mirror\.example\/base:v1 in namespace ops; the API server takes them, and nothing was created$/m);
    });
  });

  describe('hides', () => {
    const CANARY = 'canary-4711';
    const seenIn = ({ commands, cluster }: Ran, objects: readonly KubeObject[]): boolean => {
      const texts = [JSON.stringify(commands), JSON.stringify(objects), JSON.stringify(cluster.calls)];
      const decoded = commands.flat().map((word) => Buffer.from(word, 'base64').toString('utf16le'));
      return [...texts, ...decoded].some((text) => text.includes(CANARY));
    };
    const watched = async (argv: readonly string[], options: RunOptions = {}): Promise<readonly [boolean, Ran]> => {
      const objects: KubeObject[] = [];
      const ran = await run(argv, { ...options, prepare: (cluster) => {
        cluster.onCall = (_, object) => {
          if (object !== null) objects.push(object);
          return null;
        };
      } });
      return [seenIn(ran, objects), ran];
    };

    it('the command with --private, and not without', async () => {
      assert.equal((await watched(['win-1', '--', CANARY, 'b']))[0], true);
      const [isSeen, { exitCode, stderr }] = await watched(['win-1', '--private', '--', CANARY, 'b']);
      assert.deepEqual([isSeen, exitCode], [false, 0], stderr);
    });

    it('scripts, of a file or of stdin', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-exec-'));
      try {
        const file = join(folder, `fix.ps1`);
        await writeFile(file, `Write-Output ${CANARY}`);
        const [fromFile, fromStdin] = [await watched(['win-1', '--script', file, '--', 'argument']), await watched(['win-1', '--script', '-'], { stdin: CANARY })];
        assert.deepEqual([fromFile[0], fromFile[1].exitCode, fromStdin[0], fromStdin[1].exitCode], [false, 0, false, 0], fromStdin[1].stderr);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('nothing of who and why', async () => {
      const { stdout } = await run(['win-1', '--reason', 'INC-1', '--dry-run=client', '-o', 'json', '--', CANARY]);
      assert.match(stringAt(JSON.parse(stdout), 'metadata', 'annotations', 'kubectl-win/origin') ?? '', /^kubectl win 0\.1\.0 hostprocess exec by ada@laptop at 2026-11-30T12:\d\d:\d\d\.\d{3}Z: INC-1$/);
      assert.ok(!stdout.includes(CANARY));
    });
  });

  describe('-t', () => {
    it('gives the terminal to the command and back', async () => {
      const { terminal, log } = playedTerminal();
      const result = await run(['win-1', '-it'], { terminal, isTerminal: true, columns: 0, isInputTerminal: true, plays: { 'win-1': async ({ request, out }) => {
        await out(`${ESCAPE}[1m${request.tty} ${request.initialSize?.width}`);
        for await (const chunk of request.stdin ?? []) {
          await out(Buffer.from(chunk).toString());
          return 3;
        }
        return 0;
      } } });
      assert.deepEqual([result.stdout, result.exitCode, log], [`${ESCAPE}[1mtrue 90typed`, 3, ['take', 'restore']], result.stderr);
    });

    it("says in kubectl's words where there is none", async () => {
      const result = await run(['win-1', '-it', '--', 'x'], { stdin: 'a' });
      assert.deepEqual([result.exitCode, result.stderr.split('\n')[0]], [0, 'Unable to use a TTY - input is not a terminal or the right kind of file']);
      assert.equal((await run(['win-1', '-it'], { stdin: 'a' })).exitCode, 2);
    });

    it('restores it where the run is interrupted', async () => {
      const { terminal, log } = playedTerminal();
      const controller = new AbortController();
      const result = await run(['win-1', '-it'], { terminal, signal: controller.signal, plays: { 'win-1': async ({ wait }) => {
        controller.abort(new DOMException('interrupted by SIGTERM', 'AbortError'));
        await wait(1000);
        return 0;
      } } });
      assert.deepEqual([result.exitCode, log.at(-1)], [130, 'restore'], result.stderr);
      assertNothingLeft(result);
    });
  });

  describe('--transcript', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'kubectl-win-exec-'));
    });
    after(() => rm(folder, { recursive: true }));

    it('writes what came, and nothing of a private command', async () => {
      let text = '';
      const files: string[] = [];
      // in memory: a disk takes its time, and the clock of this cluster jumps meanwhile
      const createPrivateFile = async (path: string): Promise<PrivateFile> => {
        files.push(path);
        return { write: async (content) => void (text += content.toString()), close: async () => void files.push('closed'), discard: async () => void files.push('gone') };
      };
      const result = await run(['--all', '--transcript', 'run.jsonl', '--private', '--', 'secret-word', 'x'], { ports: { createPrivateFile } });
      assert.deepEqual([result.exitCode, files], [0, ['run.jsonl', 'closed']], result.stderr);
      const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as { readonly kind?: string; readonly text?: string; readonly exitCode?: number });
      assert.deepEqual([lines[0]?.kind, lines.flatMap(({ text: written = '' }) => (written === '' ? [] : [written])).toSorted((a, b) => a.localeCompare(b)), lines.filter((line) => line.exitCode === 0).length], ['Transcript', NODES.map((node) => `on ${node}\r\n`), 4]);
      assert.ok(!text.includes('secret-word'));
    });

    it('replaces nothing, and then runs nothing', async () => {
      const file = join(folder, 'there');
      await writeFile(file, 'mine');
      const result = await run(['win-1', '--transcript', file, '--', 'x']);
      assert.deepEqual([result.exitCode, await readFile(file, 'utf8'), result.cluster.callsOf('create')], [2, 'mine', []]);
    });

    it('leaves no file where nothing has run, so that the next run may have it', async () => {
      const file = join(folder, 'refused');
      const refused = await run(['win-1', '--transcript', file, '--', 'x'], { prepare: (cluster) => void cluster.missingRights.push('create pods/exec') });
      assert.equal(refused.exitCode, 3, refused.stderr);
      await assert.rejects(readFile(file), { code: 'ENOENT' });
    });
  });

  it('removes its pods where it is interrupted, and says what came until then', async () => {
    const controller = new AbortController();
    const localRuns = memoryRuns();
    const result = await run(['win-1', 'win-2', '-o', 'json', '--', 'x'], { localRuns, signal: controller.signal, plays: { 'win-2': async ({ err, wait }) => {
      await err(sign('start 42'));
      await wait(5);
      controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
      await wait(1000);
      return 0;
    } } });
    assert.equal(result.exitCode, 130, result.stderr);
    const report = reportOf(result);
    assert.deepEqual([report.phase, report.items.map(({ node, exitCode }) => [node, exitCode])], ['interrupted', [['win-1', 0], ['win-2', null]]]);
    assertNothingLeft(result);
    assert.equal(localRuns.runs.size, 0);
  });

  it('tells of an interruption how many nodes had not begun, and that its pods are gone, or what is left', async () => {
    const interrupted = (nodes: readonly string[], prepare: (cluster: ExecCluster) => void = () => undefined): Promise<Ran> => {
      const controller = new AbortController();
      return run([...nodes, '--parallel=1', '--', 'x'], { prepare, signal: controller.signal, plays: { 'win-1': async ({ err, wait }) => {
        await err(sign('start 42'));
        await wait(5);
        controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
        await wait(1000);
        return 0;
      } } });
    };
    const gone = 'error: interrupted\nthe pods were removed, and the commands in them have ended\n';
    const several = await interrupted(['win-1', 'win-2', 'win-3']);
    assert.ok(several.stderr.endsWith(`\n3 nodes: 1 failed, 2 not begun\n${gone}`), several.stderr);
    const one = await interrupted(['win-1']);
    assert.deepEqual([several.exitCode, one.exitCode, one.stderr], [130, 130, gone]);
    const left = await interrupted(['win-1'], (cluster) => {
      cluster.onCall = ({ verb }) => (verb === 'delete' ? new ClusterError('not allowed', { reason: 'Forbidden', status: 403 }) : null);
    });
    assert.match(left.stderr, /^note: win-1: Job .* could not be deleted \(not allowed\);/m);
    assert.ok(left.stderr.endsWith('error: interrupted\n'), left.stderr);
  });

  it('is no success where the reader of its output leaves before it has ended, and says that it was ended', async () => {
    const left = async (nodes: readonly string[], code: number, isEnded: boolean): Promise<Ran> => {
      const controller = new AbortController();
      const leaves: PlayCommand = async ({ err, wait }) => {
        await err(sign('start 42'));
        await wait(5);
        if (isEnded) await err(sign(`end ${code}`));
        controller.abort(new PipeClosed('stdout was closed'));
        if (!isEnded) await wait(1000);
        return code;
      };
      const result = await run([...nodes, '--', 'x'], { signal: controller.signal, plays: { 'win-1': leaves } });
      assertNothingLeft(result);
      return result;
    };
    const one = await left(['win-1'], 0, false);
    assert.deepEqual([one.exitCode, one.stderr], [130, 'error: interrupted: standard output was closed before the command had ended, and so it was ended\n']);
    const several = await left(['win-1', 'win-2'], 0, false);
    assert.equal(several.exitCode, 130);
    assert.match(several.stderr, /^error: interrupted: standard output was closed before the command had ended on 1 of 2 nodes, and so it was ended$/m);
    assert.equal((await left(['win-1'], 7, true)).exitCode, 7);
    const controller = new AbortController();
    const early = await run(['win-1', '--', 'x'], { signal: controller.signal, prepare: (cluster) => {
      cluster.onCall = () => {
        controller.abort(new PipeClosed('stdout was closed'));
        throw controller.signal.reason;
      };
    } });
    assert.deepEqual([early.exitCode, early.stderr, early.commands], [130, 'error: interrupted: standard output was closed before anything was run\n', []]);
  });

  it('runs no script of which it has read something else than what is there', async () => {
    const refused = await run(['win-1', '--script', '-'], { stdin: Buffer.from('echo "M\u00fcller"', 'latin1') });
    assert.deepEqual([refused.exitCode, refused.stderr, refused.commands], [2, 'error: stdin: holds bytes that are no UTF-8, or U+FFFD, which stands for such\nsave the script as UTF-8\n', []]);
  });

  it('sends no word of which it has read something else than was typed', async () => {
    const refused = await run(['win-1', '--', 'argv', '\ufffd\ufffd']);
    assert.deepEqual([refused.exitCode, refused.stderr, refused.commands], [2, "error: word 2 of the command holds bytes that are no UTF-8, or U+FFFD, which stands for such\npass such data by stdin (-i), which is handed on byte for byte\nSee 'kubectl win hostprocess exec --help' for usage.\n", []]);
  });

  it('refuses names that can be none before it asks the cluster', async () => {
    for (const flag of ['--reuse=', '--pull-secret=', '--pull-secret=A_B', '--priority-class=']) {
      const refused = await run(['win-1', flag, '--', 'x']);
      assert.deepEqual([refused.exitCode, refused.readerOptions], [2, []], flag);
      assert.match(refused.stderr, /^error: invalid argument "(?:A_B)?" for "--[a-z-]+" flag: is no (?:id of a run|name that)/, flag);
    }
  });

  it('prints a role to ask for as the lines that it has', async () => {
    const suggestions = ['ask an administrator for this role:\nkind: Role\nrules:\n- verbs: ["create"]', 'and for a binding'];
    const refused = await run(['win-1', '--', 'x'], { prepare: (cluster) => {
      cluster.playCommand = async () => {
        throw new ClusterError('no', { reason: 'Forbidden', suggestions });
      };
    } });
    assert.deepEqual([refused.exitCode, refused.stderr], [3, 'error: win-1: Forbidden: no\nask an administrator for this role:\nkind: Role\nrules:\n- verbs: ["create"]\nand for a binding\n']);
  });

  it('leaves pods with --keep, and runs in them with --reuse', async () => {
    const localRuns = memoryRuns();
    const kept = await run(['win-1', '--keep', '--', 'x'], { localRuns });
    assert.deepEqual([kept.exitCode, kept.cluster.pods.size, localRuns.runs.size], [0, 1, 1], kept.stderr);
    assert.match(kept.stderr, /--reuse a1b2c3/);
    const reused = await run(['win-1', '--reuse', 'a1b2c3', '--', 'y'], { localRuns, reader: kept.cluster.reader, writer: kept.cluster.writer, exec: kept.cluster.exec, clock: kept.cluster.clock, ports: { sleep: (milliseconds, signal) => kept.cluster.clock.sleep(milliseconds, signal) } });
    assert.deepEqual([reused.exitCode, reused.stdout, kept.cluster.callsOf('create').length], [0, 'on win-1\r\n', 1], reused.stderr);
  });

  it('runs with --reuse on the nodes of that run where none are named', async () => {
    const localRuns = memoryRuns();
    const { cluster } = await run(['win-1', 'win-3', '--keep', '--', 'x'], { localRuns });
    const again = (argv: readonly string[]): Promise<Ran> => run(['--reuse', 'a1b2c3', ...argv, '--', 'y'], { localRuns, reader: cluster.reader, writer: cluster.writer, exec: cluster.exec, clock: cluster.clock, ports: { sleep: (milliseconds, signal) => cluster.clock.sleep(milliseconds, signal) } });
    const own = await again([]);
    assert.deepEqual([own.exitCode, own.stdout.trimEnd().split('\n').toSorted()], [0, ['win-1  on win-1', 'win-3  on win-3']], own.stderr);
    assert.equal((await again(['win-3'])).stdout, 'on win-3\r\n');
    const planned = await again(['--dry-run', '-o', 'name']);
    assert.deepEqual([planned.exitCode, planned.stdout], [0, 'node/win-1\nnode/win-3\n'], planned.stderr);
    const before = cluster.callsOf('dry-run').length;
    const asked = await again(['win-1', '--dry-run=server']);
    assert.deepEqual([asked.exitCode, asked.stderr, cluster.callsOf('dry-run').length], [0, 'note: would run on 1 node as NT AUTHORITY\\SYSTEM, in the pods of the run a1b2c3 in namespace ops\n', before]);
    assert.equal((await run(['--reuse', 'zzzzzz', '--', 'y'])).exitCode, 3);
  });

  for (const [title, argv, message] of [
    ['a command without --', ['win-1', 'hostname'], /^error: you must specify at least one command$/m], ['no command', ['win-1'], /^error: you must specify at least one command$/m], ['what cannot be sent', ['win-1', '--', 'sc', 'query'], /^error: sc is Set-Content in PowerShell/m],
    ['an unknown shell', ['win-1', '--shell=bash', '--', 'x'], /"--shell" flag: must be one of/], ['a script that is not there', ['win-1', '--script', '/nowhere/x.ps1'], /^error: \/nowhere\/x\.ps1: cannot be read: /m],
  ] as const) {
    it(`refuses ${title} before it asks anything`, async () => {
      const result = await run(argv);
      assert.deepEqual([result.exitCode, result.stdout, result.readerOptions], [2, '', []]);
      assert.match(result.stderr, message);
    });
  }
});

function playedTerminal(): { readonly terminal: Terminal; readonly log: string[] } {
  const log: string[] = [];
  return {
    log,
    terminal: {
      size: { width: 90, height: 30 },
      resizes: async function* (signal) {
        yield { width: 91, height: 31 };
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
      take: () => {
        log.push('take');
        return Readable.from([Buffer.from('typed')]);
      },
      restore: () => log.push('restore'),
    },
  };
}
